// What a provider found that searched by itself, out of the parts of its reply. Pure: what is no result is left out.
import type { SearchHit } from './search-apis.js';

/** Of a part as the Messages API or the Responses API sends it. Contract: never throws. */
function hitsOfPart(part: unknown): readonly SearchHit[] {
  const { type, content, citation } = fieldsOf(part);
  switch (type) {
    case 'web_search_tool_result':
      return listOf(content).flatMap((each) => hitOf(each));
    case 'citations_delta':
      return hitOf(citation);
    case 'message':
      return listOf(content).flatMap((each) => listOf(fieldsOf(each)['annotations']).flatMap((note) => hitOf(note)));
    default:
      return [];
  }
}

/** One for each address: its title, and the longest excerpt that is cited. */
export function collectHits(parts: readonly unknown[]): readonly SearchHit[] {
  const found = new Map<string, SearchHit>();
  for (const hit of parts.flatMap(hitsOfPart)) {
    const known = found.get(hit.url);
    const snippet = [known?.snippet ?? '', hit.snippet].reduce((a, b) => (b.length > a.length ? b : a));
    found.set(hit.url, { url: hit.url, title: known?.title ?? hit.title, snippet });
  }
  return [...found.values()];
}

function hitOf(value: unknown): readonly SearchHit[] {
  const { url, title, cited_text: cited } = fieldsOf(value);
  if (typeof url !== 'string' || url === '') return [];
  const shown = typeof title === 'string' && title.trim() !== '' ? title : url;
  return [{ url, title: shown.slice(0, 200), snippet: typeof cited === 'string' ? cited.trim().slice(0, 500) : '' }];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
