// Calls of chance through the real engine in each mode and with several rules, and the fixture compared byte for byte
// before and after.
//
// What must hold if nobody can be asked. In every mode: no protected file of the workspace changes, nothing that a rule
// denies or asks about changes or shows in a result. In every mode but `bypassPermissions`, and in that too if settings
// say so: nothing outside of the workspace changes, and none of its content shows in a result. In mode `plan`: nothing
// changes at all. Git changes its own folder if a call starts git, but not its hooks. In `bypassPermissions` only calls of
// which all can be told are made: a guard knows nothing of the others, and who takes this mode wants no questions. What
// configures a folder goes with it: it is no change of a protected file if all of the folder is removed.
import { type BigIntStats, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { protectedPart } from '../../../../src/permissions/paths.js';
import { createRandom, type Random } from '../random.js';
import { howKnown } from '../shell-effects/description.js';
import { type Fixture, makeFixture } from '../shell-effects/fixture.js';
import { HIDDEN } from '../shell-effects/fixture-files.js';
import { reportOf } from '../shell-effects/judge.js';
import { createLineMaker } from '../shell-effects/lines.js';
import { removeTree } from '../shell-effects/remove-tree.js';
import { fileWord, fill } from '../shell-effects/words.js';
import { carryingLine, FOLDERS } from './carried.js';
import { type Batch, type EngineCall, type EngineProcess, openEngine, WAYS } from './engine-process.js';

export interface Breach {
  readonly mode: string;
  readonly way: string;
  readonly rules: string;
  readonly call: string;
  /** What changed or was shown. */
  readonly what: string;
}

export interface Compared {
  calls: number;
  /** Calls that were made and not refused. */
  made: number;
  /** The same for each way in which calls reach the engine. */
  readonly madeBy: Map<string, number>;
  readonly breaches: Breach[];
  /** Prompts that did not come to their end. */
  readonly faults: string[];
}

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions'];
const BATCH = 10;

/** Stands in files outside of the workspace, and in none within. */
const OUTSIDE = 'CANARY';
/** In names of files outside of the workspace, and in no call. */
const UNSEEN = 'UNSEEN';
/** Stands in the files of a folder that some rules add to the workspace. */
const ADDED = 'MORE';

const GLOBS = [
  '**/*',
  '*',
  '.*',
  '../**/*.txt',
  '../outside/*',
  '**/../../outside/**',
  'dir-out/**',
  '{a,../outside/*}',
  '@R/outside/*',
];

/** What calls look for: a result that repeats the words of its call shows nothing. */
const SEARCHED = [OUTSIDE, HIDDEN, ADDED].map((mark) => mark.slice(0, -1));

interface Rules extends Pick<Batch, 'allow' | 'deny' | 'ask' | 'confines' | 'folders'> {
  readonly name: string;
  /** Stands in the files that may not be read; null: there are none. */
  readonly hidden: string | null;
  /** Files, below the workspace, that may not be changed. */
  readonly kept: RegExp | null;
}

export async function compareEffects(count: number, seed: number): Promise<Compared> {
  const totals: Compared = { calls: 0, made: 0, madeBy: new Map(), breaches: [], faults: [] };
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'tw-engine-')));
  const root = path.join(base, 'r');
  mkdirSync(root);
  const fixture = makeFixture(root, FOLDERS);
  const engine = openEngine(fixture);
  const random = createRandom(seed);
  const makeCall = callMaker(fixture);
  const sets = ruleSets(fixture);
  try {
    for (let at = 0; totals.calls < count; at++) {
      const mode = MODES[at % MODES.length] as string;
      const rules = sets[Math.floor(at / MODES.length) % sets.length] as Rules;
      const way = random.chance(0.6) ? 'direct' : random.pick(WAYS);
      const calls: EngineCall[] = [];
      while (calls.length < BATCH) {
        const made = makeCall(random);
        if (mode !== 'bypassPermissions' || (await isTold(made, fixture))) calls.push(...made);
      }
      await runBatch({ calls, mode, way, ...rules }, rules, { engine, fixture, totals });
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
  totals.madeBy.set(batch.way, (totals.madeBy.get(batch.way) ?? 0) + found.made);
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
  { mode, way }: Batch,
  { name }: Rules,
  calls: readonly EngineCall[],
  what: readonly string[],
  { root }: Fixture,
): Breach {
  const call = calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`).join(' then ');
  const told = [...what.slice(0, MAX_TOLD), ...(what.length > MAX_TOLD ? [`${what.length} in all`] : [])].join(', ');
  return { mode, way, rules: name, call: call.replaceAll(root, '@R'), what: told.replaceAll(root, '@R') };
}

async function breachesOf(batch: Batch, rules: Rules, engine: EngineProcess, fixture: Fixture) {
  const before = new Map(homesOf(fixture).map((home) => [home, stampOf(home)]));
  const { results, fault } = await engine.run(batch);
  const gone = [...before].flatMap(([home, stamp]) => (isSame(home, stamp) ? [] : home));
  const changed = fixture.restore();
  const what: string[] = [];
  const says = (words: RegExp) => batch.calls.some(({ input }) => words.test(String(input['command'] ?? '')));
  const git = {
    isUsed: says(/\bgit\b/),
    makes: says(/\bgit\b.*\b(?:clone|init|worktree|submodule)\b/s),
    takes: says(/\bgit\b.*\bstash\b/s),
  };
  for (const at of changed) {
    const why = wrongChange(at, batch, rules, fixture, { git, gone });
    if (why !== null) what.push(`${at} (${why})`);
  }
  const shown = results.map(({ text }) => text).join('\n');
  if (isConfined(batch) && shown.includes(UNSEEN)) what.push('a name from outside was shown');
  if (isConfined(batch) && (shown.includes(OUTSIDE) || (batch.folders.length === 0 && shown.includes(ADDED))))
    what.push('content from outside was shown');
  if (rules.hidden !== null && shown.includes(rules.hidden)) what.push('content that a rule keeps was shown');
  return { what, fault, made: results.filter(({ isError }) => !isError).length };
}

/** Folders below the workspace that hold protected files, and are not the workspace. */
function homesOf({ kinds, workspace }: Fixture): readonly string[] {
  const homes = new Set<string>();
  for (const at of kinds.keys()) {
    const home = homeOf(at, workspace);
    if (home !== null && home !== workspace) homes.add(home);
  }
  return [...homes];
}

/** The folder that a protected file or what lies in a protected folder speaks for. */
function homeOf(at: string, workspace: string): string | null {
  const part = at.startsWith(`${workspace}/`) ? protectedPart([workspace], at) : null;
  if (part === null) return null;
  const depth = part.split('/').length;
  const names = at.slice(workspace.length + 1).split('/');
  for (let end = depth; end <= names.length; end++)
    if (
      names
        .slice(end - depth, end)
        .join('/')
        .toLowerCase() === part
    )
      return path.join(workspace, ...names.slice(0, end - depth));
  return null;
}

function stampOf(at: string): BigIntStats | undefined {
  return lstatSync(at, { bigint: true, throwIfNoEntry: false });
}

/** True if the folder is still that one, and something is left in it. */
function isSame(folder: string, stamp: BigIntStats | undefined): boolean {
  return stampOf(folder)?.ino === stamp?.ino && readdirSync(folder).length > 0;
}

interface Happened {
  /** Whether git was used, for making a repository, and for taking away what it can bring back. */
  readonly git: { readonly isUsed: boolean; readonly makes: boolean; readonly takes: boolean };
  /** Folders that hold protected files and were removed or emptied, or others stand in their place. */
  readonly gone: readonly string[];
}

/** True if what lies outside of the workspace is none of a call's business. */
function isConfined({ mode, confines }: Pick<Batch, 'mode' | 'confines'>): boolean {
  return mode !== 'bypassPermissions' || confines;
}

/** Why the path must not have changed, or null. */
function wrongChange(
  at: string,
  { mode, confines, folders }: Batch,
  rules: Rules,
  { workspace, kinds }: Fixture,
  { git, gone }: Happened,
): string | null {
  const root = [workspace, ...folders].find((folder) => at === folder || at.startsWith(`${folder}/`));
  const isInside = root !== undefined;
  const below = path.relative(workspace, at);
  // What git puts into a folder that it makes somebody committed.
  const isCommitted = git.makes && !kinds.has(at);
  if (isInside && !isCommitted && rules.kept?.test(below) === true) return 'a rule keeps it';
  if (mode === 'plan') return git.isUsed && /^\.git(?:\/|$)/.test(below) ? null : 'the mode changes nothing';
  if (!isInside) return isConfined({ mode, confines }) ? 'outside' : null;
  // What git itself keeps in the repository of the workspace, or in one that it makes below (`git init folder`).
  if ((git.isUsed && /^\.git(?:\/|$)/.test(below)) || (git.makes && /\/\.git(?:\/|$)/.test(below)))
    return /(?:^|\/)\.git\/hooks\/(?!.*\.sample$)./.test(below) ? 'hooks' : null;
  if (protectedPart([root], at) === null) return null;
  if (git.takes && kinds.has(at)) return null;
  return kinds.has(at) && gone.includes(homeOf(at, workspace) ?? '') ? null : 'protected';
}

/** Programs of which all can be told may be allowed: what scripts do is theirs. */
function ruleSets({ root }: Fixture): readonly Rules[] {
  const { programs } = createLineMaker();
  const told = programs.filter((name) => howKnown(name) === 'told').map((name) => `Bash(${name}:*)`);
  const none = { allow: [], deny: [], ask: [], confines: false, folders: [], hidden: null, kept: null };
  const kept = ['Read(./.env)', 'Read(sub/**)', 'Edit(docs/**)', 'Edit(numbers.txt)'];
  const keeps = { hidden: HIDDEN, kept: /(?:^|\/)docs\/.|(?:^|\/)numbers\.txt$/ };
  return [
    { ...none, name: 'none' },
    { ...none, name: 'programs', allow: told },
    { ...none, name: 'edits', allow: ['Edit(/src/**)', 'Read(//usr/**)', ...told], deny: ['Bash(rm:*)'] },
    { ...none, ...keeps, name: 'denials', allow: told, deny: kept },
    { ...none, ...keeps, name: 'asks', allow: told, ask: kept },
    { ...none, name: 'confines', allow: [...told, 'Read', 'Edit'], confines: true },
    { ...none, ...keeps, name: 'folders', allow: told, deny: kept, folders: [path.join(root, 'more')] },
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
    if (random.chance(0.06))
      return `${fixture.root}/${random.pick(['more/x.txt', 'more/new1', 'more/.npmrc', 'more'])}`;
    const word = real(random.chance(0.8) ? fileWord(random) : fill('{n}', random)).replaceAll(/["'\\]/g, '');
    return path.isAbsolute(word) || word.startsWith('~') ? word : `${fixture.workspace}/${word}`;
  };
  return (random) => {
    const what = random.next();
    const target = file(random);
    if (what < 0.15) return [{ tool: 'Bash', input: { command: real(carryingLine(random)), timeout: 5_000 } }];
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
    if (what < 0.9) return [{ tool: 'Glob', input: { pattern: real(random.pick(GLOBS)), path: target } }];
    if (what < 0.97)
      return [
        {
          tool: 'Grep',
          input: {
            pattern: random.pick(['.', 'o', ...SEARCHED]),
            path: target,
            output_mode: random.pick(['content', 'count', 'files_with_matches']),
            ...(random.chance(0.3) ? { glob: real(random.pick([...GLOBS, '{.env,*.txt}', 's*/**'])) } : {}),
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
