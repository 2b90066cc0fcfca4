// Random sessions in which an agent and a user work on the same folder, and are set back. What must come out is worked
// out from full pictures of the folder around each call, which the checkpoints never see.
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import {
  bash,
  type Call,
  edit,
  editCell,
  freshFolder,
  type RewindSession,
  rewindSession,
  shell,
  snapshot,
  write,
} from '../checkpoints.js';
import { createRandom, type Random } from './random.js';

type Picture = Readonly<Record<string, string>>;

/** A call of the agent, or a rewind, between two pictures. */
interface Moment {
  /** Prompts that were begun by then. */
  readonly prompts: number;
  readonly before: Picture;
  readonly after: Picture;
}

/** The prompts of the conversation, and of what it was before each of them. */
interface Talk {
  now: readonly number[];
  readonly before: Map<number, readonly number[]>;
}

export interface RewindFigures {
  sessions: number;
  calls: number;
  /** Of these, cells of notebooks changed. */
  cells: number;
  rewinds: number;
  /** Of these, with the conversation. */
  conversations: number;
  restarts: number;
  /** Files, links and folders that were set back. */
  restored: number;
  /** Changes of the user that were left alone and reported. */
  conflicts: number;
  /** Paths that were not what they had to be, or not reported. */
  readonly wrong: string[];
  /** Bytes of the different contents that calls of the agent changed or removed. */
  changedBytes: number;
  /** Bytes of what is kept, and of the journal, before any rewind. */
  keptBytes: number;
  journalBytes: number;
}

/** @param least  how many sessions; if one of the cases came up in none of them, more follow, up to eight times as many */
export async function checkRewinds(least: number, seed: number): Promise<RewindFigures> {
  const figures: RewindFigures = {
    sessions: 0,
    calls: 0,
    cells: 0,
    rewinds: 0,
    conversations: 0,
    restarts: 0,
    restored: 0,
    conflicts: 0,
    wrong: [],
    changedBytes: 0,
    keptBytes: 0,
    journalBytes: 0,
  };
  const hadAllCases = (): boolean => figures.cells > 0 && figures.restored > 0 && figures.conflicts > 0;
  for (let session = 0; session < least || (session < 8 * least && !hadAllCases()); session++) {
    const random = createRandom(seed * 15_485_863 + session);
    await playSession(random, createRandom(seed * 32_452_843 + session), figures).catch((cause: unknown) => {
      throw new Error(`Session ${session} of seed ${seed} failed: ${String(cause)}`, { cause });
    });
    figures.sessions++;
  }
  return figures;
}

async function playSession(random: Random, choice: Random, figures: RewindFigures): Promise<void> {
  const folder = freshFolder();
  furnish(folder, random);
  let session = rewindSession({ folder });
  const moments: Moment[] = [];
  const talk: Talk = { now: [], before: new Map() };
  let prompts = 0;
  const work = async (): Promise<void> => {
    for (let wanted = random.int(2, 4); wanted > 0; wanted--) {
      talk.before.set(++prompts, talk.now);
      talk.now = [...talk.now, prompts];
      await playPrompt(session, prompts, moments, random, figures);
      checkTalk(session, talk, figures);
      userEdits(folder, random);
      if (!random.chance(0.25)) continue;
      session = await session.restart();
      checkTalk(session, talk, figures);
      figures.restarts++;
    }
  };
  await work();
  session = await session.restart();
  measureStore(session, moments, figures);
  for (let rewinds = random.int(1, 3); rewinds > 0; rewinds--) {
    const target = random.int(1, prompts);
    const isBoth = choice.chance(0.5);
    await checkRewind(session, { target, isBoth }, prompts, moments, figures);
    if (isBoth) talk.now = talk.before.get(target) ?? [];
    if (isBoth && choice.chance(0.5)) session = await session.restart();
    checkTalk(session, talk, figures);
    if (random.chance(0.4)) await work();
  }
  figures.calls += moments.length;
  await session.engine.close();
  shell(folder, 'chmod -R u+rwX .');
  rmSync(folder, { recursive: true, force: true });
  rmSync(session.home, { recursive: true, force: true });
}

/** The conversation has the prompts of its branch and no others, whatever was set back. */
function checkTalk({ engine, folder }: RewindSession, { now }: Talk, figures: RewindFigures): void {
  const said = engine
    .getMessages()
    .flatMap(({ message: { content } }) => (typeof content === 'string' ? [content] : []));
  const wanted = now.map((number) => `prompt p${number}`);
  if (said.join() !== wanted.join())
    figures.wrong.push(`${folder}: the conversation has ${said.join()}, not ${wanted.join()}`);
}

function furnish(folder: string, random: Random): void {
  shell(folder, 'mkdir -p src/inner docs empty node_modules/dep; echo x > node_modules/dep/index.js; git init -q .');
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(path.join(folder, 'src', `${name}.txt`), contentOf(random));
  for (const name of ['e', 'f']) writeFileSync(path.join(folder, 'src/inner', name), contentOf(random));
  writeFileSync(path.join(folder, 'docs/g.md'), contentOf(random));
  for (const name of ['src/h.ipynb', 'docs/i.ipynb']) writeFileSync(path.join(folder, name), notebookOf(random));
  shell(
    folder,
    'ln -s src/a.txt link; chmod 755 src/b.txt; git add -A; git -c user.name=n -c user.email=e@e commit -qm 1',
  );
}

function notebookOf(random: Random): string {
  const cells = Array.from({ length: 3 }, (_, index) => ({
    cell_type: index === 0 ? 'markdown' : 'code',
    id: `cell-${index}`,
    metadata: {},
    source: contentOf(random).split(/(?<=\n)/),
    ...(index === 0 ? {} : { execution_count: null, outputs: [] }),
  }));
  return `${JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, random.pick([1, 2]))}\n`;
}

function contentOf(random: Random): string {
  const lines = random.chance(0.2) ? random.int(500, 3_000) : random.int(0, 60);
  const word = () => Math.floor(random.next() * 1e9).toString(36);
  return Array.from({ length: lines }, (_, line) => `${line} ${word()} ${word()}\n`).join('');
}

async function playPrompt(
  session: RewindSession,
  prompts: number,
  moments: Moment[],
  random: Random,
  figures: RewindFigures,
): Promise<void> {
  const { folder } = session;
  let left = random.int(1, 4);
  let before: Picture | null = null;
  let cell: Call | null = null;
  let isCell = false;
  await session.promptWith(`p${prompts}`, () => {
    if (before !== null) {
      const after = picture(folder);
      moments.push({ prompts, before, after });
      if (isCell && namesOf(before, after).some((name) => before?.[name] !== after[name])) figures.cells++;
    }
    before = null;
    isCell = cell !== null;
    if (cell !== null) {
      const call = cell;
      cell = null;
      before = picture(folder);
      return call;
    }
    if (left-- === 0) return null;
    // The user works on while the agent thinks.
    if (random.chance(0.3)) userEdits(folder, random);
    const call = agentCall(folder, random);
    if (call[0] === 'NotebookEdit') {
      // Nobody changes a notebook that they have not seen.
      cell = call;
      return ['Read', { file_path: call[1]['notebook_path'] }];
    }
    before = picture(folder);
    return call;
  });
}

/** Without what no checkpoint covers. */
function picture(folder: string): Picture {
  const isCovered = (name: string) => !/^(\.git|node_modules)(\/|$)/.test(name);
  return Object.fromEntries(Object.entries(snapshot(folder)).filter(([name]) => isCovered(name)));
}

function agentCall(folder: string, random: Random): Call {
  const files = pathsOf(folder, 'file');
  const folders = pathsOf(folder, 'folder');
  const file = random.pick(files.length > 0 ? files : ['src/a.txt']);
  const inFolder = random.pick(folders.length > 0 ? folders : ['.']);
  const fresh = `made-${Math.floor(random.next() * 1e6).toString(36)}`;
  const firstLine = firstLineOf(path.join(folder, file));
  const books = files.filter((name) => name.endsWith('.ipynb'));
  const book = random.pick(books.length > 0 ? books : ['src/h.ipynb']);
  const cell = `cell-${random.int(0, 2)}`;
  const calls: readonly (() => Call)[] = [
    () => write(file, contentOf(random)),
    () => write(path.join(inFolder, fresh, 'deep', 'new.txt'), contentOf(random)),
    () => write(path.join(inFolder, fresh), contentOf(random)),
    () => (firstLine === '' ? write(file, 'was empty\n') : edit(file, firstLine, `${firstLine} edited`)),
    () => (firstLine === '' ? write(file, 'was empty\n') : edit(file, firstLine, `changed ${fresh}`)),
    () => editCell(book, { cell_id: cell, new_source: contentOf(random) }),
    () => editCell(book, { cell_id: cell, new_source: `${fresh}\n`, edit_mode: 'insert', cell_type: 'code' }),
    () => editCell(book, { cell_id: cell, new_source: '', edit_mode: 'delete' }),
    () => bash(`mv '${file}' '${inFolder}/${fresh}'`),
    () => bash(`mv '${inFolder}' '${fresh}' 2>/dev/null; echo moved`),
    () => bash(`rm -f '${file}'`),
    () => bash(`rm -rf '${inFolder}'`),
    () => bash(`chmod ${random.pick(['600', '755', '444', '644'])} '${file}'`),
    () => bash(`chmod ${random.pick(['700', '755', '555'])} '${inFolder}'`),
    () => bash(`ln -sfn '${file}' '${inFolder}/${fresh}'; ln -sfn docs link`),
    () =>
      bash(
        `mkdir -p '${inFolder}/${fresh}/gen' && for i in 1 2 3 4; do seq $i 40 > '${inFolder}/${fresh}/gen/'$i; done`,
      ),
    () => bash(`echo appended >> '${file}'; sed -i 's/1/9/g' src/*.txt 2>/dev/null; touch src`),
    () => bash(`cp '${file}' '${file}.bak'; rm -f '${file}'; mkdir '${file}'; echo in > '${file}/in'`),
    () =>
      bash(
        `find . -name '*.txt' -not -path './.git/*' | head -3 | xargs -r -n1 sh -c 'echo "// header" | cat - "$0" > t && mv t "$0"'`,
      ),
    () => bash(`git add -A; git -c user.name=n -c user.email=e@e commit -qm '${fresh}'; git status --short`),
    () => bash(`git stash -q; echo stashed; ls`),
    () => bash('rm -rf src docs; mkdir src; echo anew > src/a.txt'),
    () => bash('ls -la; cat src/a.txt; exit 3'),
  ];
  return random.pick(calls)();
}

function userEdits(folder: string, random: Random): void {
  for (let edits = random.int(0, 2); edits > 0; edits--) {
    try {
      userEdit(folder, random);
    } catch (error) {
      // What an ordinary user may not change stays as it is.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    }
  }
}

function userEdit(folder: string, random: Random): void {
  const files = pathsOf(folder, 'file');
  const folders = pathsOf(folder, 'folder');
  const kind = random.int(0, 5);
  const name = files.length > 0 ? path.join(folder, random.pick(files)) : null;
  if (kind <= 1 && name !== null) writeFileSync(name, `the user's ${random.next()}\n`);
  if (kind === 2 && name !== null) rmSync(name);
  if (kind === 3 && folders.length > 0) {
    writeFileSync(path.join(folder, random.pick(folders), `user-${random.int(1, 9)}.txt`), `${random.next()}\n`);
  }
  if (kind === 4 && name !== null) shell(folder, `touch '${name}'`);
  // As long as before and, by its times, no newer.
  if (kind === 5 && name !== null) {
    const { size, atime, mtime } = statSync(name);
    writeFileSync(name, 'z'.repeat(size));
    utimesSync(name, atime, mtime);
  }
}

/** Relative, without what no checkpoint covers. */
function pathsOf(folder: string, kind: 'file' | 'folder'): string[] {
  return Object.entries(picture(folder)).flatMap(([name, state]) => (state.startsWith(`${kind} `) ? [name] : []));
}

function firstLineOf(file: string): string {
  return existsSync(file) && lstatSync(file).isFile() ? (readFileSync(file, 'utf8').split('\n', 1)[0] ?? '') : '';
}

async function checkRewind(
  session: RewindSession,
  { target, isBoth }: { readonly target: number; readonly isBoth: boolean },
  prompts: number,
  moments: Moment[],
  figures: RewindFigures,
): Promise<void> {
  const { folder, engine } = session;
  const before = picture(folder);
  const rest = unseen(folder);
  const expected = expectedAfter(
    moments.filter((moment) => moment.prompts >= target),
    before,
  );
  const dry = await engine.rewindFiles(`p${target}`, { dryRun: true });
  expect(picture(folder)).toEqual(before);
  const both = isBoth ? await engine.rewind(`p${target}`) : null;
  const result = both === null ? await engine.rewindFiles(`p${target}`) : both.files;
  const after = picture(folder);
  expect(result).toMatchObject({ canRewind: true, failed: dry.failed, filesChanged: dry.filesChanged });
  expect(unseen(folder)).toEqual(rest);
  moments.push({ prompts, before, after });
  const reported = new Set(
    [...(result?.conflicts ?? []), ...(result?.failed ?? [])].map((left) => path.relative(folder, left.path)),
  );
  for (const name of new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(expected.states)])) {
    const wanted = name in expected.states ? expected.states[name] : before[name];
    if (after[name] !== wanted)
      figures.wrong.push(`${name} after a rewind to ${target}: ${short(after[name])}, not ${short(wanted)}`);
  }
  for (const name of expected.conflicts) {
    if (!reported.has(name)) figures.wrong.push(`${name} is not reported after a rewind to ${target}`);
  }
  figures.rewinds++;
  if (isBoth) figures.conversations++;
  figures.restored += result?.filesChanged?.length ?? 0;
  figures.conflicts += reported.size;
}

/** `.git` and what else is left out, byte for byte. */
function unseen(folder: string): Picture {
  return Object.fromEntries(
    Object.entries(snapshot(folder)).filter(([name]) => /^(\.git|node_modules)(\/|$)/.test(name)),
  );
}

const short = (state: string | undefined): string =>
  state === undefined ? 'nothing' : JSON.stringify(state.slice(0, 40));

interface Expected {
  /** What a path must be; undefined for nothing. Paths that are not in it must be as they are. */
  readonly states: Readonly<Record<string, string | undefined>>;
  readonly conflicts: ReadonlySet<string>;
}

/** Path by path: back to what it was before the agent's first change, unless somebody else changed it since then. */
function expectedAfter(moments: readonly Moment[], now: Picture): Expected {
  const states: Record<string, string | undefined> = {};
  const conflicts = new Set<string>();
  const targets: Record<string, string | undefined> = {};
  const changed = new Set(
    moments.flatMap(({ before, after }) => namesOf(before, after).filter((name) => before[name] !== after[name])),
  );
  for (const name of changed) {
    const own = moments.filter(({ before, after }) => before[name] !== after[name]);
    const target = own[0]?.before[name];
    targets[name] = target;
    const isOthers =
      own.some(({ before }, index) => index > 0 && own[index - 1]?.after[name] !== before[name]) ||
      own.at(-1)?.after[name] !== now[name];
    if (now[name] === target) continue;
    if (isOthers) conflicts.add(name);
    else states[name] = target;
  }
  keepFoldersInUse(states, conflicts, now);
  leaveOutBlocked(states, conflicts, now);
  makeFoldersNeeded(states, targets, now);
  return { states, conflicts };
}

/** A folder stays if something in it stays. */
function keepFoldersInUse(states: Record<string, string | undefined>, conflicts: Set<string>, now: Picture): void {
  const doomed = Object.keys(states).filter(
    (name) => now[name]?.startsWith('folder') && !states[name]?.startsWith('folder'),
  );
  for (const folder of doomed.sort((a, b) => b.length - a.length)) {
    const inside = Object.keys({ ...now, ...states }).filter((name) => name.startsWith(`${folder}/`));
    const stays = inside.some((name) => (name in states ? states[name] : now[name]) !== undefined);
    if (!stays) continue;
    delete states[folder];
    conflicts.add(folder);
  }
}

/** Where something else stands than a folder, and stays, nothing can be put into it. */
function leaveOutBlocked(states: Record<string, string | undefined>, reported: Set<string>, now: Picture): void {
  for (const [name, state] of Object.entries({ ...states })) {
    if (state === undefined) continue;
    for (let folder = path.dirname(name); folder !== '.'; folder = path.dirname(folder)) {
      const above = folder in states ? states[folder] : now[folder];
      if (above === undefined) continue;
      if (above.startsWith('folder')) break;
      delete states[name];
      reported.add(name);
      break;
    }
  }
}

/** What comes back has its folder, also if somebody else removed that: as it was, as far as that is known. */
function makeFoldersNeeded(
  states: Record<string, string | undefined>,
  targets: Readonly<Record<string, string | undefined>>,
  now: Picture,
): void {
  for (const [name, state] of Object.entries({ ...states })) {
    if (state === undefined) continue;
    for (let folder = path.dirname(name); folder !== '.'; folder = path.dirname(folder)) {
      if ((folder in states ? states[folder] : now[folder]) !== undefined) continue;
      states[folder] = targets[folder]?.startsWith('folder') ? targets[folder] : 'folder 755';
    }
  }
}

function namesOf(...pictures: readonly Picture[]): string[] {
  return [...new Set(pictures.flatMap((each) => Object.keys(each)))];
}

function measureStore(session: RewindSession, moments: readonly Moment[], figures: RewindFigures): void {
  const contents = new Set<string>();
  for (const { before, after } of moments) {
    for (const [name, state] of Object.entries(before)) {
      const content = state.startsWith('file ') ? state.slice(state.indexOf(' ', 5) + 1) : null;
      const isSame =
        after[name]?.slice((after[name]?.indexOf(' ', 5) ?? 0) + 1) === content && after[name]?.startsWith('file ');
      if (content !== null && !isSame) contents.add(content);
    }
  }
  for (const content of contents) figures.changedBytes += content.length;
  const store = session.storeFolder();
  if (!existsSync(store)) return;
  const blobs = path.join(store, 'blobs');
  if (existsSync(blobs))
    for (const name of readdirSync(blobs)) figures.keptBytes += statSync(path.join(blobs, name)).size;
  figures.journalBytes += statSync(path.join(store, 'journal.jsonl')).size;
}
