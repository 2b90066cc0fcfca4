// Every option of `query()`, declared once: its name and the kind of value it takes. Checks, and the list of names there
// are, come from here. One rule: only a look, as every session begins with it; what is wrong says `wrong-option.ts`.
import { isAiSdkModel } from '../../providers/ai-sdk/index.js';
import type { Options } from '../options.js';

export type SingleKind =
  | 'flag'
  | 'number'
  | 'text'
  | 'texts'
  /** A list of objects. */
  | 'objects'
  /** A text that can name a file. */
  | 'path'
  | 'object'
  | 'function'
  /** Texts or nothing by name, such as variables. */
  | 'variables'
  | 'controller'
  | 'host'
  | 'provider';

/** A kind of value, or several of which one will do. */
export type OptionKind = SingleKind | readonly SingleKind[];

/** The kinds that fit a type, as far as types tell. */
type KindsFor<T> = [T] extends [boolean]
  ? 'flag'
  : [T] extends [number]
    ? 'number'
    : [T] extends [string]
      ? 'text' | 'path'
      : [T] extends [(...args: never[]) => unknown]
        ? 'function'
        : [T] extends [readonly string[]]
          ? 'texts'
          : [T] extends [readonly unknown[]]
            ? 'objects'
            : Exclude<OptionKind, 'flag' | 'number' | 'text' | 'path' | 'texts' | 'objects' | 'function'>;

/** The type check holds the list complete, and each kind fitting. */
export const DECLARED_OPTIONS = {
  abortController: 'controller',
  additionalDirectories: 'texts',
  agent: 'text',
  agents: 'object',
  allowDangerouslySkipPermissions: 'flag',
  allowedTools: 'texts',
  auth: 'object',
  autoCompact: 'flag',
  autoMode: 'object',
  budget: 'object',
  caFile: 'path',
  canUseTool: 'function',
  catalogueOverrides: 'object',
  cleanupPeriodDays: 'number',
  contextWindow: 'number',
  continue: 'flag',
  coordinator: 'flag',
  cwd: 'path',
  decisions: 'objects',
  deferPermissions: 'flag',
  deferredExpiryMs: 'number',
  disallowedTools: 'texts',
  effort: 'text',
  enableFileCheckpointing: ['flag', 'text'],
  env: 'variables',
  executable: 'text',
  executableArgs: 'texts',
  experimentalCloudAgent: 'object',
  extraArgs: 'object',
  fallback: 'object',
  fallbackModel: 'text',
  forkSession: 'flag',
  hooks: 'object',
  host: 'host',
  includeHookEvents: 'flag',
  includePartialMessages: 'flag',
  isNonInteractiveSession: 'flag',
  limits: 'object',
  loadTimeoutMs: 'number',
  managedSettings: 'object',
  maxAgentDepth: 'number',
  maxBudgetUsd: 'number',
  maxTurns: 'number',
  mcpServers: 'object',
  model: ['text', 'object'],
  modelObjects: 'object',
  modelTiers: 'object',
  modelsFile: 'path',
  onElicitation: 'function',
  outputFormat: 'object',
  pathToClaudeCodeExecutable: 'text',
  pathToQoderCLIExecutable: 'text',
  permissionMode: 'text',
  permissionPromptToolName: 'text',
  persistSession: 'flag',
  planModeInstructions: 'text',
  plugins: 'objects',
  prefetch: 'function',
  promptSuggestions: 'flag',
  provider: 'provider',
  providers: 'object',
  proxy: 'text',
  redactSecrets: 'flag',
  replayUserMessages: 'flag',
  resolveModel: 'function',
  resolveModelTimeoutMs: 'number',
  resume: 'text',
  resumeDropsTurn: 'text',
  resumeSessionAt: 'text',
  sandbox: 'object',
  sessionId: 'text',
  sessionStore: 'object',
  sessionStoreFlush: 'text',
  settings: ['path', 'object'],
  settingSources: 'texts',
  skills: ['text', 'texts'],
  spawnClaudeCodeProcess: 'function',
  spawnQoderCLIProcess: 'function',
  strictMcpConfig: 'flag',
  systemPrompt: ['text', 'texts', 'object'],
  taskBudget: 'object',
  thinking: 'object',
  title: 'text',
  titles: 'text',
  toolConfig: 'object',
  toolUseSummaries: ['flag', 'object'],
  tools: ['texts', 'object'],
  waitUntilReset: 'flag',
} as const satisfies { readonly [Name in keyof Options]-?: KindsFor<Exclude<Options[Name], undefined>> };

/**
 * The name of an option whose value is of another kind than it takes, '' if the options are no object; null if all is
 * well. An option that is undefined is absent; a name that there is not is nobody's option.
 * Contract: never throws, whatever it is given.
 */
export function findWrongOption(options: unknown): string | null {
  if (!isOfKind('object', options)) return '';
  const given = options as Readonly<Record<string, unknown>>;
  let at = '';
  try {
    for (at of Object.keys(given)) {
      const kind: OptionKind | undefined = Object.hasOwn(DECLARED_OPTIONS, at)
        ? DECLARED_OPTIONS[at as keyof typeof DECLARED_OPTIONS]
        : undefined;
      if (kind !== undefined && given[at] !== undefined && !isOfKind(kind, given[at])) return at;
    }
    return null;
  } catch {
    return at; // it cannot even be read
  }
}

/** Contract: reads what stands in the value once, so that one that cannot be read is found here, by a throw. */
export function isOfKind(kind: OptionKind, value: unknown): boolean {
  if (typeof kind !== 'string') return kind.some((single) => isOfKind(single, value));
  switch (kind) {
    case 'flag':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number' && !Number.isNaN(value);
    case 'text':
      return typeof value === 'string';
    case 'function':
      return typeof value === 'function';
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'objects':
      return Array.isArray(value) && value.every(isReadable);
    case 'path':
      return typeof value === 'string' && !value.includes('\0');
    case 'object':
      return isReadable(value);
    case 'variables':
      return isReadable(value) && Object.values(value).every((item) => item === undefined || typeof item === 'string');
    case 'controller':
      return has(value, 'abort') && typeof (value['signal'] as AbortSignal | null)?.addEventListener === 'function';
    case 'provider':
      return has(value, 'stream') || isAiSdkModel(value);
    case 'host':
      return has(value, 'sha256') && HOST_PARTS.every((part) => isReadable(value[part]));
  }
}

const HOST_PARTS = ['fs', 'exec', 'processes', 'clock', 'ids', 'env', 'platform'] as const;

/** An object that is no list. */
function isReadable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).length >= 0;
}

function has(value: unknown, method: string): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[method] === 'function'
  );
}
