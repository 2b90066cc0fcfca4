// What is wrong with a configuration whose parts are not what their types say: told before anything is sent, with a word
// about what each should have been. Loaded where something is.

import { ConfigError } from '../../protocol/errors.js';
import type { AnyTool } from '../../tools/tool.js';
import { isRecord } from '../../util/is-record.js';
import { errorText } from '../../util/text.js';
import { CALLBACKS, FUNCTIONS, isTexts, LISTS, OBJECTS, refuse, TOOL_NAME } from './check-config.js';
import type { QueryEngineConfig } from './config.js';

/** @throws ConfigError that names the field, what it is, and what to give */
export function checkParts(config: QueryEngineConfig): void {
  const given = config as unknown as Readonly<Record<string, unknown>>;
  const { cwd, readFileCache, customSystemPrompt: prompt, appendSystemPrompt: appended } = config;
  if (typeof cwd !== 'string' || cwd === '') refuse('cwd', cwd, 'Give the absolute path of a folder');
  for (const field of LISTS)
    if (!Array.isArray(given[field])) refuse(field, given[field], 'Give a list, which may be empty');
  for (const field of FUNCTIONS)
    if (typeof given[field] !== 'function') refuse(field, given[field], 'Give a function, as createAppState() has it');
  for (const field of CALLBACKS)
    if (isGiven(given[field]) && typeof given[field] !== 'function') refuse(field, given[field], 'Give a function');
  for (const field of OBJECTS)
    if (given[field] !== undefined && !isRecord(given[field])) refuse(field, given[field], 'Give an object');
  if (typeof readFileCache?.entries !== 'function')
    refuse('readFileCache', readFileCache, 'Give one that createFileStateCache() made');
  if (isGiven(prompt) && typeof prompt !== 'string' && !isTexts(prompt))
    refuse('customSystemPrompt', prompt, 'Give a text or a list of texts');
  if (appended !== undefined && typeof appended !== 'string') refuse('appendSystemPrompt', appended, 'Give a text');
  if (isGiven(given['additionalDirectories']) && !isTexts(given['additionalDirectories']))
    refuse('additionalDirectories', given['additionalDirectories'], 'Give a list of paths');
  for (const [index, client] of config.mcpClients.entries())
    if (!isRecord(client)) refuse(`mcpClients[${index}]`, client, 'Give a connection { name, type, client }');
  for (const [index, command] of config.commands.entries())
    if (typeof command?.name !== 'string') refuse(`commands[${index}]`, command, 'Give a command with a name');
  for (const [index, tool] of config.tools.entries()) checkTool(tool, `tools[${index}]`);
}

function checkTool(tool: AnyTool, where: string): void {
  if (!isRecord(tool)) refuse(where, tool, 'Give a tool, as defineTool() declares it');
  try {
    const { name, description, inputSchema, title, subject, run } = tool;
    if (typeof name !== 'string' || !TOOL_NAME.test(name))
      refuse(`${where}.name`, name, 'Give up to 128 letters, digits, _ and -');
    if (typeof description !== 'string') refuse(`${where}.description (${name})`, description, 'Give a text');
    if (!isRecord(inputSchema)) refuse(`${where}.inputSchema (${name})`, inputSchema, 'Give a JSON Schema');
    for (const [key, method] of Object.entries({ title, subject, run }))
      if (typeof method !== 'function') refuse(`${where}.${key} (${name})`, method, 'Give a function');
    const { readOnly, concurrencySafe, polls, spawnsAgents, asksUser, acceptedInput, approvedInput } = tool;
    void [readOnly, concurrencySafe, polls, spawnsAgents, asksUser, acceptedInput, approvedInput];
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${where} cannot be read: ${errorText(error)}.`, { cause: error });
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
