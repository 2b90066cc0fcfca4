// Every flag there is: its name, what it takes, and what it does to the run. Most set an option and are declared with it;
// here stand those that do more. The parser (`args.ts`) and the nearest-name search read this list.
import { ConfigError } from '../../protocol/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import {
  type AgentDefinition,
  type EffortLevel,
  THINKING_DISPLAYS,
  type ThinkingDisplay,
} from '../../protocol/options.js';
import { PERMISSION_MODES, type PermissionMode } from '../../protocol/permissions.js';
import type { QueryOptions } from '../../protocol/query-options.generated.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import type { Options } from '../../sdk/options/index.js';
import type { LocalPlugin } from '../../sdk/plugins/index.js';
import { UUID } from '../../util/text.js';
import { settingSources, splitList } from './flag-values.js';
import { OPTION_FLAGS } from './option-flags.generated.js';

export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;
const THINKING_TYPES = ['adaptive', 'enabled', 'disabled'] as const;
const PROMPTED = ['host', 'none'] as const;
export const INPUT_FORMATS = ['text', 'stream-json'] as const;
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly EffortLevel[];
export type OutputFormatName = (typeof OUTPUT_FORMATS)[number];

/** Options that flags set: of those with a wider form, the one of published SDKs. */
export type FlagOptions = QueryOptions & Omit<Options, keyof QueryOptions>;

/** What the flags seen so far have asked for. Filled flag by flag; later flags win, lists add up. */
export interface FlagDraft {
  action: 'run' | 'help' | 'version';
  print: boolean;
  outputFormat: OutputFormatName;
  /** `--input-format stream-json`: the protocol for programs, in both directions. */
  inputFormat: (typeof INPUT_FORMATS)[number];
  /** `--await-initialize`. */
  awaitsInitialize: boolean;
  /** `--session-mirror`. */
  mirrors: boolean;
  /** `--permission-prompt-tool stdio`. */
  asksClient: boolean;
  verbose: boolean;
  /** `--plain` or `--screen-reader`: lines, and never a screen that is drawn again. */
  isPlain: boolean;
  /** `--screen-reader`: lines that are made to be read aloud. */
  isForScreenReader: boolean;
  /** A line about each message goes to stderr. */
  debug?: boolean;
  debugFile?: string;
  thinking?: (typeof THINKING_TYPES)[number];
  thinkingDisplay?: ThinkingDisplay;
  systemPrompt?: string;
  /** A file with the same. */
  systemPromptFile?: string;
  appendSystemPrompt?: string;
  /** `--dangerously-skip-permissions`: allowed, and on unless a mode is named. */
  skipPermissions: boolean;
  /** The folder is trusted for this run. */
  trust: boolean;
  /** `--resume` without an id. */
  choosesSession: boolean;
  /** Of `--mcp-config`: files with MCP servers, or JSON. */
  readonly mcpConfigs: string[];
  readonly options: FlagOptions;
}

/** One flag. `apply` gets the flag as it was typed, for messages; `value` is '' if the flag takes none. */
export interface Flag {
  /** Kebab-case, without dashes. The camelCase spelling is accepted too. */
  readonly name: string;
  readonly short?: string;
  /** `optional`: takes the next word unless that is a flag. */
  readonly takes: 'nothing' | 'value' | 'optional';
  apply(draft: FlagDraft, value: string, typed: string): void;
}

const ID_PART = /^[0-9a-f]{4}[0-9a-f-]{0,32}$/i;

/** Flags that set no option. */
const FACE_FLAGS: readonly Flag[] = [
  {
    name: 'help',
    short: 'h',
    takes: 'nothing',
    apply: (draft) => {
      draft.action = 'help';
    },
  },
  {
    name: 'version',
    short: 'v',
    takes: 'nothing',
    apply: (draft) => {
      if (draft.action !== 'help') draft.action = 'version';
    },
  },
  {
    name: 'print',
    short: 'p',
    takes: 'nothing',
    apply: (draft) => {
      draft.print = true;
    },
  },
  {
    name: 'output-format',
    takes: 'value',
    apply: (draft, value, typed) => {
      draft.outputFormat = oneOf(OUTPUT_FORMATS, value, typed);
    },
  },
  {
    name: 'input-format',
    takes: 'value',
    apply: (draft, value, typed) => {
      draft.inputFormat = oneOf(INPUT_FORMATS, value, typed);
    },
  },
  {
    name: 'await-initialize',
    takes: 'nothing',
    apply: (draft) => {
      draft.awaitsInitialize = true;
    },
  },
  {
    name: 'session-mirror',
    takes: 'nothing',
    apply: (draft) => {
      draft.mirrors = true;
    },
  },
  {
    // A published client always says it; no skill is built in here.
    name: 'disable-builtin-skills',
    takes: 'nothing',
    apply: () => undefined,
  },
  {
    name: 'verbose',
    takes: 'nothing',
    apply: (draft) => {
      draft.verbose = true;
    },
  },
  {
    name: 'plain',
    takes: 'nothing',
    apply: (draft) => {
      draft.isPlain = true;
    },
  },
  {
    name: 'screen-reader',
    takes: 'nothing',
    apply: (draft) => {
      draft.isPlain = true;
      draft.isForScreenReader = true;
    },
  },
];

type OptionFlag = (typeof OPTION_FLAGS)[number];

/** Flags that do more than to set their option to the value. */
const OWN: Readonly<Record<Extract<OptionFlag, { readonly takes: string }>['name'], Flag['apply']>> = {
  agents: applyAgents,
  'allow-call': decide('allow'),
  'append-system-prompt': (draft, value) => {
    draft.appendSystemPrompt = value;
  },
  'dangerously-skip-permissions': (draft) => {
    draft.skipPermissions = true;
    draft.options.allowDangerouslySkipPermissions = true;
  },
  debug: (draft) => {
    draft.debug = true;
  },
  'debug-file': (draft, value, typed) => {
    draft.debugFile = filled(value, typed);
  },
  'deny-call': decide('deny'),
  effort: (draft, value, typed) => {
    draft.options.effort = oneOf(EFFORTS, value, typed);
  },
  'json-schema': applyJsonSchema,
  judge: (draft, value, typed) => {
    draft.options.autoMode = { judge: filled(value, typed) };
  },
  'managed-settings': (draft, value, typed) => {
    draft.options.managedSettings = jsonObject(value, typed, 'a JSON object of settings') as Settings;
  },
  'max-thinking-tokens': (draft, value, typed) => {
    draft.options.maxThinkingTokens = value === '0' ? 0 : wholeNumber(value, typed);
  },
  'mcp-config': (draft, value, typed) => {
    draft.mcpConfigs.push(filled(value, typed));
  },
  'permission-mode': (draft, value, typed) => {
    draft.options.permissionMode = oneOf<PermissionMode>(PERMISSION_MODES, value, typed);
  },
  'permission-prompts': (draft, value, typed) => {
    draft.options.permissionPrompts = oneOf(PROMPTED, value, typed);
  },
  'plugin-dir': addPlugin(true),
  'plugin-dir-no-mcp': addPlugin(false),
  resume: applyResume,
  'permission-prompt-tool': (draft, value, typed) => {
    if (value === 'stdio') draft.asksClient = true;
    else draft.options.permissionPromptToolName = filled(value, typed);
  },
  'resume-drops-turn': applyMessageId('resumeDropsTurn'),
  'resume-session-at': applyMessageId('resumeSessionAt'),
  sandbox: (draft) => {
    draft.options.sandbox = { enabled: true };
  },
  'session-id': applySessionId,
  'setting-sources': (draft, value, typed) => {
    draft.options.settingSources = settingSources(value, typed);
  },
  'system-prompt': (draft, value) => {
    draft.systemPrompt = value;
  },
  'system-prompt-file': (draft, value, typed) => {
    draft.systemPromptFile = filled(value, typed);
  },
  'task-budget': (draft, value, typed) => {
    draft.options.taskBudget = { total: wholeNumber(value, typed) };
  },
  thinking: (draft, value, typed) => {
    draft.thinking = oneOf(THINKING_TYPES, value, typed);
  },
  'thinking-display': (draft, value, typed) => {
    draft.thinkingDisplay = oneOf(THINKING_DISPLAYS, value, typed);
  },
  tools: applyTools,
  trust: (draft) => {
    draft.trust = true;
  },
};

/** Every flag there is. */
export const FLAGS: readonly Flag[] = [...FACE_FLAGS, ...OPTION_FLAGS.map(flagOf)];

function flagOf(declared: OptionFlag): Flag {
  if ('takes' in declared) return { ...declared, apply: OWN[declared.name] };
  const isSwitch = declared.reads === 'true' || declared.reads === 'false';
  return {
    ...declared,
    takes: isSwitch ? 'nothing' : 'value',
    apply: setter(declared.option, declared.reads),
  };
}

/** That the option takes what is read is checked when the flag is declared. */
function setter(option: keyof FlagOptions, reads: keyof typeof READ): Flag['apply'] {
  return (draft, value, typed) => {
    const options = draft.options as Record<string, unknown>;
    const read = READ[reads](value, typed);
    options[option] = Array.isArray(read) ? [...((options[option] as string[] | undefined) ?? []), ...read] : read;
  };
}

const READ = {
  true: () => true,
  false: () => false,
  text: filled,
  count: wholeNumber,
  amount,
  one: (value: string, typed: string) => [filled(value, typed)],
  list: splitList,
} as const;

/** Ids of calls that wait, as the result before named them. */
function decide(behavior: 'allow' | 'deny'): Flag['apply'] {
  return (draft, value, typed) => {
    const made = splitList(filled(value, typed)).map((toolUseID) =>
      behavior === 'allow' ? { toolUseID, behavior } : { toolUseID, behavior, message: 'The user refused this call.' },
    );
    draft.options.decisions = [...(draft.options.decisions ?? []), ...made];
  };
}

function addPlugin(isWithServers: boolean): Flag['apply'] {
  return (draft, value, typed) => {
    const plugin: LocalPlugin = {
      type: 'local',
      path: filled(value, typed),
      ...(isWithServers ? {} : { withoutServers: true }),
    };
    draft.options.plugins = [...(draft.options.plugins ?? []), plugin];
  };
}

/** `--tools=` means no tools at all, `--tools=default` all of them. */
function applyTools(draft: FlagDraft, value: string): void {
  const names = splitList(value);
  if (names.length === 1 && names[0] === 'default') {
    draft.options.tools = { type: 'preset', preset: 'turnwright' };
    return;
  }
  const earlier = Array.isArray(draft.options.tools) ? draft.options.tools : [];
  draft.options.tools = [...earlier, ...names];
}

/** Without an id: a person chooses, and if nobody can, it is the newest session of the folder, as `--continue`. */
function applyResume(draft: FlagDraft, value: string): void {
  draft.choosesSession = value === '';
  if (value === '') draft.options.continue = true;
  else draft.options.resume = value;
}

/** The id of a session that is to be: nothing is there that its beginning could stand for. */
function applySessionId(draft: FlagDraft, value: string, typed: string): void {
  if (!UUID.test(value)) throw new ConfigError(`${typed} needs a UUID, not ${quote(value)}.`);
  draft.options.sessionId = value;
}

/** An id, or its first characters. */
function applyMessageId(name: 'resumeSessionAt' | 'resumeDropsTurn'): Flag['apply'] {
  return (draft, value, typed) => {
    if (!ID_PART.test(value)) {
      throw new ConfigError(`${typed} needs a UUID, or its first 4 characters or more, not ${quote(value)}.`);
    }
    draft.options[name] = value;
  };
}

function applyJsonSchema(draft: FlagDraft, value: string, typed: string): void {
  draft.options.outputFormat = {
    type: 'json_schema',
    schema: jsonObject(value, typed, 'a JSON Schema object') as JsonSchema,
  };
}

/** Later ones are added to earlier ones. What stands in a definition is checked when the session opens. */
function applyAgents(draft: FlagDraft, value: string, typed: string): void {
  const agents = jsonObject(value, typed, 'a JSON object of agent definitions') as Record<string, AgentDefinition>;
  draft.options.agents = { ...draft.options.agents, ...agents };
}

function jsonObject(value: string, typed: string, what: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch (error) {
    throw new ConfigError(`${typed} needs ${what}: ${error instanceof Error ? error.message : ''}.`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ConfigError(`${typed} needs ${what}, not ${quote(value)}.`);
  }
  return parsed as Record<string, unknown>;
}

function amount(value: string, typed: string): number {
  const number = /^\d{0,9}(\.\d{1,9})?$/.test(value) ? Number(value) : 0;
  if (!(number > 0)) throw new ConfigError(`${typed} needs an amount in US dollars above 0, not ${quote(value)}.`);
  return number;
}

function oneOf<Name extends string>(names: readonly Name[], value: string, typed: string): Name {
  const found = names.find((name) => name === value);
  if (found === undefined) throw new ConfigError(`${typed} is one of ${names.join(', ')}, not ${quote(value)}.`);
  return found;
}

function wholeNumber(value: string, typed: string): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (number < 1) throw new ConfigError(`${typed} needs a whole number from 1 on, not ${quote(value)}.`);
  return number;
}

function filled(value: string, typed: string): string {
  if (value.trim() === '') throw new ConfigError(`${typed} needs a value.`);
  return value;
}

function quote(value: string): string {
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 59)}…` : value);
}
