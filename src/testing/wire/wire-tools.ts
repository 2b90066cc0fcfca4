// Checks of the offered tools and of `tool_choice`, and of cache breakpoints: where one may stand, how it is written, how many
// a request may have.
import {
  checkFields,
  checkJson,
  createReport,
  isRecord,
  type JsonRecord,
  type Report,
  type WireViolation,
} from './wire-violation.js';

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const TOP_LEVEL_REFUSED = ['oneOf', 'anyOf', 'allOf'];
const TOOL_FIELDS = new Set([
  'name',
  'description',
  'input_schema',
  'cache_control',
  'type',
  'strict',
  'defer_loading',
  'eager_input_streaming',
  'input_examples',
]);
const CHOICE_FIELDS = new Set(['type', 'name', 'disable_parallel_tool_use']);

/** What is known of the list of tools. Paths start with `tools`. */
export interface ToolFacts {
  readonly names: ReadonlySet<string>;
  readonly cacheMarks: readonly CacheMark[];
  readonly size: number;
  readonly violations: readonly WireViolation[];
}

/** Checks `tools`. Contract: pure; never throws. */
export function inspectTools(tools: unknown): ToolFacts {
  const { violations, report } = createReport();
  const names = new Set<string>();
  const cacheMarks: CacheMark[] = [];
  if (tools === undefined) return { names, cacheMarks, size: 0, violations };
  const size = checkJson(tools, 'tools', report);
  if (!Array.isArray(tools)) report('tool_invalid', 'tools', 'Tools must be an array');
  else {
    for (let index = 0; index < tools.length; index++) {
      checkTool(tools[index], `tools.${index}`, names, cacheMarks, report);
    }
  }
  return { names, cacheMarks, size, violations };
}

function checkTool(tool: unknown, path: string, names: Set<string>, marks: CacheMark[], report: Report): void {
  if (!isRecord(tool) || (tool['type'] !== undefined && tool['type'] !== null && tool['type'] !== 'custom')) {
    report('tool_invalid', path, 'A tool must be an object of type custom');
    return;
  }
  checkFields(tool, TOOL_FIELDS, path, report);
  checkCacheControl({ ...tool, type: 'tool' }, path, marks, report);
  const { name, description } = tool;
  if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
    report('tool_name_invalid', `${path}.name`, `String should match pattern ${TOOL_NAME.source}`);
  } else if (names.has(name)) report('tool_name_duplicate', `${path}.name`, `Tool names must be unique: ${name}`);
  else names.add(name);
  if (description !== undefined && typeof description !== 'string') {
    report('tool_invalid', `${path}.description`, 'A description must be a string');
  }
  checkSchema(tool['input_schema'], `${path}.input_schema`, report);
}

function checkSchema(schema: unknown, path: string, report: Report): void {
  if (!isRecord(schema) || schema['type'] !== 'object') {
    report('tool_schema_invalid', `${path}.type`, 'input_schema must be a JSON Schema of type object');
    return;
  }
  for (const keyword of TOP_LEVEL_REFUSED) {
    if (schema[keyword] !== undefined) {
      report(
        'tool_schema_invalid',
        `${path}.${keyword}`,
        'input_schema does not support oneOf, allOf, or anyOf at the top level',
      );
    }
  }
  const { properties } = schema;
  if (properties === undefined) return;
  if (!isRecord(properties)) {
    report('tool_schema_invalid', `${path}.properties`, 'Properties must be an object');
    return;
  }
  for (const key in properties) {
    if (!PROPERTY_NAME.test(key)) {
      report(
        'tool_schema_invalid',
        `${path}.properties`,
        `Property keys should match pattern ${PROPERTY_NAME.source}: ${JSON.stringify(key)}`,
      );
    }
  }
}

/** Checks `tool_choice` against the offered names. `thinkingOn`: forcing a tool is then refused. */
export function checkToolChoice(
  choice: unknown,
  names: ReadonlySet<string>,
  thinkingOn: boolean,
  report: Report,
): void {
  if (choice === undefined) return;
  const problem = isRecord(choice) ? findChoiceProblem(choice, names, thinkingOn) : 'tool_choice must be an object';
  if (problem !== null) report('tool_choice_invalid', 'tool_choice', problem);
  if (isRecord(choice)) checkFields(choice, CHOICE_FIELDS, 'tool_choice', report);
}

function findChoiceProblem(choice: JsonRecord, names: ReadonlySet<string>, thinkingOn: boolean): string | null {
  const { type, name } = choice;
  if (type === 'none') return null;
  if (type !== 'auto' && type !== 'any' && type !== 'tool') return 'Type must be auto, any, tool or none';
  if (names.size === 0) return 'tool_choice may only be specified while providing tools';
  if (type === 'auto') return null;
  if (thinkingOn) return 'Thinking may not be enabled when tool_choice forces tool use';
  if (type === 'tool' && (typeof name !== 'string' || !names.has(name)))
    return `Tool ${JSON.stringify(name)} is not offered`;
  return null;
}

/** Breakpoints of one request. */
const MAX_CACHE_BREAKPOINTS = 4;

/** One breakpoint that was found, in reading order. */
export interface CacheMark {
  readonly path: string;
  readonly ttl: '5m' | '1h';
}

/** Checks the `cache_control` of one block, tool or body and adds it to `marks`. An absent one is fine. */
export function checkCacheControl(owner: JsonRecord, path: string, marks: CacheMark[], report: Report): void {
  const mark = owner['cache_control'];
  if (mark === undefined || mark === null) return;
  const place = path === '' ? 'cache_control' : `${path}.cache_control`;
  const ttl = isRecord(mark) ? (mark['ttl'] ?? '5m') : undefined;
  if (!isRecord(mark) || mark['type'] !== 'ephemeral' || (ttl !== '5m' && ttl !== '1h')) {
    report('cache_control_invalid', place, 'cache_control must be {type: "ephemeral", ttl?: "5m" | "1h"}');
    return;
  }
  const type = owner['type'];
  if (type === 'thinking' || type === 'redacted_thinking') {
    report('cache_control_target', place, 'cache_control cannot be set on thinking blocks');
  } else if (type === 'text' && owner['text'] === '') {
    report('cache_control_target', place, 'cache_control cannot be set for empty text blocks');
  }
  marks.push({ path: place, ttl });
}

/** Checks all breakpoints of a request, in the order tools, system, messages. */
export function checkCacheMarks(marks: readonly CacheMark[], report: Report): void {
  const excess = marks[MAX_CACHE_BREAKPOINTS];
  if (excess !== undefined) {
    report(
      'cache_control_excess',
      excess.path,
      `A maximum of ${MAX_CACHE_BREAKPOINTS} blocks with cache_control may be provided. Found ${marks.length}`,
    );
  }
  let shortAt: string | null = null;
  for (const mark of marks) {
    if (mark.ttl === '5m') shortAt ??= mark.path;
    else if (shortAt !== null) {
      report('cache_control_order', mark.path, `A ttl of 1h must not come after one of 5m (${shortAt})`);
      return;
    }
  }
}
