// Calls of chance through the real engine in each mode and with several rules, and the fixture compared byte for byte
// before and after.
//
// What must hold if nobody can be asked. In every mode: no protected file of the workspace changes, nothing that a rule
// denies changes or shows in a result. In every mode but `bypassPermissions`: nothing outside of the workspace changes, and
// none of its content shows in a result. In mode `plan`: nothing changes at all. Git changes its own folder if a call
// starts git, but not its hooks. In `bypassPermissions` only calls of which all can be told are made: a guard knows
// nothing of the others, and who takes this mode wants no questions.
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { protectedPart } from '../../../../src/permissions/paths.js';
import { createRandom, type Random } from '../random.js';
import { howKnown } from '../shell-effects/description.js';
import { type Fixture, makeFixture } from '../shell-effects/fixture.js';
import { reportOf } from '../shell-effects/judge.js';
import { createLineMaker } from '../shell-effects/lines.js';
import { removeTree } from '../shell-effects/remove-tree.js';
import { fileWord, fill } from '../shell-effects/words.js';
import { type Batch, type EngineCall, type EngineProcess, openEngine } from './engine-process.js';

export interface Breach {
  readonly mode: string;
  readonly rules: string;
  readonly call: string;
  /** What changed or was shown. */
  readonly what: string;
}

export interface Compared {
  calls: number;
  /** Calls that were made and not refused. */
  made: number;
  readonly breaches: Breach[];
  /** Prompts that did not come to their end. */
  readonly faults: string[];
}

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
const BATCH = 10;

/** Stands in files outside of the workspace, and in none within. */
const OUTSIDE = 'CANARY';

/** What calls look for: a result that repeats the words of its call shows nothing. */
const SEARCHED = ['CANAR', 'HIDDE'];

interface Rules {
  readonly name: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Stands in the files that may not be read; null: there are none. */
  readonly hidden: string | null;
  /** Files, below the workspace, that may not be changed. */
  readonly kept: RegExp | null;
}

export async function compareEffects(count: number, seed: number): Promise<Compared> {
  const totals: Compared = { calls: 0, made: 0, breaches: [], faults: [] };
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'tw-engine-')));
  const root = path.join(base, 'r');
  mkdirSync(root);
  const fixture = makeFixture(root);
  const engine = openEngine(fixture);
  const random = createRandom(seed);
  const makeCall = callMaker(fixture);
  const sets = ruleSets();
  try {
    for (let at = 0; totals.calls < count; at++) {
      const mode = MODES[at % MODES.length] as string;
      const rules = sets[Math.floor(at / MODES.length) % sets.length] as Rules;
      const calls: EngineCall[] = [];
      while (calls.length < BATCH) {
        const made = makeCall(random);
        if (mode !== 'bypassPermissions' || (await isTold(made, fixture))) calls.push(...made);
      }
      await runBatch({ calls, mode, ...rules }, rules, { engine, fixture, totals });
    }
  } finally {
    engine.close();
    removeTree(base);
  }
  return totals;
}

interface Running {
  readonly engine: EngineProcess;
  readonly fixture: Fixture;
  readonly totals: Compared;
}

async function runBatch(batch: Batch, rules: Rules, { engine, fixture, totals }: Running): Promise<void> {
  const found = await breachesOf(batch, rules, engine, fixture);
  totals.calls += batch.calls.length;
  totals.made += found.made;
  if (found.fault !== null) totals.faults.push(found.fault);
  if (found.what.length === 0) return;
  // Which of the calls it was: each again, by itself.
  const alone: Breach[] = [];
  for (const call of batch.calls) {
    const { what } = await breachesOf({ ...batch, calls: [call] }, rules, engine, fixture);
    if (what.length > 0) alone.push(breach(batch, rules, [call], what, fixture));
  }
  totals.breaches.push(...(alone.length > 0 ? alone : [breach(batch, rules, batch.calls, found.what, fixture)]));
}

/** Changes of one call that are told. */
const MAX_TOLD = 3;

function breach(
  { mode }: Batch,
  { name }: Rules,
  calls: readonly EngineCall[],
  what: readonly string[],
  { root }: Fixture,
): Breach {
  const call = calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`).join(' then ');
  const told = [...what.slice(0, MAX_TOLD), ...(what.length > MAX_TOLD ? [`${what.length} in all`] : [])].join(', ');
  return { mode, rules: name, call: call.replaceAll(root, '@R'), what: told.replaceAll(root, '@R') };
}

async function breachesOf(batch: Batch, rules: Rules, engine: EngineProcess, fixture: Fixture) {
  const { results, fault } = await engine.run({ ...batch, allow: rules.allow, deny: rules.deny });
  const changed = fixture.restore();
  const what: string[] = [];
  const usesGit = batch.calls.some(({ input }) => /\bgit\b/.test(String(input['command'] ?? '')));
  for (const at of changed) {
    const why = wrongChange(at, batch.mode, rules, fixture, usesGit);
    if (why !== null) what.push(`${at} (${why})`);
  }
  const shown = results.map(({ text }) => text).join('\n');
  if (batch.mode !== 'bypassPermissions' && shown.includes(OUTSIDE)) what.push('content from outside was shown');
  if (rules.hidden !== null && shown.includes(rules.hidden)) what.push('content that a rule denies was shown');
  return { what, fault, made: results.filter(({ isError }) => !isError).length };
}

/** Why the path must not have changed, or null. */
function wrongChange(at: string, mode: string, rules: Rules, { workspace }: Fixture, usesGit: boolean): string | null {
  const isInside = at.startsWith(`${workspace}/`);
  const below = path.relative(workspace, at);
  if (isInside && rules.kept?.test(below) === true) return 'a rule denies it';
  if (mode === 'plan') return usesGit && below.startsWith('.git/') ? null : 'the mode changes nothing';
  if (!isInside) return mode === 'bypassPermissions' ? null : 'outside';
  // What git itself keeps in a repository: of the workspace, or one that it makes below (`git init folder`).
  if (usesGit && (below.startsWith('.git') || /\/\.git(?:\/|$)/.test(below)))
    return /(?:^|\/)\.git\/hooks\/(?!.*\.sample$)./.test(below) ? 'hooks' : null;
  return protectedPart([workspace], at) === null ? null : 'protected';
}

/** Programs of which all can be told may be allowed: what scripts do is theirs. */
function ruleSets(): readonly Rules[] {
  const { programs } = createLineMaker();
  const told = programs.filter((name) => howKnown(name) === 'told').map((name) => `Bash(${name}:*)`);
  const nothing = { hidden: null, kept: null };
  return [
    { name: 'none', allow: [], deny: [], ...nothing },
    { name: 'programs', allow: told, deny: [], ...nothing },
    { name: 'edits', allow: ['Edit(/src/**)', 'Read(//usr/**)', ...told], deny: ['Bash(rm:*)'], ...nothing },
    {
      name: 'denials',
      allow: told,
      deny: ['Read(./.env)', 'Read(sub/**)', 'Edit(docs/**)', 'Edit(numbers.txt)'],
      hidden: 'HIDDEN',
      kept: /^(?:docs\/.|numbers\.txt$)/,
    },
  ];
}

async function isTold(calls: readonly EngineCall[], fixture: Fixture): Promise<boolean> {
  for (const { tool, input } of calls) {
    if (tool !== 'Bash') continue;
    const { unknown, subject } = await reportOf(String(input['command']), fixture);
    const runs = subject.reading?.programs ?? [];
    if (unknown !== null || runs.some(({ name }) => name === null || howKnown(name) !== 'told')) return false;
  }
  return true;
}

/** One call, or several that belong together. */
function callMaker(fixture: Fixture): (random: Random) => readonly EngineCall[] {
  const maker = createLineMaker();
  const real = (text: string): string => text.replaceAll('@R', fixture.root);
  const file = (random: Random): string => {
    const word = real(random.chance(0.8) ? fileWord(random) : fill('{n}', random)).replaceAll(/["'\\]/g, '');
    return path.isAbsolute(word) || word.startsWith('~') ? word : `${fixture.workspace}/${word}`;
  };
  return (random) => {
    const what = random.next();
    const target = file(random);
    if (what < 0.55) return [{ tool: 'Bash', input: { command: real(maker.line(random)), timeout: 5_000 } }];
    if (what < 0.67) return [{ tool: 'Read', input: { file_path: target } }];
    if (what < 0.74) return [{ tool: 'Write', input: { file_path: target, content: 'written\n' } }];
    if (what < 0.84)
      return [
        { tool: 'Read', input: { file_path: target } },
        {
          tool: 'Edit',
          input: { file_path: target, old_string: random.pick(['a', 'o', ...SEARCHED]), new_string: 'Z' },
        },
      ];
    if (what < 0.9)
      return [{ tool: 'Glob', input: { pattern: random.pick(['**/*', '*', '.*', '../**/*.txt']), path: target } }];
    if (what < 0.97)
      return [
        {
          tool: 'Grep',
          input: {
            pattern: random.pick(['.', 'o', ...SEARCHED]),
            path: target,
            output_mode: random.pick(['content', 'count']),
          },
        },
      ];
    const notebook = random.pick(['book.ipynb', '../outside/book.ipynb', 'dir-out/book.ipynb']);
    const input = { notebook_path: `${fixture.workspace}/${notebook}`, cell_id: 'c1', new_source: 'y' };
    return [
      { tool: 'Read', input: { file_path: input.notebook_path } },
      { tool: 'NotebookEdit', input },
    ];
  };
}
