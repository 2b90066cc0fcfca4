// Single pages of PDF files, and images that are too large for models: shown as far as they can be, never in the way of
// what else the process does.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runWorkerJob } from '../../src/host/processes/worker-job.js';
import type { ToolResultContent } from '../../src/protocol/content.js';
import { ToolError } from '../../src/protocol/errors.js';
import { parsePages, showImage } from '../../src/tools/files/show-media.js';
import { readTool } from '../../src/tools/files.js';
import { openRegularFile } from '../../src/tools/shared/open-file.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { readImageHeader } from '../../src/util/media-headers.js';
import { pdfBytes, textPdf } from '../support/media.js';
import { withMoreTime } from '../support/more-time.js';
import { createToolContext } from '../support/tool-context.js';

let context: ToolContext;

beforeEach(() => {
  context = createToolContext();
});

const at = (name: string): string => join(context.cwd, name);

async function pagesOf(bytes: Buffer, pages?: string, using = context) {
  await writeFile(at('a.pdf'), bytes);
  return readTool.run({ file_path: 'a.pdf', ...(pages === undefined ? {} : { pages }) }, using);
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ToolError)) throw error;
  return error.message;
}

const textsOf = (model: string | readonly ToolResultContent[]) =>
  typeof model === 'string' ? [model] : model.flatMap((block) => (block.type === 'text' ? [block.text] : []));

/** Types and sizes of the images. */
const imagesOf = (model: string | readonly ToolResultContent[]) =>
  typeof model === 'string'
    ? []
    : model.flatMap((block) =>
        block.type === 'image' && block.source.type === 'base64'
          ? [readImageHeader(Buffer.from(block.source.data, 'base64').toString('latin1'))]
          : [],
      );

const many = (count: number) => textPdf(Array.from({ length: count }, (_, page) => `This is page ${page + 1}`));

describe('pages of a PDF', () => {
  it('are shown as text and as they look', async () => {
    const { model, data } = await pagesOf(many(7), '2-3,6');
    expect(textsOf(model)).toEqual([
      `${at('a.pdf')} (PDF document, 7 pages):`,
      '[Page 2]\nThis is page 2',
      '[Page 3]\nThis is page 3',
      '[Page 6]\nThis is page 6',
    ]);
    expect(imagesOf(model)).toMatchObject([2, 3, 6].map(() => ({ mediaType: 'image/png', width: 1_568 })));
    expect(data).toMatchObject({ type: 'parts', file_path: at('a.pdf') });
    expect((data as { parts: unknown[] }).parts).toHaveLength(7);
  });

  it('of a long file are shown twenty at a time', async () => {
    const { model } = await pagesOf(many(30), '25-');
    expect(textsOf(model)).toHaveLength(7);
    const first = textsOf((await pagesOf(many(30), '1-400')).model);
    expect(first).toHaveLength(22);
    expect(first.at(-1)).toContain('at most 20 pages: read on with pages "21-30"');
    expect(await refusal(pagesOf(many(400)))).toContain('pages "1-20"');
  });

  it('are not needed for a short file, which goes whole', async () => {
    const { model, data } = await pagesOf(many(3));
    expect(model).toMatchObject([{ type: 'text' }, { type: 'document' }]);
    expect(data).toEqual({ type: 'pdf', pages: [], file_path: at('a.pdf'), totalPages: 3 });
  });

  it('that are not there are told', async () => {
    expect(await refusal(pagesOf(many(2), '3-4'))).toContain('has only 2 pages');
    for (const pages of ['', '0', 'x', '3-2', '1;2', '-1', '1-2-3', '99999999'])
      expect(() => parsePages(pages)).toThrow(ToolError);
    expect(parsePages(' 1 - 3 , 5')).toEqual([
      [1, 3],
      [5, 5],
    ]);
  });

  it('of what is damaged, or no PDF, are refused with a way out', async () => {
    expect(await refusal(pagesOf(pdfBytes(2), '1'))).toMatch(/damaged.*pdftotext/);
    expect(await refusal(pagesOf(many(3).subarray(0, 120), '1'))).toContain('damaged');
  });

  it('that are nested deep do no harm', async () => {
    const content = `${'q '.repeat(3_000)}BT /F1 9 Tf (deep) Tj ET`;
    expect(textsOf((await pagesOf(textPdf(['x'], { content }), '1')).model)[1]).toContain('deep');
  });

  it('are given up when the call is aborted', async () => {
    const stop = new AbortController();
    const reading = refusal(pagesOf(many(400), '1-20', { ...context, signal: stop.signal }));
    stop.abort();
    expect(await reading).toContain('aborted');
  });

  it('count as seen, so the file may be replaced', async () => {
    await pagesOf(many(2), '1');
    expect(context.readFileCache.get(at('a.pdf'))).toBeDefined();
  });
});

describe('a job in a thread', () => {
  const module = (code: string) => [`data:text/javascript,${encodeURIComponent(code)}`];
  const job = (code: string, more = {}) =>
    runWorkerJob({
      modules: module(code),
      name: 'work',
      input: 2,
      timeoutMs: 60_000,
      memoryMb: 64,
      signal: new AbortController().signal,
      ...more,
    });

  it('gives what the function gives, or says what it threw', async () => {
    expect(await job('export const work = async (n) => n * 2')).toEqual({ kind: 'done', value: 4 });
    expect(await job('export const work = () => { throw new RangeError("no") }')).toEqual({
      kind: 'failed',
      name: 'RangeError',
      message: 'no',
    });
    expect(await job('', { modules: ['file:///nowhere/a.mjs'] })).toEqual({ kind: 'no_module' });
  });

  it('ends at its limits of time and memory', async () => {
    expect(await job('export const work = () => { for (;;); }', { timeoutMs: 200 })).toEqual({ kind: 'timed_out' });
    const telling = 'export const work = (n, tell) => { tell(n); for (;;); }';
    const told = (timeoutMs: number) => job(telling, { timeoutMs });
    expect(await withMoreTime(500, told, (end) => 'told' in end)).toEqual({ kind: 'timed_out', told: 2 });
    const eating = 'export const work = () => { const all = []; for (;;) all.push(new Array(1e5).fill(1)); }';
    expect(await job(eating)).toEqual({ kind: 'out_of_memory' });
  });
});

describe('a large image', () => {
  let wide: Buffer;

  beforeAll(async () => {
    const create = { width: 9_000, height: 3_000, channels: 3, background: '#47a' } as const;
    wide = await sharp({ create }).png().toBuffer();
  });

  it('is shown made smaller', async () => {
    await writeFile(at('a.png'), wide);
    const { model } = await readTool.run({ file_path: 'a.png' }, context);
    expect(imagesOf(model)).toEqual([{ mediaType: 'image/png', width: 1_568, height: 523 }]);
    expect(textsOf(model)[0]).toContain('9000 x 3000 pixels');
    expect(textsOf(model)[0]).toContain('to 1568 x 523 pixels');
  });

  it('is refused with a way out if the library is not there, or cannot read it', async () => {
    await writeFile(at('a.png'), wide);
    const opened = await openRegularFile(context, at('a.png'));
    const refused = await refusal(showImage(opened, at('a.png'), 'PNG image', context, async () => null));
    await opened.handle.close();
    expect(refused).toMatch(/at most 8000 a side.*magick.*npm package sharp/);
    await writeFile(at('b.png'), Buffer.concat([wide.subarray(0, 60), Buffer.alloc(60), wide.subarray(-12)]));
    expect(await refusal(readTool.run({ file_path: 'b.png' }, context))).toContain('cannot be made smaller');
  });
});
