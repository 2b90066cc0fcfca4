// Pages of a PDF as text and, with a library that draws, as pictures. It runs in a thread of its own; nothing else loads it.
import { getDocumentProxy, renderPageAsImage } from 'unpdf';

export interface PagesWanted {
  readonly bytes: Uint8Array;
  /** Pages by number, from 1, ascending. Those behind the last are left out. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly maxPages: number;
  /** Characters of one page. */
  readonly maxCharacters: number;
  /** Pixels of the longer side of a picture. */
  readonly side: number;
  /** Bytes of all pictures. */
  readonly maxPictureBytes: number;
}

export interface PagesFound {
  readonly total: number;
  readonly pages: readonly FoundPage[];
  /** Pages were drawn; else why not. */
  readonly drawn: true | 'no_library' | 'failed';
}

interface FoundPage {
  readonly number: number;
  readonly text: string;
  readonly isCut: boolean;
  /** A PNG. Absent if it was not drawn, or is too large. */
  readonly picture?: Uint8Array;
}

/**
 * @param tell is given the texts before anything is drawn, which takes longest
 * @throws as pdf.js does: `PasswordException`, `InvalidPDFException`
 */
export async function readPages(wanted: PagesWanted, tell: (found: PagesFound) => void): Promise<PagesFound> {
  prepareFonts();
  const document = await getDocumentProxy(wanted.bytes, { verbosity: 0, stopAtErrors: false });
  const total = document.numPages;
  const pages: FoundPage[] = [];
  for (const number of pageNumbers(wanted.ranges, total).slice(0, wanted.maxPages)) {
    const page = await document.getPage(number);
    const text = textOf((await page.getTextContent()).items);
    const isCut = text.length > wanted.maxCharacters;
    pages.push({ number, text: text.slice(0, wanted.maxCharacters), isCut });
  }
  const canvas = await loadCanvas();
  if (canvas === null) return { total, pages, drawn: 'no_library' };
  tell({ total, pages, drawn: 'failed' });
  let drawn: PagesFound['drawn'] = true;
  let left = wanted.maxPictureBytes;
  for (const [at, page] of pages.entries()) {
    const { width, height } = (await document.getPage(page.number)).getViewport({ scale: 1 });
    const scale = wanted.side / Math.max(width, height, 1);
    try {
      const picture = await renderPageAsImage(document, page.number, { canvasImport: async () => canvas, scale });
      left -= picture.byteLength;
      if (left >= 0) pages[at] = { ...page, picture: new Uint8Array(picture) };
    } catch {
      // Its text is there all the same; that it was not drawn is told.
      drawn = 'failed';
    }
  }
  return { total, pages, drawn };
}

function pageNumbers(ranges: PagesWanted['ranges'], total: number): number[] {
  const numbers = new Set<number>();
  for (const [first, last] of ranges) for (let page = first; page <= Math.min(last, total); page++) numbers.add(page);
  return [...numbers].sort((a, b) => a - b);
}

/** The items come in reading order; an end of a line is one of its own. */
function textOf(items: readonly unknown[]): string {
  const parts = items.map((item) => {
    const { str = '', hasEOL = false } = item as { str?: string; hasEOL?: boolean };
    return hasEOL ? `${str}\n` : str;
  });
  return parts.join('').trim();
}

type Canvas = Awaited<ReturnType<NonNullable<NonNullable<Parameters<typeof renderPageAsImage>[2]>['canvasImport']>>>;

/** The user's own, if there is one. */
async function loadCanvas(): Promise<Canvas | null> {
  try {
    return (await import('@napi-rs/canvas')) as unknown as Canvas;
  } catch {
    // It is optional; that it is missing is told with the pages.
    return null;
  }
}

/** Node 20 lacks what the fonts are handed over with, and a page without fonts is drawn empty. */
function prepareFonts(): void {
  const prototype = ArrayBuffer.prototype as ArrayBuffer & { transferToFixedLength?: (length?: number) => ArrayBuffer };
  prototype.transferToFixedLength ??= function (this: ArrayBuffer, length?: number) {
    const copy = new ArrayBuffer(length ?? this.byteLength);
    new Uint8Array(copy).set(new Uint8Array(this).subarray(0, copy.byteLength));
    return copy;
  };
}
