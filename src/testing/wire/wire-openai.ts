// What the checkers of OpenAI's two request forms share: names of tools, schemas, images.
import { isRecord, type JsonRecord, type Report } from './wire-violation.js';

/** Longest id of a call, characters. */
export const MAX_CALL_ID = { chat: 40, responses: 64 } as const;

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const IMAGE_DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

export function checkToolName(name: unknown, path: string, report: Report): name is string {
  if (typeof name === 'string' && TOOL_NAME.test(name)) return true;
  report('tool_name_invalid', path, `Expected a string that matches the pattern ${TOOL_NAME.source}`);
  return false;
}

/** Checks definitions one after the other: names are unique, schemas are of objects. */
export function createNameCheck(path: string, report: Report) {
  const seen = new Set<string>();
  return {
    seen: seen as ReadonlySet<string>,
    check(tool: JsonRecord, at: string): void {
      const { name, parameters, description } = tool;
      if (checkToolName(name, `${at}.name`, report)) {
        if (seen.has(name)) report('tool_name_duplicate', `${at}.name`, `${path} has ${name} twice`);
        seen.add(name);
      }
      if (description !== undefined && typeof description !== 'string') {
        report('tool_invalid', `${at}.description`, 'A description must be a string');
      }
      const isObject = isRecord(parameters) && parameters['type'] === 'object' && isRecord(parameters['properties']);
      if (!isObject) report('tool_schema_invalid', `${at}.parameters`, 'object schema missing properties');
    },
  };
}

export function checkImageUrl(url: unknown, path: string, report: Report): void {
  if (typeof url !== 'string') report('image_invalid', path, 'An image needs a URL');
  else if (!/^https?:\/\//.test(url) && !IMAGE_DATA.test(url.slice(0, 200_000_000))) {
    report('image_invalid', path, 'Expected a base64-encoded data URL with an image MIME type, or a web URL');
  }
}

/** `{ name, schema, strict: true }`, the schema in the strict form: closed objects with every property required. */
export function checkStrictSchema(format: JsonRecord, path: string, report: Report): void {
  const { name, schema, strict } = format;
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    report('output_schema_invalid', `${path}.name`, 'A name is required');
  if (strict !== true || !isRecord(schema) || schema['type'] !== 'object') {
    report('output_schema_invalid', `${path}.schema`, 'A strict schema of an object is required');
    return;
  }
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const node = open.pop();
    if (!isRecord(node)) continue;
    const properties = isRecord(node['properties']) ? node['properties'] : null;
    if (node['type'] === 'object') {
      const required = Array.isArray(node['required']) ? node['required'] : [];
      const isClosed = node['additionalProperties'] === false && properties !== null;
      if (!isClosed || Object.keys(properties).some((key) => !required.includes(key))) {
        report('output_schema_invalid', path, "'required' must hold every key, 'additionalProperties' must be false");
      }
    }
    const below = [properties, isRecord(node['$defs']) ? node['$defs'] : null].flatMap((list) =>
      Object.values(list ?? {}),
    );
    open.push(...below, node['items'], ...(Array.isArray(node['anyOf']) ? (node['anyOf'] as unknown[]) : []));
  }
}
