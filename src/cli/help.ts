// The text of --help: learned from examples, then the commands and the flags. What is told of a flag stands with the option
// that it sets.

import type { OptionFlag } from '../sdk/options/declaration.js';
import { DECLARED } from '../sdk/options/declared/index.js';
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
  skills                     instructions for kinds of tasks: list
  help [command]             this; the help of a command

`;

const OUTRO = `Variables: ANTHROPIC_API_KEY … (or: turnwright login), TURNWRIGHT_HOME, NO_COLOR
Exit codes: 0 success, 1 error result, 2 nothing ran, 3 calls wait, 130, 143 stopped
`;

/** Flags that set no option. */
const FACE_FLAGS: readonly (OptionFlag & { readonly name: string })[] = (
  [
    { name: 'print', short: 'p', does: 'one prompt, then leave; the answer alone on stdout' },
    { name: 'output-format', takes: '<format>', does: 'text (default), json, stream-json' },
    { name: 'verbose', does: 'show more' },
    { name: 'debug-file', takes: '<file>', does: 'a log without contents' },
    { name: 'help', short: 'h' },
    { name: 'version', short: 'v' },
  ] as const
).map((flag) => ({ ...flag, reads: 'own' }));

/** Which flags stand together on a line, by section. One that is not named here gets a line of its own. */
const LAYOUT: Readonly<Record<string, readonly string[]>> = {
  'Prompt and output': ['print', 'output-format', 'include-partial-messages', 'verbose; debug-file'],
  'Model and agents': [
    'model, fallback-model',
    'effort',
    'max-budget-usd',
    'max-turns, task-budget',
    'json-schema',
    'system-prompt, append-system-prompt',
    'agents; agent, coordinator',
  ],
  'What it may do': [
    'allowed-tools, disallowed-tools',
    'tools; judge',
    'permission-mode',
    'dangerously-skip-permissions',
    'allow-dangerously-skip-permissions',
    'defer-permissions; allow-call, deny-call',
    'cwd, add-dir, sandbox',
    'mcp-config, strict-mcp-config',
    'settings, setting-sources, trust',
  ],
  'Sessions: the first 8 characters of an id are enough': [
    'continue; resume',
    'fork-session, session-id',
    'resume-session-at, resume-drops-turn',
    'enable-file-checkpointing, no-file-checkpointing',
    'no-session-persistence; help; version',
  ],
};

const COLUMN = 36;
const WIDTH = 90;

export const HELP = help();

function help(): string {
  const flags = new Map([...FACE_FLAGS, ...optionFlags()].map((flag) => [flag.name, flag]));
  const laid = new Set(Object.values(LAYOUT).flatMap((lines) => lines.flatMap((line) => line.split(/[,;] /))));
  const others = [...flags.keys()].filter((name) => !laid.has(name));
  const sections = Object.entries({ ...LAYOUT, ...(others.length === 0 ? {} : { More: others }) });
  const texts = sections.map(([title, lines]) => [title, ...lines.map((line) => lineOf(line, flags)), ''].join('\n'));
  return `${INTRO}${texts.join('\n')}${OUTRO}`;
}

function optionFlags() {
  const declared: readonly (readonly [string, { readonly flags?: readonly OptionFlag[] }])[] = Object.values(
    DECLARED,
  ).flatMap((options) => Object.entries(options));
  return declared.flatMap(([option, { flags = [] }]) =>
    flags.map((flag) => ({ ...flag, name: flag.name ?? toKebabCase(option) })),
  );
}

/** `names` with commas and semicolons, as they are to stand. */
function lineOf(names: string, flags: ReadonlyMap<string, OptionFlag & { readonly name: string }>): string {
  const shown = names.replace(/[\w-]+/g, (name) => shownFlag(flags.get(name)));
  const words = names.split(/[,;] /).flatMap((name) => flags.get(name)?.does ?? []);
  const line = `  ${shown}`.padEnd(COLUMN - 3);
  const text = words.join('; ');
  return line.length + 3 + text.length > WIDTH ? `  ${shown}   ${text}` : `${line}   ${text}`;
}

function shownFlag(flag: (OptionFlag & { readonly name: string }) | undefined): string {
  if (flag === undefined) throw new Error('The help lays out a flag that there is not.');
  const { name, short, takes, optional, shown = name } = flag;
  const value = takes ?? optional;
  return `${short === undefined ? '' : `-${short}, `}--${shown}${value === undefined ? '' : ` ${value}`}`;
}
