// Title and tag of a session stand if somebody set them, and a list reads the ends of a file only. So when a long
// session ends, what has got out of reach is found once more, to be written behind it.
import type { Host } from '../../host/host.js';
import { linesBackwards } from './line-reader.js';
import { END_BYTES } from './read-ends.js';
import type { AnnotationLine } from './transcript.js';

/** Bytes from the end of a transcript that are looked through: the work of many prompts, and a few milliseconds. */
const SEARCHED_BYTES = 8 * 1024 * 1024;
/** What is nearer to the end than this will stay in reach for some time. */
const NEAR_BYTES = END_BYTES / 2;
const PREFIX = '{"type":"';

type Kind = 'custom-title' | 'ai-title' | 'tag';

/**
 * The lines to write once more; none for a short transcript.
 * @param size bytes of the file
 * @throws FileError
 */
export async function linesOutOfReach(
  host: Pick<Host, 'fs'>,
  file: string,
  size: number,
): Promise<readonly AnnotationLine[]> {
  const source = await host.fs.openRead(file);
  const newest = new Map<Kind, { readonly at: number; readonly line: AnnotationLine }>();
  try {
    for await (const lines of linesBackwards(source, size)) {
      for (const { at, text } of lines) {
        const line = text?.startsWith(PREFIX) ? metadataIn(text) : null;
        if (line !== null && !newest.has(line.type)) newest.set(line.type, { at, line });
      }
      const searchedFrom = lines.at(-1)?.at ?? 0;
      if (newest.size === 3 || size - searchedFrom > SEARCHED_BYTES) break;
    }
  } finally {
    await source.close();
  }
  return [...newest.values()].filter(({ at }) => at < size - NEAR_BYTES).map(({ line }) => line);
}

function metadataIn(text: string): (AnnotationLine & { readonly type: Kind }) | null {
  let value: { type?: unknown; customTitle?: unknown; aiTitle?: unknown; tag?: unknown };
  try {
    value = JSON.parse(text);
  } catch {
    return null; // half of a line says nothing
  }
  const { type, customTitle, aiTitle, tag } = value;
  if (type === 'custom-title' && typeof customTitle === 'string') return { type, customTitle };
  if (type === 'ai-title' && typeof aiTitle === 'string') return { type, aiTitle };
  if (type === 'tag' && typeof tag === 'string') return { type, tag };
  return null;
}
