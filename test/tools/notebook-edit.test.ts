// NotebookEdit over real files: what it changes, what it leaves to the byte, and what it refuses.
import { chmod, lstat, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Located } from '../../src/host/host.js';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { ToolError } from '../../src/protocol/errors.js';
import type { NotebookEditInput, NotebookEditOutput } from '../../src/protocol/tool-io.js';
import { readTool } from '../../src/tools/files.js';
import { notebookEditTool } from '../../src/tools/notebook-edit.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { codeCell, markdownCell, type NotebookOptions, notebookText } from '../support/notebooks.js';
import { createToolContext } from '../support/tool-context.js';

let context: ToolContext;

beforeEach(() => {
  context = createToolContext();
});

const at = (name: string): string => join(context.cwd, name);
const CELLS = [
  markdownCell('intro', '# Title\n\nWords'),
  codeCell('one', 'x = 1\n', { count: 3 }),
  codeCell('two', 'print(x)'),
];

type Call = Partial<NotebookEditInput>;

async function edit(call: Call, using = context): Promise<{ model: string; data: NotebookEditOutput }> {
  const { model, data } = await notebookEditTool.run({ notebook_path: 'n.ipynb', new_source: '', ...call }, using);
  return { model: String(model), data };
}

async function failure(call: Call, using = context): Promise<ToolError> {
  const error = await edit(call, using).then(
    () => new Error('did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ToolError)) throw error;
  return error;
}

/** A notebook as a file that was read. @returns its text */
async function given(cells: readonly unknown[] = CELLS, options: NotebookOptions = {}): Promise<string> {
  const text = notebookText(cells, options);
  await writeFile(at('n.ipynb'), text);
  await readTool.run({ file_path: 'n.ipynb' }, context);
  return text;
}

const content = (): Promise<string> => readFile(at('n.ipynb'), 'utf8');

describe('what NotebookEdit changes', () => {
  it('replaces a source, and takes away the outputs that are no longer its own', async () => {
    const before = await given();
    const { model, data } = await edit({ cell_id: 'one', new_source: 'x = 2\ny = 3' });
    const cells = [
      CELLS[0],
      { ...CELLS[1], execution_count: null, outputs: [], source: ['x = 2\n', 'y = 3'] },
      CELLS[2],
    ];
    expect(await content()).toBe(notebookText(cells));
    expect(before).not.toBe(await content());
    expect(model).toBe(`Replaced the source of code cell one (2 lines; its outputs are gone) in ${at('n.ipynb')}.`);
    expect(data).toEqual({ success: true, notebook_path: at('n.ipynb') });
  });

  it('inserts first, behind a cell, and into a notebook without cells', async () => {
    await given();
    await edit({ edit_mode: 'insert', cell_type: 'markdown', new_source: 'first' });
    const { model } = await edit({ edit_mode: 'insert', cell_type: 'code', cell_id: 'two', new_source: 'last()\n' });
    const found = JSON.parse(await content()).cells as Record<string, unknown>[];
    expect(found.map(({ source }) => source)).toEqual([['first'], ...CELLS.map(({ source }) => source), ['last()\n']]);
    const [first, last] = [found[0], found.at(-1)];
    expect(first).toEqual({ cell_type: 'markdown', id: first?.['id'], metadata: {}, source: ['first'] });
    expect(last).toMatchObject({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [] });
    expect(new Set(found.map(({ id }) => id)).size).toBe(5);
    expect(String(last?.['id'])).toMatch(/^[0-9a-f]{8}$/);
    expect(model).toBe(`Inserted code cell ${last?.['id']} (1 line) in ${at('n.ipynb')}.`);
    // Jupyter writes it as we did.
    expect(await content()).toBe(notebookText(found));

    await given([]);
    await edit({ edit_mode: 'insert', cell_type: 'code', new_source: 'a' });
    expect(await content()).toBe(notebookText(JSON.parse(await content()).cells));
  });

  it('deletes a cell, wherever it stands', async () => {
    for (const index of [0, 1, 2]) {
      await given();
      const { model } = await edit({ edit_mode: 'delete', cell_id: ['intro', 'one', 'two'][index] ?? '' });
      expect(await content()).toBe(notebookText(CELLS.filter((_, other) => other !== index)));
      expect(model).toMatch(/^Deleted (code|markdown) cell /);
    }
    await given([CELLS[0]]);
    await edit({ edit_mode: 'delete', cell_id: 'intro' });
    expect(await content()).toBe(notebookText([]));
  });

  it('makes another type of a cell', async () => {
    await given();
    await edit({ cell_id: 'one', cell_type: 'markdown', new_source: 'words' });
    await edit({ cell_id: 'intro', cell_type: 'code', new_source: 'code()' });
    const [intro, one] = JSON.parse(await content()).cells;
    expect(one).toEqual({ cell_type: 'markdown', id: 'one', metadata: {}, source: ['words'] });
    expect(intro).toMatchObject({ cell_type: 'code', outputs: [], execution_count: null, source: ['code()'] });
    await given([{ cell_type: 'raw', id: 'r', metadata: {}, source: 'raw' }]);
    await edit({ cell_id: 'r', new_source: 'more raw' });
    expect(JSON.parse(await content()).cells[0]).toEqual({
      cell_type: 'raw',
      id: 'r',
      metadata: {},
      source: 'more raw',
    });
  });

  it('finds cells without an id of their own by their number', async () => {
    const cells = [codeCell(undefined, 'a'), codeCell('same', 'b'), codeCell('same', 'c'), codeCell('cell-0', 'd')];
    await given(cells, { minor: 4 });
    await edit({ cell_id: 'cell-2', new_source: 'C' });
    // An id that looks like a number is an id all the same.
    await edit({ cell_id: 'cell-0', new_source: 'D' });
    await edit({ cell_id: 'cell-number-0', new_source: 'A' });
    expect((await failure({ cell_id: 'same', new_source: 'x' })).message).toContain('no cell "same"');
    const { model } = await edit({ edit_mode: 'insert', cell_id: 'cell-1', cell_type: 'code', new_source: 'new' });
    const found = JSON.parse(await content()).cells as Record<string, unknown>[];
    expect(found.map(({ source }) => source)).toEqual([['A'], ['b'], ['new'], ['C'], ['D']]);
    // Before format 4.5 a cell has no id.
    expect(found[2]).not.toHaveProperty('id');
    expect(model).toContain('Inserted code cell cell-2');
  });

  it('gives a new cell an id that no other has', async () => {
    const host = createMemoryHost({ files: { '/n.ipynb': notebookText(CELLS) } });
    const ids = { ...host.ids, uuid: () => '00000000-0000-4000-8000-0000000000aa' };
    const memory = createToolContext({ host: { ...host, ids }, cwd: '/' });
    await readTool.run({ file_path: 'n.ipynb' }, memory);
    for (const source of ['a', 'b', 'c'])
      await edit({ edit_mode: 'insert', cell_type: 'code', new_source: source }, memory);
    const found = JSON.parse(host.files()['/n.ipynb'] ?? '').cells as Record<string, unknown>[];
    expect(found.slice(0, 3).map(({ id }) => id)).toEqual(['000000aa-3', '000000aa-2', '000000aa']);
  });

  it('declares the notebook it writes', () => {
    const input = { notebook_path: '../n.ipynb', cell_id: 'a\nb', new_source: '' };
    expect(notebookEditTool.subject(input, '/a/b')).toEqual({ kind: 'path', path: '/a/n.ipynb', access: 'write' });
    expect(notebookEditTool.title(input)).toBe('replace a b of ../n.ipynb');
  });
});

describe('what NotebookEdit leaves as it is', () => {
  it.each<[string, NotebookOptions]>([
    ['one space, as Jupyter writes it', {}],
    ['four spaces', { indent: 4 }],
    ['tabs', { indent: '\t' }],
    ['one line', { indent: 0 }],
    ['carriage returns', { lineBreak: '\r\n' }],
    ['no line break at the end', { end: '' }],
    ['escaped letters', { isEscaped: true }],
  ])('the layout of a file with %s', async (_, options) => {
    const cells = [markdownCell('a', 'Grüße'), codeCell('b', 'x'), codeCell('c', 'y')];
    await given(cells, options);
    await edit({ cell_id: 'b', new_source: 'ä = "€😀"\n' });
    await edit({ edit_mode: 'delete', cell_id: 'c' });
    const expected = [cells[0], { ...cells[1], source: ['ä = "€😀"\n'], outputs: [] }];
    expect(await content()).toBe(notebookText(expected, options));
  });

  it('numbers, names and spaces that JSON in JavaScript would write otherwise', async () => {
    const cell =
      '{"source":["old"] , "metadata":{"big":12345678901234567890,"float":1.0,"x":{},"__proto__":1},\n "cell_type":"markdown","id":"a" }';
    const text = (made: string) =>
      `{"cells":[\n${made}],"nbformat":4,"nbformat_minor":5,"metadata":{"a":1.50,"a":2e5}}\n\n`;
    await writeFile(at('n.ipynb'), text(cell));
    await readTool.run({ file_path: 'n.ipynb' }, context);
    await edit({ cell_id: 'a', new_source: 'new "one"' });
    expect(await content()).toBe(text(cell.replace('["old"]', '["new \\"one\\""]')));
  });

  it('a source that is one text, and the mark of the encoding', async () => {
    await given([{ ...codeCell('a', ''), source: 'one\ntwo' }], { start: '\ufeff' });
    await edit({ cell_id: 'a', new_source: 'three\nfour' });
    await edit({ edit_mode: 'insert', cell_id: 'a', cell_type: 'code', new_source: 'five\nsix' });
    const text = await content();
    expect(text.startsWith('\ufeff{')).toBe(true);
    const found = JSON.parse(text.slice(1)).cells as Record<string, unknown>[];
    expect(found.map(({ source }) => source)).toEqual(['three\nfour', 'five\nsix']);
  });

  it('the mode of the file, and the link that leads to it', async () => {
    await given();
    await chmod(at('n.ipynb'), 0o640);
    await symlink('n.ipynb', at('link.ipynb'));
    await edit({ notebook_path: 'link.ipynb', cell_id: 'two', new_source: 'z' });
    expect((await lstat(at('link.ipynb'))).isSymbolicLink()).toBe(true);
    expect((await stat(at('n.ipynb'))).mode & 0o777).toBe(0o640);
    expect(await content()).toContain('"z"');
  });

  it('all other cells, whatever is in them', async () => {
    const cell = fc.record({
      cell_type: fc.constantFrom('code', 'markdown', 'raw'),
      metadata: fc.dictionary(fc.string(), fc.jsonValue()),
      source: fc.oneof(fc.string(), fc.array(fc.string())),
      outputs: fc.array(fc.jsonValue()),
    });
    const indents = fc.constantFrom<NotebookOptions['indent']>(0, 1, 2, '\t');
    await fc.assert(
      fc.asyncProperty(
        fc.array(cell, { minLength: 1, maxLength: 5 }),
        indents,
        fc.nat(),
        fc.string(),
        async (cells, indent, nth, source) => {
          const index = nth % cells.length;
          const host = createMemoryHost({ files: { '/n.ipynb': notebookText(cells, { indent: indent ?? 1 }) } });
          const memory = createToolContext({ host, cwd: '/' });
          await readTool.run({ file_path: 'n.ipynb' }, memory);
          const before = JSON.parse(host.files()['/n.ipynb'] ?? '');
          await edit({ cell_id: `cell-${index}`, new_source: `${source}!`, cell_type: 'code' }, memory).catch(
            (error: unknown) => {
              if (!(error instanceof ToolError) || !error.message.includes('holds that source')) throw error;
            },
          );
          const after = JSON.parse(host.files()['/n.ipynb'] ?? '');
          const others = (notebook: { cells: unknown[] }) => notebook.cells.filter((_, at) => at !== index);
          expect(others(after)).toEqual(others(before));
          expect([after.cells[index].source].flat().join('')).toBe(`${source}!`);
          expect(after.cells[index].metadata).toEqual(before.cells[index].metadata);
          await edit({ edit_mode: 'delete', cell_id: `cell-${index}` }, memory);
          expect(JSON.parse(host.files()['/n.ipynb'] ?? '').cells).toEqual(others(before));
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('what NotebookEdit refuses', () => {
  it('a notebook that was not read, or changed since', async () => {
    const text = notebookText(CELLS);
    await writeFile(at('n.ipynb'), text);
    expect((await failure({ cell_id: 'one', new_source: 'x' })).message).toContain(
      'you have not read it in this session',
    );
    await readTool.run({ file_path: 'n.ipynb' }, context);
    await edit({ cell_id: 'one', new_source: 'x' });
    await edit({ cell_id: 'one', new_source: 'y' });
    await writeFile(at('n.ipynb'), text);
    const error = await failure({ cell_id: 'one', new_source: 'z' });
    expect(error.message).toContain('Read it again');
    expect(error.data).toEqual({ success: false, notebook_path: at('n.ipynb'), error: error.message });
    expect(await content()).toBe(text);
  });

  it('one that is changed while the edit is worked out', async () => {
    const host = createMemoryHost({ files: { '/n.ipynb': notebookText(CELLS) } });
    let opened = 0;
    const fs = {
      ...host.fs,
      openLocated: async (located: Located) => {
        // The second look is the last before it is written.
        if (++opened === 3) await (await host.fs.openAppend(located.path)).append(' ');
        return host.fs.openLocated(located);
      },
    };
    const memory = createToolContext({ host: { ...host, fs }, cwd: '/' });
    await readTool.run({ file_path: 'n.ipynb' }, memory);
    expect((await failure({ cell_id: 'one', new_source: 'x' }, memory)).message).toContain('by someone else just now');
    expect(host.files()).toEqual({ '/n.ipynb': `${notebookText(CELLS)} ` });
  });

  it.each<[string, Call, string]>([
    [
      'no cell',
      { new_source: 'x' },
      'cell_id is missing: say which cell to replace. Its cells: intro (markdown: "# Title Words"), one',
    ],
    ['a cell that is not there', { cell_id: 'nine', new_source: 'x' }, 'There is no cell "nine". Its cells: intro'],
    ['a number beyond the last', { cell_id: 'cell-3', new_source: 'x' }, 'There is no cell "cell-3"'],
    ['an insert without a type', { edit_mode: 'insert', new_source: 'x' }, 'insert needs cell_type'],
    ['a deletion of nothing', { edit_mode: 'delete' }, 'say which cell to delete'],
    ['what is there already', { cell_id: 'two', new_source: 'print(x)' }, 'nothing to change'],
    ['half a character', { cell_id: 'two', new_source: 'a\ud83d' }, 'half of a surrogate pair'],
    ['no path', { notebook_path: '' }, 'notebook_path is empty'],
    ['a home', { notebook_path: '~/n.ipynb' }, 'not expanded in notebook_path'],
    ['a directory', { notebook_path: '.' }, 'is a directory'],
    ['a missing file', { notebook_path: 'm.ipynb' }, 'does not exist'],
  ])('%s', async (_, call, words) => {
    const text = await given();
    expect((await failure(call)).message).toContain(words);
    expect(await content()).toBe(text);
  });

  it.each([
    ['{"cells": [', 'its JSON is broken'],
    ['[]', 'it is not a JSON object'],
    ['{"cells": []}', 'it does not say its format'],
    ['{"nbformat": 3, "worksheets": []}', 'it is of format 3'],
    ['{"nbformat": 4}', 'it has no list of cells'],
    ['{"nbformat": 4, "cells": [7]}', 'its cell 0 is not an object'],
    ['{"nbformat": 4, "cells": [{"cell_type": "video", "source": ""}]}', 'its cell 0 has the type "video"'],
    ['{"nbformat": 4, "cells": [{"cell_type": "code", "source": [1]}]}', 'its cell 0 has no source'],
    [`{"nbformat": 4, "cells": [], "x": ${'['.repeat(9_000)}${']'.repeat(9_000)}}`, 'nested too deeply'],
  ])('the broken notebook %#', async (text, words) => {
    await writeFile(at('n.ipynb'), text);
    await readTool.run({ file_path: 'n.ipynb' }, context);
    const { message } = await failure({ cell_id: 'a', new_source: 'x' });
    expect(message).toContain(words);
    expect(message).toContain('Mend it with Edit');
    expect(await content()).toBe(text);
  });

  it('bytes that are no UTF-8', async () => {
    await writeFile(at('n.ipynb'), Buffer.from(notebookText([markdownCell('a', 'caf\u00e9')]), 'latin1'));
    await readTool.run({ file_path: 'n.ipynb' }, context);
    expect((await failure({ cell_id: 'a', new_source: 'x' })).message).toContain('it is not UTF-8');
  });

  it('leaves the notebook if the write fails or the call is aborted', async () => {
    const host = createMemoryHost({ files: { '/n.ipynb': notebookText(CELLS) } });
    const memory = createToolContext({ host, cwd: '/' });
    await readTool.run({ file_path: 'n.ipynb' }, memory);
    host.failNext('replaceLocated', 'ENOSPC');
    expect((await failure({ cell_id: 'one', new_source: 'x' }, memory)).message).toContain('no space is left');
    const aborted = { ...memory, signal: AbortSignal.abort() };
    expect((await failure({ cell_id: 'one', new_source: 'x' }, aborted)).message).toContain('aborted');
    expect(host.files()['/n.ipynb']).toBe(notebookText(CELLS));
  });
});
