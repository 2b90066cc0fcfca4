// A conversation is sent again with each request, so what a body has in common with an earlier one is written once: how
// many items its lists begin with alike. One rule: what is read back is what was written.

import { isRecord } from '../wire/index.js';
import type { CassetteExchange } from './cassette-exchange.js';

/** What a body is made of beside what stands in its line. */
interface Shared {
  /** Index of the exchange that has it. */
  readonly exchange: number;
  /** By field: so many items of its list come first. */
  readonly items: Readonly<Record<string, number>>;
  /** Fields that are the same as a whole. */
  readonly same: readonly string[];
}

type Body = Readonly<Record<string, unknown>>;

/** So many exchanges are looked back: agents that work side by side take turns. */
const RECENT = 8;
/** Shorter texts are written again. Characters. */
const SHORT = 100;

/** Lines of a file, one after the other. Items are the same if they are one object, as `Scrubber.body` gives them. */
export function createLineWriter(): (exchange: CassetteExchange) => string {
  const recent: CassetteExchange[] = [];
  return (exchange) => {
    const { body } = exchange.request;
    const shared = isRecord(body) ? mostShared(body, recent) : null;
    recent.push(exchange);
    if (recent.length > RECENT) recent.shift();
    const request =
      shared === null || !isRecord(body)
        ? exchange.request
        : { ...exchange.request, body: without(body, shared), shared };
    return `${JSON.stringify({ ...exchange, request })}\n`;
  };
}

function mostShared(body: Body, recent: readonly CassetteExchange[]): Shared | null {
  let most: Shared | null = null;
  let mostItems = 0;
  for (const { index, request } of recent) {
    if (!isRecord(request.body)) continue;
    const shared = sharedWith(body, request.body, index);
    const items = Object.values(shared.items).reduce((sum, count) => sum + count, shared.same.length);
    if (items > mostItems) [most, mostItems] = [shared, items];
  }
  return most;
}

function sharedWith(body: Body, other: Body, exchange: number): Shared {
  const items: Record<string, number> = {};
  const same: string[] = [];
  for (const [field, value] of Object.entries(body)) {
    if (!Object.hasOwn(other, field)) continue;
    const before = other[field];
    if (Array.isArray(value) && Array.isArray(before)) {
      const count = commonItems(value, before);
      if (count > 0) items[field] = count;
    } else if (value === before && (typeof value === 'object' || String(value).length > SHORT)) same.push(field);
  }
  return { exchange, items, same };
}

function commonItems(list: readonly unknown[], other: readonly unknown[]): number {
  let count = 0;
  while (count < list.length && count < other.length && list[count] === other[count]) count++;
  return count;
}

function without(body: Body, { items, same }: Shared): Body {
  return Object.fromEntries(
    Object.entries(body)
      .filter(([field]) => !same.includes(field))
      .map(([field, value]) => [field, Array.isArray(value) ? value.slice(items[field] ?? 0) : value]),
  );
}

/** The bodies of a file, one line after the other; null if one refers to what is not there. */
export function createBodyReader(): (
  index: number,
  body: unknown,
  shared: unknown,
) => { readonly body: unknown } | null {
  const bodies = new Map<number, unknown>();
  return (index, written, shared) => {
    const body = shared === undefined ? written : withShared(written, shared, bodies);
    bodies.set(index, body);
    return body === undefined ? null : { body };
  };
}

/** Undefined if it cannot be put together. */
function withShared(written: unknown, shared: unknown, bodies: ReadonlyMap<number, unknown>): Body | undefined {
  if (!isRecord(shared) || !isRecord(written)) return undefined;
  const { exchange, items, same } = shared;
  const other = bodies.get(exchange as number);
  if (!isRecord(other) || !isRecord(items) || !Array.isArray(same)) return undefined;
  const body: Record<string, unknown> = { ...written };
  for (const [field, count] of Object.entries(items)) {
    const [before, rest] = [other[field], written[field]];
    if (!Array.isArray(before) || !Array.isArray(rest) || typeof count !== 'number' || count > before.length) {
      return undefined;
    }
    body[field] = [...before.slice(0, count), ...rest];
  }
  for (const field of same) {
    if (typeof field !== 'string' || !Object.hasOwn(other, field)) return undefined;
    body[field] = other[field];
  }
  return body;
}
