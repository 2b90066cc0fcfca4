// Every flag there is: its name, what it takes, and what it does to the run. The parser (`args.ts`) and the nearest-
// name search read this table; nothing else knows a flag's name.
import { ConfigError } from '../protocol/errors.js';
import type { JsonSchema } from '../protocol/json.js';
import type { AgentDefinition, EffortLevel } from '../protocol/options.js';
import { PERMISSION_MODES, type PermissionMode } from '../protocol/permissions.js';
import type { QueryOptions } from '../protocol/query-options.generated.js';
import { settingSources } from './setting-sources.js';
import { splitList } from './split-list.js';

export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly EffortLevel[];
export type OutputFormatName = (typeof OUTPUT_FORMATS)[number];

/** What the flags seen so far have asked for. Filled flag by flag; later flags win, lists add up. */
export interface FlagDraft {
  action: 'run' | 'help' | 'version';
  print: boolean;
  outputFormat: OutputFormatName;
  verbose: boolean;
  debugFile?: string;
  systemPrompt?: string;
  appendSystemPrompt?: string;
  /** `--dangerously-skip-permissions`: allowed, and on unless a mode is named. */
  skipPermissions: boolean;
  /** The folder is trusted for this run. */
  trust: boolean;
  /** `--resume` without an id. */
  choosesSession: boolean;
  /** Of `--mcp-config`: files with MCP servers, or JSON. */
  readonly mcpConfigs: string[];
  readonly options: QueryOptions;
}

/** One flag. `apply` gets the flag as it was typed, for messages; `value` is '' where the flag takes none. */
export interface Flag {
  /** Kebab-case, without dashes. The camelCase spelling is accepted too. */
  readonly name: string;
  readonly short?: string;
  /** `optional`: takes the next word unless that is a flag. */
  readonly takes: 'nothing' | 'value' | 'optional';
  apply(draft: FlagDraft, value: string, typed: string): void;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const ID_PART = /^[0-9a-f]{4}[0-9a-f-]{0,32}$/i;

export const FLAGS: readonly Flag[] = [
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
  { name: 'model', takes: 'value', apply: (draft, value, typed) => set(draft, 'model', filled(value, typed)) },
  {
    name: 'max-turns',
    takes: 'value',
    apply: (draft, value, typed) => set(draft, 'maxTurns', wholeNumber(value, typed)),
  },
  {
    name: 'max-budget-usd',
    takes: 'value',
    apply: (draft, value, typed) => set(draft, 'maxBudgetUsd', amount(value, typed)),
  },
  {
    name: 'task-budget',
    takes: 'value',
    apply: (draft, value, typed) => set(draft, 'taskBudget', { total: wholeNumber(value, typed) }),
  },
  {
    name: 'fallback-model',
    takes: 'value',
    apply: (draft, value, typed) => set(draft, 'fallbackModel', filled(value, typed)),
  },
  {
    name: 'effort',
    takes: 'value',
    apply: (draft, value, typed) => set(draft, 'effort', oneOf(EFFORTS, value, typed)),
  },
  { name: 'agent', takes: 'value', apply: (draft, value, typed) => set(draft, 'agent', filled(value, typed)) },
  { name: 'agents', takes: 'value', apply: applyAgents },
  { name: 'coordinator', takes: 'nothing', apply: (draft) => set(draft, 'coordinator', true) },
  { name: 'json-schema', takes: 'value', apply: applyJsonSchema },
  { name: 'allowed-tools', takes: 'value', apply: (draft, value) => add(draft, 'allowedTools', splitList(value)) },
  {
    name: 'disallowed-tools',
    takes: 'value',
    apply: (draft, value) => add(draft, 'disallowedTools', splitList(value)),
  },
  { name: 'tools', takes: 'value', apply: applyTools },
  {
    name: 'permission-mode',
    takes: 'value',
    apply: (draft, value, typed) => set(draft, 'permissionMode', oneOf<PermissionMode>(PERMISSION_MODES, value, typed)),
  },
  {
    name: 'judge',
    takes: 'value',
    apply: (draft, value, typed) => set(draft, 'autoMode', { judge: filled(value, typed) }),
  },
  {
    name: 'allow-dangerously-skip-permissions',
    takes: 'nothing',
    apply: (draft) => set(draft, 'allowDangerouslySkipPermissions', true),
  },
  {
    name: 'dangerously-skip-permissions',
    takes: 'nothing',
    apply: (draft) => {
      draft.skipPermissions = true;
      set(draft, 'allowDangerouslySkipPermissions', true);
    },
  },
  { name: 'defer-permissions', takes: 'nothing', apply: (draft) => set(draft, 'deferPermissions', true) },
  { name: 'allow-call', takes: 'value', apply: decide('allow') },
  { name: 'deny-call', takes: 'value', apply: decide('deny') },
  { name: 'cwd', takes: 'value', apply: (draft, value, typed) => set(draft, 'cwd', filled(value, typed)) },
  {
    name: 'mcp-config',
    takes: 'value',
    apply: (draft, value, typed) => void draft.mcpConfigs.push(filled(value, typed)),
  },
  { name: 'strict-mcp-config', takes: 'nothing', apply: (draft) => set(draft, 'strictMcpConfig', true) },
  { name: 'sandbox', takes: 'nothing', apply: (draft) => set(draft, 'sandbox', { enabled: true }) },
  {
    name: 'add-dir',
    takes: 'value',
    apply: (draft, value, typed) => add(draft, 'additionalDirectories', [filled(value, typed)]),
  },
  { name: 'settings', takes: 'value', apply: (draft, value, typed) => set(draft, 'settings', filled(value, typed)) },
  {
    name: 'setting-sources',
    takes: 'value',
    apply: (draft, value, typed) => set(draft, 'settingSources', settingSources(value, typed)),
  },
  {
    name: 'trust',
    takes: 'nothing',
    apply: (draft) => {
      draft.trust = true;
    },
  },
  { name: 'resume', short: 'r', takes: 'optional', apply: applyResume },
  { name: 'continue', short: 'c', takes: 'nothing', apply: (draft) => set(draft, 'continue', true) },
  { name: 'session-id', takes: 'value', apply: applySessionId },
  { name: 'fork-session', takes: 'nothing', apply: (draft) => set(draft, 'forkSession', true) },
  { name: 'resume-session-at', takes: 'value', apply: applyMessageId('resumeSessionAt') },
  { name: 'resume-drops-turn', takes: 'value', apply: applyMessageId('resumeDropsTurn') },
  {
    name: 'system-prompt',
    takes: 'value',
    apply: (draft, value) => {
      draft.systemPrompt = value;
    },
  },
  {
    name: 'append-system-prompt',
    takes: 'value',
    apply: (draft, value) => {
      draft.appendSystemPrompt = value;
    },
  },
  {
    name: 'include-partial-messages',
    takes: 'nothing',
    apply: (draft) => set(draft, 'includePartialMessages', true),
  },
  {
    name: 'enable-file-checkpointing',
    takes: 'nothing',
    apply: (draft) => set(draft, 'enableFileCheckpointing', true),
  },
  {
    name: 'no-file-checkpointing',
    takes: 'nothing',
    apply: (draft) => set(draft, 'enableFileCheckpointing', false),
  },
  { name: 'no-session-persistence', takes: 'nothing', apply: (draft) => set(draft, 'persistSession', false) },
  {
    name: 'verbose',
    takes: 'nothing',
    apply: (draft) => {
      draft.verbose = true;
    },
  },
  {
    name: 'debug-file',
    takes: 'value',
    apply: (draft, value, typed) => {
      draft.debugFile = filled(value, typed);
    },
  },
];

function set<Key extends keyof QueryOptions>(draft: FlagDraft, key: Key, value: QueryOptions[Key]): void {
  draft.options[key] = value;
}

function add(
  draft: FlagDraft,
  key: 'allowedTools' | 'disallowedTools' | 'additionalDirectories',
  more: string[],
): void {
  draft.options[key] = [...(draft.options[key] ?? []), ...more];
}

/** Ids of calls that wait, as the result before named them. */
function decide(behavior: 'allow' | 'deny'): Flag['apply'] {
  return (draft, value, typed) => {
    const made = splitList(filled(value, typed)).map((toolUseID) =>
      behavior === 'allow' ? { toolUseID, behavior } : { toolUseID, behavior, message: 'The user refused this call.' },
    );
    set(draft, 'decisions', [...(draft.options.decisions ?? []), ...made]);
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

/** Without an id: a person chooses, and where nobody can, it is the newest session of the folder, as `--continue`. */
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

/** Later ones are added to earlier ones. What stands in a definition is checked where the session opens. */
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
