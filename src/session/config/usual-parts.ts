// Whether the parts of a configuration that code of the host's own gives are what their types say. One rule: only a look,
// as every session begins with it; what is wrong says `check-parts.ts`.
import { ConfigError } from '../../protocol/errors.js';
import type { AnyTool } from '../../tools/tool.js';
import { isRecord } from '../../util/is-record.js';
import type { QueryEngineConfig } from './config.js';

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
export const LISTS = ['tools', 'commands', 'mcpClients', 'agents'] as const;
export const FUNCTIONS = ['getAppState', 'setAppState'] as const;
export const CALLBACKS = [
  'canUseTool',
  'handleElicitation',
  'setSDKStatus',
  'snipReplay',
  'parseOutput',
  'log',
  'saveUpdates',
  'resolveModel',
] as const;
export const OBJECTS = ['limits', 'hooks', 'orphanedPermission', 'env'] as const;

/** Contract: never throws. True: `checkParts` has nothing against it. */
export function hasUsualParts(config: QueryEngineConfig): boolean {
  const given = config as unknown as Readonly<Record<string, unknown>>;
  const { customSystemPrompt: prompt, appendSystemPrompt: appended, additionalDirectories: folders } = config;
  try {
    return (
      typeof config.cwd === 'string' &&
      config.cwd !== '' &&
      LISTS.every((field) => Array.isArray(given[field])) &&
      [...FUNCTIONS.map((field) => given[field]), config.readFileCache.entries].every(isFunction) &&
      CALLBACKS.every((field) => given[field] === undefined || isFunction(given[field])) &&
      OBJECTS.every((field) => given[field] === undefined || isRecord(given[field])) &&
      [prompt, appended].every((text) => text === undefined || typeof text === 'string' || isTexts(text)) &&
      !Array.isArray(appended) &&
      (folders === undefined || isTexts(folders)) &&
      config.mcpClients.every(isRecord) &&
      config.commands.every(({ name }) => typeof name === 'string') &&
      config.tools.every(isUsualTool)
    );
  } catch {
    return false; // it cannot even be read
  }
}

/** Reads each field once: one that cannot be read is told before the first request, not in the middle of a prompt. */
function isUsualTool(tool: AnyTool): boolean {
  const { name, description, inputSchema, title, subject, run, readOnly, concurrencySafe, polls, spawnsAgents } = tool;
  void [readOnly, concurrencySafe, polls, spawnsAgents, tool.asksUser, tool.acceptedInput, tool.approvedInput];
  const isTold = TOOL_NAME.test(name) && typeof description === 'string' && isRecord(inputSchema);
  return isTold && [title, subject, run].every(isFunction);
}

/** @throws ConfigError if it is none: every prompt of the session begins with it */
export function checkController(given: AbortController | null | undefined): AbortController {
  if (given === undefined || given === null) return new AbortController();
  if (isFunction(given.signal?.addEventListener)) return given;
  throw new ConfigError('abortController is none. Give a new AbortController().');
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

export function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
