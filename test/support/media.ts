// Images and documents for tests: headers that say what a test wants, ends as their types have them, no pixels.
import type { DocumentBlock, ImageBlock } from '../../src/protocol/content.js';
import { ONE_PIXEL_PNG } from '../../src/testing/wire/wire-blocks.js';

/** A PNG that says it has that many pixels; `extra` bytes make it larger. */
export function pngBytes(width = 1, height = 1, extra = 0): Buffer {
  const bytes = Buffer.from(ONE_PIXEL_PNG, 'base64');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return Buffer.concat([bytes.subarray(0, 33), Buffer.alloc(extra, 7), bytes.subarray(33)]);
}

export function jpegBytes(width: number, height: number): Buffer {
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  return Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc0, 0, 11, 8, ...size, 1, 1, 1, 1, 0xff, 0xd9]);
}

export function gifBytes(width: number, height: number): Buffer {
  const size = [width & 255, width >> 8, height & 255, height >> 8];
  return Buffer.concat([Buffer.from('GIF89a'), Buffer.from([...size, 0, 0, 0, 0x3b])]);
}

/** The extended form, which has the size of the canvas in its first chunk. */
export function webpBytes(width: number, height: number): Buffer {
  const three = (value: number) => [value & 255, (value >> 8) & 255, value >> 16];
  const body = Buffer.concat([Buffer.from('WEBPVP8X'), Buffer.from([10, 0, 0, 0, 0, 0, 0, 0])]);
  const size = Buffer.from([...three(width - 1), ...three(height - 1)]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length + size.length);
  return Buffer.concat([Buffer.from('RIFF'), length, body, size]);
}

export interface PdfShape {
  /** The page tree can be read; false: it is packed away, as most writers do today. */
  readonly plain?: boolean;
  /** Says its number of pages at the start, as files made for the web do. */
  readonly linearized?: boolean;
  readonly encrypted?: boolean;
  /** Bytes on top. */
  readonly extra?: number;
}

export function pdfBytes(pages: number, { plain = true, linearized, encrypted, extra = 0 }: PdfShape = {}): Buffer {
  const kids = Array.from({ length: pages }, (_, page) => `${page + 3} 0 R`).join(' ');
  const parts = [
    '%PDF-1.7\n',
    linearized ? `1 0 obj\n<< /Linearized 1 /L 9 /H [ 1 2 ] /O 3 /E 4 /N ${pages} /T 5 >>\nendobj\n` : '',
    plain ? `2 0 obj\n<< /Type /Pages /Kids [${kids}] /Count ${pages} >>\nendobj\n` : '',
    `stream\n${'\x01'.repeat(extra)}\nendstream\n`,
    `trailer\n<< /Root 1 0 R ${encrypted ? '/Encrypt 9 0 R ' : ''}>>\n%%EOF\n`,
  ];
  return Buffer.from(parts.join(''), 'latin1');
}

export function imageOf(bytes: Buffer, mediaType = 'image/png'): ImageBlock {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') } };
}

export function pdfOf(bytes: Buffer, title = 'plan.pdf'): DocumentBlock {
  const source = { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') } as const;
  return { type: 'document', title, source };
}

/** A PDF that readers of PDF take: one page for each text. Offsets are left out, as damaged files have none that fit. */
export function textPdf(
  texts: readonly string[],
  more: { readonly trailer?: string; readonly content?: string } = {},
): Buffer {
  const kids = texts.map((_, page) => `${10 + 2 * page} 0 R`).join(' ');
  const pages = texts.map((text, page) => {
    const id = 10 + 2 * page;
    const content = more.content ?? (text === '' ? '20 20 50 50 re f' : `BT /F1 24 Tf 10 100 Td (${text}) Tj ET`);
    return `${id} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents ${id + 1} 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
${id + 1} 0 obj<</Length ${content.length}>>
stream
${content}
endstream
endobj`;
  });
  const parts = [
    '%PDF-1.4',
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    `2 0 obj<</Type/Pages/Kids[${kids}]/Count ${texts.length}>>endobj`,
    '5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
    ...pages,
    `trailer<</Root 1 0 R${more.trailer ?? ''}>>`,
    '%%EOF',
  ];
  return Buffer.from(`${parts.join('\n')}\n`, 'latin1');
}
