// A hook that calls a tool of an MCP server and reads its text as what a command prints.
import type { HookInput } from '../protocol/hooks.js';
import { isRecord } from '../util/is-record.js';
import { readPrinted } from './command-answer.js';
import type { HookAnswer } from './declared-hook.js';
import type { ActionHook, HookAction, HookPowers } from './hook-action.js';

type ToolAction = Extract<HookAction, { readonly type: 'mcp_tool' }>;

/** @throws EngineError with why the tool gave nothing; AbortError */
export async function callForEvent(
  { event }: ActionHook,
  { server, tool, input }: ToolAction,
  happened: HookInput,
  { callTool }: Pick<HookPowers, 'callTool'>,
  signal: AbortSignal,
): Promise<HookAnswer> {
  const stdout = await callTool(server, tool, filled(input, happened) as Record<string, unknown>, signal);
  return readPrinted(event, stdout, { stdout, stderr: '', exitCode: null });
}

/** Texts with the fields of the event that they name; '' for what is not there, JSON for what is no text. */
function filled(value: unknown, happened: HookInput): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\{([\w.]+)\}/g, (_, path: string) => asText(fieldOf(happened, path.split('.'))));
  if (Array.isArray(value)) return value.map((each) => filled(each, happened));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, happened)]));
}

function fieldOf(whole: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((value, name) => {
    const isThere = (isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, name);
    return isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  }, whole);
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
