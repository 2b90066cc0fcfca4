// Pages that were fetched a short while ago. One rule: what it holds is limited by bytes, the oldest goes first.
import type { HostClock } from '../../host/host.js';
import type { FetchedPage } from './fetch-page.js';

type Page = Extract<FetchedPage, { kind: 'text' }>;

export interface PageCache {
  get(url: string): Page | null;
  set(url: string, page: Page): void;
}

const KEPT_MS = 15 * 60_000;
/** Of text, two bytes a character. */
const MAX_BYTES = 16 * 1024 * 1024;

export function createPageCache({ monotonic }: Pick<HostClock, 'monotonic'>): PageCache {
  const kept = new Map<string, { readonly page: Page; readonly at: number }>();
  let bytes = 0;
  const sizeOf = (url: string, { text }: Page): number => 2 * (url.length + text.length) + 500;
  const drop = (url: string): void => {
    const entry = kept.get(url);
    if (entry === undefined) return;
    kept.delete(url);
    bytes -= sizeOf(url, entry.page);
  };
  return {
    get(url) {
      const entry = kept.get(url);
      if (entry === undefined) return null;
      if (monotonic() - entry.at < KEPT_MS) return entry.page;
      drop(url);
      return null;
    },
    set(url, page) {
      drop(url);
      const size = sizeOf(url, page);
      if (size > MAX_BYTES) return;
      kept.set(url, { page, at: monotonic() });
      bytes += size;
      for (const oldest of kept.keys()) {
        if (bytes <= MAX_BYTES) return;
        drop(oldest);
      }
    },
  };
}
