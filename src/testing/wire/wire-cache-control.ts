// Cache breakpoints: where one may stand, how it is written, how many a request may have.
import { isRecord, type JsonRecord } from './wire-json.js';
import type { Report } from './wire-violation.js';

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
