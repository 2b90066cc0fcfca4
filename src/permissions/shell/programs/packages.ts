// Package managers, containers and environments: their subcommands that run programs. As documented, a rule for one of
// them covers what it runs; rules that deny are held against that too.

import { addForm, addStarted } from '../reader.js';
import {
  globWord,
  literalWord,
  mayBeOption,
  replacedWord,
  type ShellWord,
  tailWord,
  tildeWord,
} from '../syntax/shell-word.js';
import { sayActing, type Task } from '../task.js';
import { addFile, noteMentions } from './file-uses.js';
import { mayNameFile, useFile, useHere, useMaybe } from './operands.js';
import { RUNNERS } from './package-runners.js';
import { type ProgramData, type Programs, type ProgramTable, programTable } from './program-table.js';
import { movedAgain } from './read-by-table.js';
import type { RunnerData, RunningData } from './runner-data.js';
import { type ScannedWords, scanOptions } from './scan-options.js';
import { useCopied } from './transfer.js';

interface Runner {
  readonly data: RunnerData;
  /** The lists of `data` as lists. */
  readonly folders: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly code: readonly string[];
  readonly starts: readonly string[];
  readonly named: readonly FormOfWords[];
  readonly makes: readonly FormOfWords[];
  readonly aliases: ReadonlyMap<string, string>;
  readonly table: ProgramTable;
  /** Options in front of the subcommands of a group. */
  readonly groupTables: ReadonlyMap<string, ProgramTable>;
  /** By subcommand, its words with a blank between. */
  readonly runs: ReadonlyMap<string, Running>;
}

/** With words of such a form these names count. */
interface FormOfWords {
  readonly form: RegExp;
  readonly names: readonly string[];
}

interface Running extends Pick<RunningData, 'before' | 'isElsewhere'> {
  readonly table: ProgramTable;
}

const BY_NAME: ReadonlyMap<string, Runner> = new Map(
  Object.entries(RUNNERS).flatMap(([names, data]) => {
    const runner = runnerOf(data);
    return names.split(' ').map((name): [string, Runner] => [name, runner]);
  }),
);

export const PACKAGE_PROGRAMS: Programs = Object.fromEntries(
  Object.entries(RUNNERS).map(([names, data]): [string, ProgramData] => {
    const { aliases = {}, commands, groups = {}, tells, operandSpellings, spellings } = data;
    const own = namedOptions(data, '');
    const ofGroups = new Map(
      Object.entries(groups).map(([name, values]) => {
        const { [name]: synonyms = data.synonyms ?? '' } = data.groupSynonyms ?? {};
        return [name, namedOptions({ ...data, synonyms }, values)];
      }),
    );
    return [
      names,
      {
        ...(tells === undefined ? {} : { options: { tells } }),
        read: readPackages,
        ...(operandSpellings === undefined ? {} : { operandSpellings }),
        ...(spellings === undefined ? {} : { spellings }),
        subcommands: {
          aliases,
          ...(commands === undefined ? {} : { abbreviated: commands.split(' ') }),
          globals: namedOptions(data, data.values ?? ''),
          tableOf: (name) => ofGroups.get(name) ?? own,
        },
      },
    ];
  }),
);

/** Options by the names that rules that deny know, with others that take a value. */
function namedOptions({ synonyms = '', valued = '' }: RunnerData, values: string): ProgramTable {
  const known = new Set(`${synonyms} ${valued}`.split(/[ ,]/));
  const others = values.split(' ').filter((group) => group.includes(',') || !known.has(group));
  const value = [...valued.split(' '), ...others].filter((group) => group !== '').join(' ');
  return programTable({
    options: { ...(synonyms === '' ? {} : { flag: synonyms }), ...(value === '' ? {} : { value }) },
  });
}

function runnerOf(data: RunnerData): Runner {
  const { values, aliases = {}, runs = {} } = data;
  const table = programTable({
    options: {
      value: [values, data.folders, data.reads, data.writes].filter((part) => part !== undefined).join(' ') || '-_',
    },
    isStrict: true,
  });
  const running = Object.entries(runs).map(([name, data]): [string, Running] => [name, runningOf(data)]);
  const list = (text: string | undefined): readonly string[] => (text === undefined ? [] : text.split(' '));
  const forms = (rows: RunnerData['makes']): readonly FormOfWords[] =>
    (rows ?? []).map(([form, names]) => ({ form, names: list(names) }));
  return {
    data,
    folders: list(data.folders),
    reads: list(data.reads),
    writes: list(data.writes),
    code: list(data.code),
    starts: list(data.starts),
    named: forms(data.named),
    makes: forms(data.makes),
    table,
    groupTables: new Map(
      Object.entries(data.groups ?? {}).map(([name, values]) => [
        name,
        programTable({ options: { value: values === '' ? '-_' : values }, isStrict: true }),
      ]),
    ),
    aliases: new Map(Object.entries(aliases)),
    runs: new Map(running),
  };
}

function runningOf({ values, acts, ...data }: RunningData): Running {
  const options = { value: values ?? '-_', ...(acts === undefined ? {} : { shell: acts }) };
  return { ...data, table: programTable({ options, before: data.before ?? 0, isStrict: true }) };
}

function readPackages(task: Task): void {
  const { words, draft, name } = task;
  const data = BY_NAME.get(name);
  if (data === undefined) return;
  draft.isTransparent = true;
  const acting = words.findIndex((word, at) => at > 0 && mayAct(word));
  const dashes = words.findIndex(({ value }, at) => value === '--' && words[at - 1]?.head.startsWith('-') === false);
  // Behind `--` they are those of a script, unless it is the value of an option.
  if (acting !== -1 && (dashes === -1 || acting < dashes) && OF_NODE.has(name))
    sayActing(task, `${words[acting]?.text} decides what ${name} runs`, acting);
  readAnywhere(task, data);
  const { operands, options, strays } = scanOptions(words, data.table);
  for (const word of strays) useMaybe(task, word);
  for (const { value } of options) if (value !== null && mayNameFile(value)) useMaybe(task, value);
  const [subcommand, second] = operands;
  const { acts } = data.data;
  const { code } = data;
  const codeAt =
    code.length === 0 ? -1 : words.findIndex(({ head }) => head.startsWith('-') && code.includes(nameIn(head)));
  if (codeAt !== -1 && codeAt <= (subcommand?.at ?? codeAt))
    sayActing(task, `${words[codeAt]?.text} makes ${name} run code`);
  // Of runners without a subcommand, such as `bun -e`, the first word.
  const from = subcommand?.at ?? 1;
  const line = words
    .slice(from)
    .map(({ value, head }) => value ?? head)
    .join(' ');
  readProject(task, data, line, operands);
  if (acts?.test(line) === true) {
    sayActing(task, `${line.slice(0, 60)} runs code or changes what ${name} runs later`);
    noteSettings(task, data.data);
  }
  if (subcommand === undefined) return;
  const group = subcommand.word.value === null ? subcommand : second;
  if (group?.word.value === null && (group === subcommand || isGroup(data, subcommand.word.value)))
    sayActing(task, `which subcommand of ${name} ${group.word.text} is cannot be told`, group.at);
  const [program] = words as [ShellWord];
  const rest = words.slice(subcommand.at);
  const copied = copiedBy(data, task.words, operands);
  if (copied !== null) useCopied(task, { operands: copied, strays: [] }, 'tree');
  if (subcommand.at > 1) addForm(draft, [program, ...rest]);
  const verb = subcommand.word.value ?? '';
  const alias = data.aliases.get(verb);
  if (alias !== undefined) addForm(draft, [program, replacedWord(subcommand.word, alias), ...rest.slice(1)]);
  // Each starts the programs of its packages by their names alone.
  if (STARTS_BY_NAME.has(name)) addStarted(draft, rest);
  const pair = `${verb} ${second?.word.value ?? ''}`;
  const byPair = second === undefined ? undefined : data.runs.get(pair);
  const byVerb = data.runs.get(verb);
  if (second !== undefined && byPair !== undefined) readRunning(task, byPair, second.at);
  else if (byVerb !== undefined) readRunning(task, byVerb, subcommand.at);
  // Of all other words nothing is known but what is told above.
  else if (data.data.mounts === true) readMounts(task);
  if (data.data.mounts === true) readImages(task);
  if (byPair !== undefined || byVerb !== undefined) return;
  if (copied === null) for (const word of rest.slice(1)) useMaybe(task, word);
}

/** True if another subcommand may follow the word. */
function isGroup({ data: { groups = {} }, runs, aliases }: Runner, verb: string | null): boolean {
  if (verb === null) return false;
  return Object.hasOwn(groups, verb) || [...runs.keys(), ...aliases.keys()].some((pair) => pair.startsWith(`${verb} `));
}

/** What a subcommand that copies is given; null if it is another. */
function copiedBy(
  { data: { copies, groups = {} }, groupTables }: Runner,
  words: readonly ShellWord[],
  operands: ScannedWords['operands'],
): ScannedWords['operands'] | null {
  if (copies === undefined) return null;
  const [first, ...rest] = operands;
  if (first === undefined) return null;
  const verb = first.word.value ?? '';
  if (copies.test(verb)) return rest;
  const table = Object.hasOwn(groups, verb) ? groupTables.get(verb) : undefined;
  if (table === undefined) return null;
  const [second, ...others] = scanOptions(words, table, first.at + 1).operands;
  return second !== undefined && copies.test(second.word.value ?? '') ? others : null;
}

/** What it does in the folder that it is in, by its subcommand, and files that options and operands of that name. */
function readProject(
  task: Task,
  { data: { project, gathers, contexts, own, beside }, named, makes }: Runner,
  line: string,
  operands: ScannedWords['operands'],
): void {
  if (TELLS.test(line)) return;
  if (project === true) useHere(task, 'runs', 'itself');
  if (own !== undefined) noteOwn(task, own, beside);
  if (gathers?.test(line) === true) useHere(task, 'read', 'tree');
  for (const { form, names } of makes) if (form.test(line)) for (const name of names) useMade(task, name);
  for (const { form, names } of named) if (form.test(line)) useNamed(task, names);
  if (contexts === undefined) return;
  const verbs = operands.slice(0, 2).map(({ word }) => word.value ?? '');
  const count = [1, 2].find((each) => contexts.test(verbs.slice(0, each).join(' ')));
  // The last word is the folder that is sent, the others are values of options or options.
  const last = count === undefined ? undefined : operands.slice(count).at(-1);
  if (last !== undefined && last.word.value !== '-' && !/^[\w.+-]+:\/\/|^git@/.test(last.word.head))
    useFile(task, last.word, 'read', { reach: 'tree' });
}

function noteOwn(task: Task, own: NonNullable<RunnerData['own']>, beside: RunnerData['beside']): void {
  const all = textBehind(task);
  for (const entry of own) if (entry[0].test(all)) noteMentions(task, entry[1]);
  if (beside === undefined) return;
  const [options, name] = beside;
  for (const word of valuesOf(task, options.split(' ')))
    if (word.value !== null) noteMentions(task, `${word.value}/${name} ${word.value.replace(/[^/]*$/, '')}${name}`);
}

/** The words behind the program, as it gets them. */
function textBehind({ draft, words }: Task): string {
  const [program] = words;
  if (program !== undefined && draft.isAsWritten && words === draft.words)
    return draft.text.slice(program.text.length + 1);
  return words
    .slice(1)
    .map(({ value, head }) => value ?? head)
    .join(' ');
}

function useMade(task: Task, name: string): void {
  if (name.includes('*'))
    addFile(
      task,
      globWord(literalWord(name), './'),
      { access: 'write', by: 'operand', program: task.name },
      task.bases,
    );
  else if (name.endsWith('/')) useFile(task, literalWord(name.slice(0, -1)), 'write', { reach: 'tree' });
  else useFile(task, literalWord(name), 'write');
}

/** Values of options that name files which are read. */
function useNamed(task: Task, options: readonly string[]): void {
  for (const value of valuesOf(task, options))
    if (!/^https?:/.test(value.head)) useFile(task, value, 'read', { reach: 'tree' });
}

/** The values of these options, wherever they stand. */
function valuesOf(task: Task, options: readonly string[]): readonly ShellWord[] {
  const values: ShellWord[] = [];
  for (const [at, word] of task.words.entries()) {
    const equals = word.head.startsWith('--') ? word.head.indexOf('=') : -1;
    const name = equals === -1 ? word.head : word.head.slice(0, equals);
    const value = equals === -1 ? task.words[at + 1] : tailWord(word, equals + 1);
    if (value !== undefined && options.includes(name)) values.push(value);
    // A value may follow a letter at once.
    else if (/^-[a-z]./i.test(word.head) && options.includes(word.head.slice(0, 2))) values.push(tailWord(word, 2));
  }
  return values;
}

/** Of the project or of the user: options, variables and settings of its own say which. */
function noteSettings(task: Task, { settings }: RunnerData): void {
  const { home } = task.reader;
  for (const file of settings?.split(' ') ?? []) {
    useFile(task, literalWord(file), 'write');
    if (home !== null) useFile(task, literalWord(`${home}/${file}`), 'write');
  }
}

/** Options that name folders and files, wherever they stand: up to `--`, behind which words are those of another program. */
function readAnywhere(task: Task, { folders, reads, writes, starts }: Runner): void {
  const { words } = task;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as ShellWord;
    if (word.value === '--') return;
    if (!word.head.startsWith('-')) continue;
    const equals = word.head.startsWith('--') ? word.head.indexOf('=') : -1;
    const name = equals === -1 ? word.head : word.head.slice(0, equals);
    if (starts.includes(name)) sayActing(task, `${name} decides what ${task.name} starts`, equals === -1 ? at + 1 : at);
    const access = folders.includes(name) || reads.includes(name) ? 'read' : writes.includes(name) ? 'write' : null;
    const value = equals === -1 ? words[at + 1] : tailWord(word, equals + 1);
    if (access === null || value === undefined) continue;
    addFile(task, value, { access, by: 'operand', program: task.name }, task.bases);
    if (folders.includes(name)) task.bases = movedAgain(task, value);
  }
}

const OF_NODE: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun', 'npx']);
const TELLS = /^(?:-v|-V|--version|--help|-h)$/;

const STARTS_BY_NAME: ReadonlySet<string> = new Set(['yarn', 'pnpm', 'bun', 'deno']);

const ACTING_OPTIONS = [
  'editor',
  'viewer',
  'browser',
  'script-shell',
  'node-options',
  'shell',
  'git',
  'userconfig',
  'globalconfig',
  'init-module',
];

/** Options that are whole, although a longer one begins with them. */
const WHOLE_OPTIONS: ReadonlySet<string> = new Set(['global', 'no']);

/** The name of an option, without its value. */
function nameIn(head: string): string {
  const equals = head.indexOf('=');
  return equals === -1 ? head : head.slice(0, equals);
}

/** True if the word is an option that decides what runs, or may be as far as it is known. */
function mayAct(word: ShellWord): boolean {
  const { value, head } = word;
  if (head === '') return value === null && mayBeOption(word);
  return head.startsWith('-') && (isActingOption(head) || (value === null && /^-*\w?$/.test(head)));
}

/** Options of package managers stand anywhere, with any number of dashes, and any beginning of a name is that name. */
function isActingOption(head: string): boolean {
  const name = nameIn(head).replace(/^-+(?:config\.)?/, '');
  // Single letters are names of their own.
  if (name.length < 2 || WHOLE_OPTIONS.has(name)) return false;
  return ACTING_OPTIONS.some((option) => option.startsWith(name));
}

/** What stands behind a subcommand that runs programs. */
function readRunning(task: Task, data: Running, offset: number): void {
  const words = task.words.slice(offset);
  const { operands, options, strays } = scanOptions(words, data.table);
  if (data.isElsewhere === true) task.isElsewhere = true;
  for (const { effect, value, at } of options) {
    if (effect === 'shell') task.startLine(value?.value ?? null, at + offset);
    // One that is not known may take the next word; rules that deny are held against each of those readings.
    if (effect === undefined)
      for (let from = at + 1; from < Math.min(words.length, at + 9); from++) addForm(task.draft, words.slice(from));
  }
  for (const { name, value } of options) {
    if (/^(?:-v|--volume|--mount)$/.test(name) && value !== null) readMount(task, value);
    if (/^--(?:env-file|label-file|cidfile)$/.test(name) && value !== null)
      atHome(task, () => useFile(task, value, name === '--cidfile' ? 'write' : 'read'));
  }
  const [first] = operands.slice(data.before ?? 0);
  // Elsewhere the words of options that are known name nothing of this machine.
  for (const word of data.isElsewhere === true ? strays : words.slice(1, first?.at))
    atHome(task, () => useMaybe(task, word));
  if (first === undefined) return;
  const at = first.at + offset;
  if (first.word.value === null) sayActing(task, `${task.name} runs a program that is not static`, at - 1);
  task.start(task.words.slice(at), at);
  // Some take operands and options of their own up to `--`.
  const dashes = words.findIndex(({ value }) => value === '--');
  if (dashes + offset > at) task.start(task.words.slice(dashes + offset + 1), dashes + offset + 1);
}

/** Of a subcommand that is not described by itself. */
function readMounts(task: Task): void {
  for (const [at, word] of task.words.entries()) {
    const option = /^(?:-[a-z]*v|--volume|--mount)(?==|$)|^-v(?=.)/.exec(word.head)?.[0];
    if (option === undefined) continue;
    const isApart = word.head === option;
    const value = isApart
      ? task.words[at + 1]
      : tailWord(word, option.length + (word.head[option.length] === '=' ? 1 : 0));
    if (value !== undefined && /[:=]/.test(value.head)) readMount(task, value);
  }
}

/** Images that are read from a folder or an archive, or written there. */
function readImages(task: Task): void {
  for (const word of task.words) {
    const start = /^(?:dir|oci|oci-archive|docker-archive):/.exec(word.head)?.[0];
    if (start === undefined) continue;
    const place = tailWord(word, start.length);
    const name = place.value?.replace(/(?<=[^/]):[^/]*$/, '');
    useFile(task, name === undefined ? place : replacedWord(place, name), 'write', { reach: 'tree' });
  }
}

/**
 * A folder of this machine in a container: what runs there may change it. One that is not told is not guessed. Parts may
 * be quoted, and the options of a volume may say what it is.
 */
function readMount(task: Task, { head, value }: ShellWord): void {
  const plain = head.replaceAll('"', '');
  const named = /(?:^|,)(?:source|src|volume-opt=device)=([^,]*)/g;
  const sources = /(?:^|,)"?(?:type|src|source|dst|destination|target)=/.test(head)
    ? [...plain.matchAll(named)].map(([, source]) => source ?? '')
    : [plain.split(':')[0] ?? ''];
  for (const source of sources) useMounted(task, source, value === null && source === head);
}

function useMounted(task: Task, source: string, isOpen: boolean): void {
  if (!/^(?:\/|~|\.)/.test(source) || isOpen) return;
  const folder = replacedWord(tildeWord(source, source.startsWith('~')), source);
  atHome(task, () => useFile(task, folder, 'write', { reach: 'tree' }));
}

/** Of files of this machine, although what is started runs elsewhere. */
function atHome(task: Task, use: () => void): void {
  const { isElsewhere } = task;
  task.isElsewhere = false;
  use();
  task.isElsewhere = isElsewhere;
}
