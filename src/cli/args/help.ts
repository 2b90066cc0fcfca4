// The text of --help: learned from examples, then the commands and the flags. What is told of a flag stands with the option
// that it sets.

import { DECLARED, type OptionFlag } from '../../sdk/options/index.js';
import { toKebabCase } from './args.js';

const INTRO = `Turnwright: a coding agent in your terminal.

Usage
  turnwright                                   several prompts, one session
  turnwright -p "what does this project do?"   one prompt, then leave
  turnwright -c -p "now add a test"            goes on with the last session of the folder
  git diff | turnwright -p "review this"       prompt and piped text together
  turnwright -p "summarise" --output-format json | jq           the whole result
  turnwright -p "fix the test" --allowedTools Bash,Edit,Write   may edit and run commands
  turnwright -p "where is the parser?" --tools Read,Glob,Grep   looks, never touches

Commands: "turnwright <command> --help" tells more
  login, logout [provider]   keep the key of a model provider; forget it
  auth status                which keys there are, and which model answers
  models [provider]          models and their prices; "models probe": how one behaves
  sessions                   list, show, export, fork, rename, delete; rewind: undo
  config                     list, get, set, unset settings; explain where each is from
  permissions                what would be decided about a call, and why; test your rules
  hooks                      commands that run at moments of a session: list, test
  agents                     who can be given a task: list
  worktrees                  checkouts that sessions made: list, remove, clean
  tools [name]               what models are given to work with
  plugin                     plugins and marketplaces: install, list, update, validate …
  skills                     instructions for kinds of tasks: list
  mcp                        servers of tools: add, list, test, sign in; serve our own
  acp                        an agent for editors: Zed, JetBrains …
  doctor                     what is set up on this machine, what is not, what to do
  completions <shell>        flags and commands by the Tab key: bash, zsh, fish

`;

const OUTRO = `Variables: ANTHROPIC_API_KEY … (or: turnwright login), TURNWRIGHT_HOME, NO_COLOR
Exit codes: 0 success, 1 error result, 2 nothing ran, 3 calls wait, 130, 143 stopped
`;

/** Flags that set no option. */
const FACE_FLAGS: readonly ToldFlag[] = (
  [
    { name: 'print', short: 'p', does: 'one prompt, then leave; the answer alone on stdout' },
    { name: 'output-format', takes: '<format>', does: 'text, json (the result), stream-json (every message)' },
    { name: 'input-format', takes: '<format>', does: 'text, stream-json (prompts and requests of a program)' },
    { name: 'await-initialize', does: 'with stream-json: nothing begins before its initialize' },
    { name: 'session-mirror', does: 'with stream-json: sends the transcript too' },
    { name: 'disable-builtin-skills', does: 'for clients that say it: no skill is built in' },
    { name: 'verbose', does: 'show more: results of tools, thoughts, ids' },
    { name: 'plain', does: 'at a terminal: lines, instead of a screen' },
    { name: 'screen-reader', does: 'lines to be read aloud: nothing is drawn twice' },
    { name: 'help', short: 'h', does: 'this; behind a command, its help' },
    { name: 'version', short: 'v', does: 'which version this is' },
  ] as const
).map((flag) => ({ ...flag, reads: 'own' }));

/** The flags of each section, in order. One that is not named here stands in a section of its own. */
const LAYOUT: Readonly<Record<string, readonly string[]>> = {
  'Prompt and output': [
    'print',
    'output-format',
    'include-partial-messages',
    'json-schema',
    'verbose',
    'plain',
    'screen-reader',
    'debug',
    'debug-file',
  ],
  Model: ['model', 'fallback-model', 'effort', 'thinking', 'system-prompt', 'append-system-prompt'],
  Limits: ['max-budget-usd', 'max-turns', 'task-budget'],
  Agents: ['agents', 'agent', 'coordinator'],
  'What it may do': [
    'tools',
    'allowed-tools',
    'disallowed-tools',
    'permission-mode',
    'judge',
    'dangerously-skip-permissions',
    'allow-dangerously-skip-permissions',
    'defer-permissions',
    'allow-call',
    'deny-call',
    'sandbox',
  ],
  'Folders and settings': ['cwd', 'add-dir', 'trust', 'settings', 'setting-sources', 'mcp-config', 'strict-mcp-config'],
  'For programs': [
    'input-format',
    'await-initialize',
    'session-mirror',
    'disable-builtin-skills',
    'include-hook-events',
    'replay-user-messages',
    'permission-prompt-tool',
    'permission-prompts',
    'managed-settings',
    'project-config-root',
    'allowed-mcp-server-names',
    'max-thinking-tokens',
    'thinking-display',
    'betas',
    'proxy',
    'system-prompt-file',
    'plugin-dir',
    'plugin-dir-no-mcp',
    'extensions',
  ],
  'Sessions: the first 8 characters of an id are enough': [
    'continue',
    'resume',
    'fork-session',
    'session-id',
    'resume-session-at',
    'resume-drops-turn',
    'enable-file-checkpointing',
    'no-file-checkpointing',
    'no-session-persistence',
  ],
  'This program': ['help', 'version'],
};

const COLUMN = 36;
const WIDTH = 90;

export const HELP = help();

/** A flag as people are told of it. */
export interface ToldFlag extends OptionFlag {
  readonly name: string;
}

/** Every flag, with what it does. */
export function toldFlags(): readonly ToldFlag[] {
  return [...FACE_FLAGS, ...optionFlags()];
}

function help(): string {
  const flags = new Map(toldFlags().map((flag) => [flag.name, flag]));
  const laid = new Set(Object.values(LAYOUT).flat());
  const others = [...flags.keys()].filter((name) => !laid.has(name));
  const sections = Object.entries({ ...LAYOUT, ...(others.length === 0 ? {} : { More: others }) });
  const texts = sections.map(([title, names]) => {
    return [title, ...names.flatMap((name) => linesOf(flags.get(name), name)), ''].join('\n');
  });
  return `${INTRO}${texts.join('\n')}\n${OUTRO}`;
}

function optionFlags(): ToldFlag[] {
  const declared: readonly (readonly [string, { readonly flags?: readonly OptionFlag[] }])[] = Object.values(
    DECLARED,
  ).flatMap((options) => Object.entries(options));
  return declared.flatMap(([option, { flags = [] }]) =>
    flags.map((flag) => ({ ...flag, name: flag.name ?? toKebabCase(option) })),
  );
}

/** The flag, then what it does in a column of its own. */
function linesOf(flag: ToldFlag | undefined, name: string): string[] {
  if (flag === undefined) throw new Error(`The help lays out a flag that there is not: ${name}.`);
  const [first = '', ...more] = wrap(flag.does ?? '', WIDTH - COLUMN);
  const shown = `  ${shownFlag(flag)}`;
  const isLong = shown.length > COLUMN - 2;
  const fits = shown.length + 2 + first.length <= WIDTH;
  const beside =
    isLong && !fits ? [shown, ' '.repeat(COLUMN) + first] : [`${shown.padEnd(COLUMN - 2)}  ${first}`.trimEnd()];
  return [...beside, ...more.map((line) => ' '.repeat(COLUMN) + line)];
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

function shownFlag({ name, short, takes, optional, shown = name }: ToldFlag): string {
  const value = takes ?? optional;
  return `${short === undefined ? '' : `-${short}, `}--${shown}${value === undefined ? '' : ` ${value}`}`;
}
