// Runs lines of chance and holds what they did against what was reported of them.
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRandom } from '../random.js';
import { type Fixture, makeFixture } from './fixture.js';
import { HOSTILE_FILES, HOSTILE_STEPS } from './hostile-files.js';
import { reportOf, type Unreported, unreportedOf } from './judge.js';
import { type Effect, readEffects } from './read-effects.js';
import { removeTree } from './remove-tree.js';
import { openTracedShell, type TracedShell } from './traced-shell.js';
import { FREE_MODES, type FreeMode, freeModes, unaskedOf } from './unasked.js';

/** A line whose report hid something, as short as it was found. */
export interface Hole {
  /** What lines with the same fault have in common. */
  readonly kind: string;
  readonly line: string;
  readonly effect: string;
  readonly context: string;
}

export interface Exploration {
  lines: number;
  /** Effects on files of the fixture. */
  effects: number;
  /** Lines of which not all could be told. */
  unknown: number;
  /** Lines that run without any rule and without a question, by mode. */
  readonly allowed: Record<FreeMode, number>;
  /** Lines that were stopped because nothing happened any more. */
  stopped: number;
  /** Lines that changed the fixture although the trace told nothing of it: the trace was not read well. */
  readonly untraced: string[];
  /** By kind, the shortest line of each. */
  readonly holes: Map<string, Hole>;
}

export interface Place {
  readonly fixture: Fixture;
  readonly shell: TracedShell;
  close(): Promise<void>;
}

/**
 * A fixture of its own with a shell to run lines in.
 * @param isHostile with files that do harm if a program runs or loads them
 */
export function openPlace(isHostile = false): Place {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'tw-effects-')));
  const root = path.join(base, 'r');
  mkdirSync(root);
  const fixture = isHostile ? makeFixture(root, HOSTILE_FILES, HOSTILE_STEPS) : makeFixture(root);
  const shell = openTracedShell(fixture, path.join(base, 'control'));
  return {
    fixture,
    shell,
    close: async () => {
      await shell.close();
      removeTree(base);
    },
  };
}

export interface Tried {
  readonly unknown: string | null;
  readonly allowed: readonly FreeMode[];
  readonly effects: readonly Effect[];
  readonly hidden: readonly Unreported[];
  readonly isStopped: boolean;
  /** Changed, and told by no effect. */
  readonly untraced: readonly string[];
}

/** One line, in the fixture as it is at its start, which is as it was afterwards. */
export async function tryLine(text: string, { fixture, shell }: Place): Promise<Tried> {
  const line = text.replaceAll('@R', fixture.root);
  const report = await reportOf(line, fixture);
  const allowed = await freeModes(report, fixture);
  const trace = await shell.run(line);
  const traced = trace === null ? { effects: [], beyond: [] } : readEffects(trace, fixture);
  const { effects } = traced;
  const touched = effects.filter(({ kind }) => kind === 'write' || kind === 'remove').map((effect) => effect.path);
  // Calls that take a path go through a link that the line itself made.
  const led = new Set(touched.map(whereItLeads));
  const mayHaveChanged = trace === null || touched.length > 0;
  const changed = mayHaveChanged ? fixture.restore() : [];
  // What is written to one name of a file is written to the other.
  const twins = ['b.txt', 'hard.txt'].map((name) => path.join(fixture.workspace, name));
  if (touched.some((at) => twins.includes(at))) touched.push(...twins);
  const isTold = (at: string): boolean =>
    led.has(at) || touched.some((each) => at === each || at.startsWith(`${each}/`));
  // What nobody was asked about is the worse of two faults.
  const unasked = unaskedOf(report, allowed, traced, fixture);
  const isOther = ({ effect }: Unreported) => unasked.every((each) => each.effect !== effect);
  return {
    unknown: report.unknown,
    allowed,
    effects,
    hidden: [...unasked, ...(await unreportedOf(report, effects, fixture)).filter(isOther)],
    isStopped: trace === null,
    untraced: trace === null ? [] : changed.filter((at) => !isTold(at)),
  };
}

/** Where a path leads now; itself if nothing stands there. */
function whereItLeads(at: string): string {
  try {
    return realpathSync(at);
  } catch {
    // Gone, or a circle of links.
    return at;
  }
}

export interface ExploreSize {
  readonly count: number;
  readonly seed: number;
  readonly shells?: number;
  /** It ends after this time, with fewer lines. Default: no end. */
  readonly forMs?: number;
  /** Only lines that run without any rule and without a question are run, among files that do harm. Default false. */
  readonly areUnasked?: boolean;
}

/** @param makeLine may be called any number of times, for the line of that place; lines are tried by several shells at once */
export async function explore(
  { count, seed, shells = 2, forMs = Number.POSITIVE_INFINITY, areUnasked = false }: ExploreSize,
  makeLine: (random: ReturnType<typeof createRandom>, at: number) => string,
  found: (hole: Hole, tried: Tried, place: Place) => Promise<Hole> = async (hole) => hole,
): Promise<Exploration> {
  const allowed = Object.fromEntries(FREE_MODES.map((mode) => [mode, 0])) as Record<FreeMode, number>;
  const totals: Exploration = { lines: 0, effects: 0, unknown: 0, allowed, stopped: 0, untraced: [], holes: new Map() };
  const tell = progress(count, totals);
  const end = performance.now() + forMs;
  let next = 0;
  const work = async (): Promise<void> => {
    const place = openPlace(areUnasked);
    try {
      for (let at = next++; at < count && performance.now() < end; at = next++) {
        // Each line is the same whichever shell takes it.
        const line = makeLine(createRandom(seed * 1_000_003 + at), at);
        if (areUnasked && !(await isUnasked(line, place))) {
          totals.lines++;
          tell.line();
          continue;
        }
        for (const hole of await take(line, place, totals, found)) tell.hole(hole);
        tell.line();
      }
    } finally {
      await place.close();
    }
  };
  await Promise.all(Array.from({ length: shells }, work));
  return totals;
}

async function isUnasked(line: string, { fixture }: Place): Promise<boolean> {
  const report = await reportOf(line.replaceAll('@R', fixture.root), fixture);
  return (await freeModes(report, fixture)).length > 0;
}

/** Lines after which a long exploration says how far it is. */
const TELL_EVERY = 5_000;

/** A long exploration says what it finds when it finds it, so that one which is stopped was not for nothing. */
function progress(count: number, totals: Exploration): { line(): void; hole(hole: Hole): void } {
  const start = performance.now();
  return {
    line() {
      if (totals.lines % TELL_EVERY !== 0) return;
      const speed = Math.round((1_000 * totals.lines) / (performance.now() - start));
      process.stderr.write(
        `${totals.lines} of ${count} lines, ${speed} a second, ${totals.stopped} stopped, ${totals.holes.size} kinds of holes\n`,
      );
    },
    hole({ kind, line, effect, context }) {
      if (count >= TELL_EVERY) process.stderr.write(`${kind}\n  ${line}\n  ${effect}; ${context}\n`);
    },
  };
}

async function take(
  line: string,
  place: Place,
  totals: Exploration,
  found: (hole: Hole, tried: Tried, place: Place) => Promise<Hole>,
): Promise<readonly Hole[]> {
  const fresh: Hole[] = [];
  const tried = await tryLine(line, place);
  totals.lines++;
  totals.effects += tried.effects.length;
  if (tried.unknown !== null) totals.unknown++;
  for (const mode of tried.allowed) totals.allowed[mode]++;
  if (tried.isStopped) totals.stopped++;
  if (tried.untraced.length > 0) {
    // A program of the line before may have been late: what this line does, it does again.
    const again = new Set((await tryLine(line, place)).untraced);
    const left = tried.untraced.filter((at) => again.has(at));
    if (left.length > 0) totals.untraced.push(`${line}: ${left.join(', ')}`);
  }
  for (const each of tried.hidden) {
    // Who reads files of a folder lists it: one fault.
    const isPart =
      each.effect.kind === 'list' && tried.hidden.some(({ effect, why }) => effect.kind === 'read' && why === each.why);
    if (isPart) continue;
    const hole = await found(holeOf(line, each, place.fixture), tried, place);
    const known = totals.holes.get(hole.kind);
    if (known === undefined) fresh.push(hole);
    if (known === undefined || hole.line.length < known.line.length) totals.holes.set(hole.kind, hole);
  }
  return fresh;
}

/** What makes two holes the same: the program, what it did, and where that was hidden. */
export function holeOf(line: string, { effect, why, context }: Unreported, { root }: Fixture): Hole {
  const short = effect.path.replace(root, '@R');
  const program = effect.by.program.replace(/^git-.*/, 'git');
  return { kind: `${program} ${effect.kind} (${why})`, line, effect: `${effect.kind} ${short}`, context };
}
