// Arguments of a tool that its schema wants as headers too (`x-mcp-header`), so that what stands between client and server can
// route a call without reading it. Pure. One rule: a value is the same in both places, or it is in none.
import { isRecord } from '../../util/is-record.js';

/** Where a value stands in the arguments, and the header that it goes into. */
export interface ParameterHeader {
  readonly path: readonly string[];
  readonly header: string;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,60}$/;
const KINDS: readonly unknown[] = ['string', 'integer', 'boolean'];
const MAX_HEADERS = 20;
const MAX_DEPTH = 10;
/** Longer values are no header that servers take. */
const MAX_VALUE = 4_000;

/** Those that a tool's schema names; of two for one header the first counts. */
export function parameterHeaders(schema: unknown): readonly ParameterHeader[] {
  const found = new Map<string, ParameterHeader>();
  const visit = (node: unknown, path: readonly string[]): void => {
    if (!isRecord(node) || path.length > MAX_DEPTH || found.size >= MAX_HEADERS) return;
    const name = node['x-mcp-header'];
    if (path.length > 0 && typeof name === 'string' && TOKEN.test(name) && KINDS.includes(node['type'])) {
      const key = name.toLowerCase();
      if (!found.has(key)) found.set(key, { path, header: `Mcp-Param-${name}` });
    }
    const { properties } = node;
    if (isRecord(properties)) for (const [key, each] of Object.entries(properties)) visit(each, [...path, key]);
  };
  visit(schema, []);
  return [...found.values()];
}

/** What goes along with one call. */
export function headersOf(declared: readonly ParameterHeader[], given: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    let value = given;
    for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    const text = textOf(value);
    if (text !== null && text.length <= MAX_VALUE) headers[header] = encoded(text);
  }
  return headers;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isSafeInteger(value))) return String(value);
  return null;
}

/** As it stands where a header takes it so. */
function encoded(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  if (isPlain) return text;
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return `=?base64?${btoa(bytes)}?=`;
}
