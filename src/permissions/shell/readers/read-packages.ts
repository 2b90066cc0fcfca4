// Package managers, containers and environments: their subcommands that run programs. As documented, a rule for one of
// them covers what it runs; rules that deny are held against that too.
import { scanOptions } from '../scan-options.js';
import { replacedWord, type ShellWord } from '../shell-word.js';
import { type ProgramTable, programTable } from '../tables/program-table.js';
import { RUNNERS, type RunnerData, type RunningData } from '../tables/runners.js';
import { sayActing, type Task } from '../task.js';

interface Runner {
  readonly aliases: ReadonlyMap<string, string>;
  readonly table: ProgramTable;
  /** By subcommand, its words with a blank between. */
  readonly runs: ReadonlyMap<string, Running>;
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

function runnerOf({ values, aliases = {}, runs = {} }: RunnerData): Runner {
  const table = programTable({ options: { value: values ?? '-_' }, isStrict: true });
  const running = Object.entries(runs).map(([name, data]): [string, Running] => [name, runningOf(data)]);
  return { table, aliases: new Map(Object.entries(aliases)), runs: new Map(running) };
}

function runningOf({ values, acts, ...data }: RunningData): Running {
  const options = { value: values ?? '-_', ...(acts === undefined ? {} : { shell: acts }) };
  return { ...data, table: programTable({ options, before: data.before ?? 0, isStrict: true }) };
}

export function readPackages(task: Task): void {
  const { words, draft, name } = task;
  const data = BY_NAME.get(name);
  if (data === undefined) return;
  draft.isTransparent = true;
  const acting = words.findIndex(({ head }, at) => at > 0 && isActingOption(head));
  if (/^(?:npm|pnpm|yarn|bun|npx)$/.test(name) && acting !== -1)
    sayActing(task, `${words[acting]?.text} decides what ${name} runs`, acting);
  const { operands } = scanOptions(words, data.table);
  const [subcommand, second] = operands;
  if (subcommand === undefined) return;
  const [program] = words as [ShellWord];
  const rest = words.slice(subcommand.at);
  if (subcommand.at > 1) draft.forms.push([program, ...rest]);
  const verb = subcommand.word.value ?? '';
  const alias = data.aliases.get(verb);
  if (alias !== undefined) draft.forms.push([program, replacedWord(subcommand.word, alias), ...rest.slice(1)]);
  const pair = `${verb} ${second?.word.value ?? ''}`;
  const byPair = second === undefined ? undefined : data.runs.get(pair);
  const byVerb = data.runs.get(verb);
  if (second !== undefined && byPair !== undefined) readRunning(task, byPair, second.at);
  else if (byVerb !== undefined) readRunning(task, byVerb, subcommand.at);
}

const ACTING_OPTIONS = [
  '--script-shell',
  '--node-options',
  '--shell',
  '--git',
  '--userconfig',
  '--globalconfig',
  '--init-module',
];

/** Options of package managers may be abbreviated, and stand anywhere. */
function isActingOption(head: string): boolean {
  const name = head.split('=')[0] ?? '';
  return ACTING_OPTIONS.some((option) => option === name || (name.length > 6 && option.startsWith(name)));
}

/** What stands behind a subcommand that runs programs. */
function readRunning(task: Task, data: Running, offset: number): void {
  const words = task.words.slice(offset);
  const { operands, options } = scanOptions(words, data.table);
  if (data.isElsewhere === true) task.isElsewhere = true;
  for (const { effect, value, at } of options) {
    if (effect === 'shell') task.startLine(value?.value ?? null, at + offset);
    // One that is not known may take the next word; rules that deny are held against each of those readings.
    if (effect === undefined)
      for (let from = at + 1; from < Math.min(words.length, at + 9); from++) task.draft.forms.push(words.slice(from));
  }
  const [first] = operands.slice(data.before ?? 0);
  if (first === undefined) return;
  const at = first.at + offset;
  if (first.word.value === null) sayActing(task, `${task.name} runs a program that is not static`, at - 1);
  task.start(task.words.slice(at), at);
  // Some take operands and options of their own up to `--`.
  const dashes = words.findIndex(({ value }) => value === '--');
  if (dashes + offset > at) task.start(task.words.slice(dashes + offset + 1), dashes + offset + 1);
}
