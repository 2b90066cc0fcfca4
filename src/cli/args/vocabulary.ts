// What the Tab key can offer: commands, their words and flags, and what flags take. Commands, flags and their words for
// people come from the help, and choices from what a flag refuses, so that a new one is offered without a word here.
import { ConfigError } from '../../protocol/errors.js';
import { PERMISSION_MODES } from '../../protocol/permissions.js';
import { parseArgs } from './args.js';
import { FLAGS, type Flag } from './flags.js';
import { HELP, toldFlags } from './help.js';

/** What stands behind a flag or a word. */
export type Values =
  | { readonly kind: 'any' | 'file' | 'folder' | 'session' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

export interface OfferedFlag {
  /** With its dashes, the long one first. */
  readonly names: readonly string[];
  readonly about: string;
  readonly takes: Flag['takes'];
  readonly values: Values;
}

interface OfferedWord {
  readonly name: string;
  readonly about: string;
  /** What may stand behind it. */
  readonly values: Values;
}

export interface OfferedCommand {
  readonly name: string;
  readonly about: string;
  readonly words: readonly OfferedWord[];
  readonly flags: readonly OfferedFlag[];
}

export interface Vocabulary {
  readonly flags: readonly OfferedFlag[];
  readonly commands: readonly OfferedCommand[];
}

const ANY: Values = { kind: 'any' };
const SESSION: Values = { kind: 'session' };

/** What the commands know. Held against their helps by a test. */
const WORDS: Readonly<Record<string, Readonly<Record<string, readonly [about: string, values?: Values]>>>> = {
  auth: { status: ['which keys there are, and which model answers'] },
  models: { probe: ['how a model behaves'] },
  sessions: {
    list: ['the sessions of this folder'],
    show: ['what one is about', SESSION],
    export: ['the conversation as a document', SESSION],
    fork: ['a copy that goes its own way', SESSION],
    rewind: ['back to before a prompt', SESSION],
    rename: ['another title', SESSION],
    tag: ['a tag', SESSION],
    delete: ['delete it for good', SESSION],
    rm: ['delete it for good', SESSION],
    gc: ['delete what no session needs'],
    archive: ['mark it as done with', SESSION],
    unarchive: ['take that back', SESSION],
  },
  config: {
    list: ['every value that counts'],
    get: ['one of them'],
    explain: ['where each comes from'],
    set: ['write one'],
    unset: ['take one out again'],
    import: ['settings of another product'],
  },
  permissions: {
    check: ['what would be decided about a call'],
    explain: ['what a command line would start'],
    test: ['the rules of the settings'],
  },
  hooks: { list: ['those of the settings'], test: ['run those of an event'] },
  agents: { list: ['those that are there, and those that are refused'] },
  worktrees: {
    list: ['each, and what would be lost with it'],
    remove: ['one, if nothing would be lost'],
    clean: ['what crashed sessions left'],
  },
  mcp: {
    add: ['a server, of a command or an address'],
    'add-json': ['a server as a definition'],
    accept: ['what its tools say by now counts as known'],
    list: ['which there are, and whether they can be reached'],
    get: ['one of them'],
    test: ['start it, and show its tools'],
    remove: ['take it out of its file'],
    login: ['sign in to it'],
    logout: ['forget that again'],
    serve: ['the tools of this program as a server'],
  },
  plugin: {
    marketplace: ['add, list, update, remove: where plugins come from'],
    install: ['get a plugin, and use it'],
    list: ['which are installed'],
    enable: ['use it again'],
    disable: ['do not use it, and keep it'],
    update: ['as its marketplace has it now'],
    uninstall: ['take it away'],
    validate: ['what of it would count, and what would not'],
  },
  skills: { list: ['those that are there'] },
  acp: { login: ['keep a key, for editors that offer it'] },
  completions: { bash: ['for bash'], zsh: ['for zsh'], fish: ['for fish'] },
};

const SOURCES = ['user', 'project', 'local', 'none'];

/** What the flags of commands take; one that is not named here takes nothing. */
const COMMAND_VALUES: Readonly<Record<string, Values>> = {
  'add-dir': { kind: 'folder' },
  'allowed-tools': ANY,
  cwd: { kind: 'folder' },
  'callback-port': ANY,
  'client-id': ANY,
  'debug-file': { kind: 'file' },
  dir: { kind: 'folder' },
  'disallowed-tools': ANY,
  env: ANY,
  format: { kind: 'choice', choices: ['md', 'html', 'json'] },
  header: ANY,
  input: ANY,
  limit: ANY,
  'max-bytes': ANY,
  mode: ANY,
  model: ANY,
  offset: ANY,
  'permission-mode': { kind: 'choice', choices: PERMISSION_MODES },
  'older-than': ANY,
  output: { kind: 'file' },
  scope: { kind: 'choice', choices: ['user', 'project', 'local'] },
  'setting-sources': { kind: 'choice', choices: SOURCES },
  settings: { kind: 'file' },
  title: ANY,
  transport: { kind: 'choice', choices: ['stdio', 'http', 'sse'] },
  'up-to': ANY,
  from: { kind: 'choice', choices: ['claude', 'qoder'] },
};

/** The long names, in the order of the helps. */
const COMMAND_FLAGS: Readonly<Record<string, string>> = {
  login: 'with-key',
  auth: 'json',
  models: 'json keep yes',
  sessions:
    'json dir all limit offset format output thinking up-to title both conversation files yes force dry-run older-than max-bytes clear',
  config: 'scope from write cwd json settings setting-sources',
  permissions: 'mode allowed-tools disallowed-tools json',
  hooks: 'input cwd settings setting-sources trust json',
  agents: 'cwd setting-sources trust json',
  worktrees: 'cwd discard json',
  mcp: 'scope transport env header client-id client-secret callback-port no-browser trust json',
  plugin: 'scope trust json',
  skills: 'cwd setting-sources trust json',
  doctor: 'all online cwd json',
  tools: 'json',
  acp: 'debug-file model permission-mode allowed-tools add-dir settings trust',
};

export function vocabulary(): Vocabulary {
  // The help itself has no row in the help.
  const commands = [...commandsOfHelp(), { name: 'help', about: 'the help of a command' }];
  return { flags: FLAGS.map(offeredFlag), commands: commands.map(offeredCommand) };
}

/** The rows of the help: names, and what they do. */
function commandsOfHelp(): { readonly name: string; readonly about: string }[] {
  const [, section = ''] = HELP.split(/^Commands:.*\n/m);
  const rows = section.slice(0, section.indexOf('\n\n')).split('\n');
  return rows.flatMap((row) => {
    const [, names = '', about = ''] = /^ {2}(\S.*?) {2,}(.+)$/.exec(row) ?? [];
    return names.split(', ').flatMap((usage) => {
      const name = /^[a-z]+/.exec(usage)?.[0];
      return name === undefined ? [] : [{ name, about }];
    });
  });
}

function offeredCommand({ name, about }: { readonly name: string; readonly about: string }): OfferedCommand {
  const words = Object.entries(WORDS[name] ?? {}).map(([word, [what, values = ANY]]) => ({
    name: word,
    about: what,
    values,
  }));
  const others = name === 'help' ? commandsOfHelp() : [];
  const flags = (COMMAND_FLAGS[name] ?? '').split(' ').filter((flag) => flag !== '');
  return {
    name,
    about,
    words: [...words, ...others.map((each) => ({ ...each, values: ANY }))],
    flags: [...flags, 'help'].map((flag) => ({
      names: [`--${flag}`],
      about: flag === 'help' ? 'its help' : flag.replaceAll('-', ' '),
      takes: flag in COMMAND_VALUES ? 'value' : 'nothing',
      values: COMMAND_VALUES[flag] ?? ANY,
    })),
  };
}

function offeredFlag(flag: Flag): OfferedFlag {
  const told = toldFlags().find(({ name }) => name === flag.name);
  const { name, short, takes } = flag;
  return {
    names: [`--${told?.shown ?? name}`, ...(short === undefined ? [] : [`-${short}`])],
    about: told?.does ?? '',
    takes,
    values: takes === 'nothing' ? ANY : valuesOf(flag, told?.takes ?? told?.optional ?? ''),
  };
}

function valuesOf(flag: Flag, shown: string): Values {
  if (flag.name === 'resume') return SESSION;
  const choices = choicesOf(flag);
  if (choices.length > 0) return { kind: 'choice', choices };
  if (shown.includes('folder')) return { kind: 'folder' };
  return shown.includes('file') ? { kind: 'file' } : ANY;
}

/** What a flag takes is what it names when it is given something else. */
function choicesOf(flag: Flag): readonly string[] {
  try {
    parseArgs(['-p', `--${flag.name}=no such choice`]);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [, names = '', none] = / is (?:one|a list) of ([\w, -]+?)(, or none)?, not /.exec(error.message) ?? [];
    return [...names.split(', '), ...(none === undefined ? [] : ['none'])].filter((name) => name !== '');
  }
  return []; // it takes any text
}
