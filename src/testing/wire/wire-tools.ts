// Checks of the offered tools and of `tool_choice`.
import { type CacheMark, checkCacheControl } from './wire-cache-control.js';
import { checkFields, checkJson, isRecord, type JsonRecord } from './wire-json.js';
import { createReport, type Report, type WireViolation } from './wire-violation.js';

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
