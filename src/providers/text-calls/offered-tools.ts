// The tools of one request, and which JSON is a call of one. Rule: the name of a tool that was offered, and nothing in the
// JSON that has no place in a call.

import { isRecord } from '../../util/json.js';
import type { ToolDefinition } from '../contract/index.js';
import { setField } from './loose-json.js';
import { fitsByName, propertiesOf, repairInput } from './repair-input.js';

export interface FoundCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

export interface OfferedTools {
  /** The tool a model means: its name, perhaps as `functions.NAME:0`. */
  named(name: string): ToolDefinition | undefined;
  /** A call of a tool by its name with an input that was read; null if it is none. */
  call(name: string, input: unknown): FoundCall | null;
  /**
   * The calls that a value is; null if any part of it is something else. `isMarked`: something else than the JSON says
   * that it is a call; without it the input must have all that the tool demands, and nothing it does not know.
   */
  calls(value: unknown, isMarked: boolean): readonly FoundCall[] | null;
}

const NAME_KEYS = ['name', 'tool', 'tool_name', 'toolName', 'function', 'function_name', 'action', 'recipient_name'];
const INPUT_KEYS = ['arguments', 'parameters', 'args', 'params', 'input', 'tool_input', 'action_input', 'kwargs'];
const LIST_KEYS = ['tool_calls', 'tool_call', 'function_calls', 'function_call', 'tool_uses', 'calls'];
const OTHER_KEYS = ['type', 'id', 'index', 'call_id', 'tool_call_id'];
/** What an object that is a call may begin with. */
export const CALL_KEYS: ReadonlySet<string> = new Set([...NAME_KEYS, ...INPUT_KEYS, ...LIST_KEYS, ...OTHER_KEYS]);

const AROUND_NAME = /^(?:functions|default_api|tools)\.|:\d+$/g;

export interface OfferedToolsOptions {
  /** A name may also be in another letter case, if one tool alone has it. */
  readonly anyCase?: boolean;
}

export function createOfferedTools(
  tools: readonly ToolDefinition[],
  { anyCase = false }: OfferedToolsOptions = {},
): OfferedTools {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const named = (given: string) => {
    const name = given.replace(AROUND_NAME, '');
    return byName.get(given) ?? byName.get(name) ?? (anyCase ? onlyInAnyCase(name, tools) : undefined);
  };
  const call = (name: string, input: unknown): FoundCall | null => {
    const tool = named(name);
    if (tool === undefined) return null;
    const repaired = repairInput(input ?? {}, tool.input_schema);
    return repaired === null ? null : { name: tool.name, input: repaired };
  };
  const calls = (value: unknown, isMarked: boolean): readonly FoundCall[] | null => {
    if (Array.isArray(value)) {
      const found = value.map((item) => calls(item, isMarked));
      return found.length === 0 || found.includes(null) ? null : found.flatMap((some) => some ?? []);
    }
    if (!isRecord(value)) return null;
    const inner = innerOf(value);
    if (inner !== undefined) return calls(inner, isMarked);
    const parts = partsOf(value, isMarked, named);
    const found = parts === null ? null : call(parts.name, parts.input);
    if (found === null) return null;
    const schema = named(found.name)?.input_schema ?? {};
    return isMarked || fitsByName(found.input, schema) ? [found] : null;
  };
  return { named, call, calls };
}

function onlyInAnyCase(name: string, tools: readonly ToolDefinition[]): ToolDefinition | undefined {
  const [tool, ...others] = tools.filter((each) => each.name.toLowerCase() === name.toLowerCase());
  return others.length === 0 ? tool : undefined;
}

/** What a wrapper is around: `{"tool_calls": […]}`, `{"type": "function", "function": {…}}`. */
function innerOf(value: Record<string, unknown>): unknown {
  const keys = Object.keys(value).filter((key) => !OTHER_KEYS.includes(key));
  const [key] = keys;
  if (keys.length !== 1 || key === undefined) return undefined;
  if (LIST_KEYS.includes(key)) return value[key];
  return key === 'function' && isRecord(value[key]) ? value[key] : undefined;
}

function partsOf(
  value: Record<string, unknown>,
  isMarked: boolean,
  named: OfferedTools['named'],
): { readonly name: string; readonly input: unknown } | null {
  const names = NAME_KEYS.filter((key) => typeof value[key] === 'string');
  const [nameKey] = names;
  if (names.length !== 1 || nameKey === undefined) return null;
  const name = String(value[nameKey]);
  const rest = Object.keys(value).filter((key) => key !== nameKey && !OTHER_KEYS.includes(key));
  const [inputKey] = rest;
  if (rest.length === 1 && inputKey !== undefined && INPUT_KEYS.includes(inputKey)) {
    const input = value[inputKey];
    return { name, input: input === '' ? {} : input };
  }
  const tool = named(name);
  if (!isMarked || tool === undefined) return null;
  // The input beside the name, if it cannot be anything else.
  const properties = propertiesOf(tool.input_schema);
  if (Object.hasOwn(properties, nameKey) || !rest.every((key) => Object.hasOwn(properties, key))) return null;
  const input: Record<string, unknown> = {};
  for (const key of rest) setField(input, key, value[key]);
  return { name, input };
}
