// Read of notebooks: cells with their outputs, as much of them as is of use, and what is not a notebook as what it is.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ToolError } from '../../src/protocol/errors.js';
import type { FileReadInput, FileReadOutput } from '../../src/protocol/tool-io.js';
import { readTool } from '../../src/tools/files.js';
import { notebookEditTool } from '../../src/tools/notebook-edit.js';
import type { ToolContext } from '../../src/tools/tool.js';
import { codeCell, markdownCell, notebookText } from '../support/notebooks.js';
import { createToolContext } from '../support/tool-context.js';

let context: ToolContext;

beforeEach(() => {
  context = createToolContext();
});

const at = (name: string): string => join(context.cwd, name);

async function read(input: Partial<FileReadInput> = {}): Promise<{ model: string; data: FileReadOutput }> {
  const { model, data } = await readTool.run({ file_path: 'n.ipynb', ...input }, context);
  return { model: String(model), data };
}

async function outputsOf(...outputs: unknown[]): Promise<readonly string[] | undefined> {
  await writeFile(at('n.ipynb'), notebookText([codeCell('a', 'x', { outputs })]));
  const { data } = await read();
  if (data.type !== 'notebook') throw new Error(`expected a notebook, not ${data.type}`);
  return data.cells[0]?.outputs;
}

const result = (data: Record<string, unknown>) => ({ output_type: 'execute_result', data, metadata: {} });

describe('Read of a notebook', () => {
  it('shows cells by their ids, with what they put out', async () => {
    const cells = [
      markdownCell('intro', '# Title\n\nWords'),
      codeCell('run', 'print(3)\n', { count: 3 }),
      codeCell(undefined, ''),
    ];
    await writeFile(at('n.ipynb'), notebookText(cells));
    const { model, data } = await read();
    expect(model).toBe(
      [
        '[Notebook with 3 cells, language python. Change it with NotebookEdit, by the ids of its cells.]',
        '<cell number="0" id="intro" type="markdown">',
        '# Title\n\nWords',
        '</cell>',
        '<cell number="1" id="run" type="code" execution_count="3">',
        'print(3)',
        '</cell>',
        '<output>',
        '3',
        '</output>',
        '<cell number="2" id="cell-2" type="code">',
        '</cell>',
      ].join('\n'),
    );
    expect(data).toEqual({
      type: 'notebook',
      file_path: at('n.ipynb'),
      cells: [
        { cell_number: 0, cell_type: 'markdown', source: '# Title\n\nWords' },
        { cell_number: 1, cell_type: 'code', source: 'print(3)\n', outputs: ['3\n'] },
        { cell_number: 2, cell_type: 'code', source: '' },
      ],
    });
  });

  it('shows the plainest text of an output, and names what is no text', async () => {
    const picture = 'A'.repeat(4_000);
    expect(await outputsOf(result({ 'text/html': '<b>1</b>', 'text/plain': ['one\n', 'two'] }))).toEqual(['one\ntwo']);
    expect(await outputsOf(result({ 'text/html': '<b>1</b>' }))).toEqual(['<b>1</b>']);
    expect(await outputsOf(result({ 'application/json': { a: [1] } }))).toEqual(['{"a":[1]}']);
    expect(
      await outputsOf({ output_type: 'display_data', data: { 'image/png': picture, 'text/plain': '<Figure>' } }),
    ).toEqual(['<Figure>', '[image/png, 3.0 KB: not shown]']);
    expect(await outputsOf(7, {}, { output_type: 'display_data' }, { output_type: 'new' })).toBeUndefined();
  });

  it('shows errors and progress as a terminal would leave them, without its colours', async () => {
    const error = {
      output_type: 'error',
      ename: 'ValueError',
      evalue: 'no',
      traceback: ['\u001b[0;31mValueError\u001b[0m: no', 'line 2'],
    };
    expect(await outputsOf(error)).toEqual(['ValueError: no\nline 2']);
    expect(await outputsOf({ ...error, traceback: [] })).toEqual(['ValueError: no']);
    const stream = (text: string) => ({ output_type: 'stream', name: 'stdout', text });
    expect(await outputsOf(stream('10%\r50%\r100%\r\ndone\n'))).toEqual(['100%\ndone\n']);
    expect(await outputsOf(stream('a\0b\ud83d'))).toEqual(['a\ufffdb\ufffd']);
  });

  it('cuts a long output in its middle, and says where the cells go on', async () => {
    const [output] = (await outputsOf({ output_type: 'stream', text: `begin${'x'.repeat(1_000_000)}end` })) ?? [];
    expect(output?.length).toBeLessThan(10_100);
    expect(output).toMatch(/^beginx+\n\[… 990008 characters left out …\]\nx+end$/);
    await writeFile(
      at('n.ipynb'),
      notebookText(Array.from({ length: 30 }, (_, n) => codeCell(`c${n}`, `${n} ${'y'.repeat(20_000)}`))),
    );
    const { model, data } = await read();
    expect(model).toContain(
      '[Cells 1-13 of 30 shown, counted from 1; the result is full at 262.1 KB. Read on with offset 14.]',
    );
    expect(data).toMatchObject({ type: 'notebook', cells: { length: 13 } });
    const rest = await read({ offset: 14, limit: 2 });
    expect(rest.model).toMatch(/<cell number="13" id="c13" type="code">\n13 y/);
    expect(rest.model).toContain('[Cells 14-15 of 30 shown, counted from 1. Read on with offset 16.]');
    await expect(read({ offset: 31 })).rejects.toThrow(
      `${at('n.ipynb')} has only 30 cells; offset 31 is past its end.`,
    );
  });

  it('says once that nothing changed, and shows it again after an edit', async () => {
    await writeFile(at('n.ipynb'), notebookText([codeCell('a', 'x'), codeCell('b', 'y')]));
    expect((await read()).data.type).toBe('notebook');
    expect((await read()).data.type).toBe('file_unchanged');
    expect((await read({ offset: 2 })).data.type).toBe('notebook');
    await notebookEditTool.run({ notebook_path: 'n.ipynb', cell_id: 'b', new_source: 'z' }, context);
    expect((await read()).model).toContain('id="b" type="code">\nz\n</cell>');
    expect((await read()).data.type).toBe('file_unchanged');
  });

  it('shows a notebook that is broken, or empty, as what it is', async () => {
    await writeFile(at('n.ipynb'), '{"cells": []}');
    const { model, data } = await read();
    expect(model).toBe(
      '[This notebook is shown as the JSON it is stored as: it does not say its format (nbformat).]\n     1\t{"cells": []}',
    );
    expect(data.type).toBe('text');
    await writeFile(at('n.ipynb'), '');
    expect((await read()).model).toContain('exists and is empty');
    await writeFile(at('n.ipynb'), notebookText([]));
    expect((await read()).model).toContain('[Notebook with 0 cells, language python.');
    await writeFile(at('n.ipynb'), 'a\0b');
    await expect(read()).rejects.toThrow(ToolError);
    await writeFile(at('n.txt'), notebookText([]));
    expect((await read({ file_path: 'n.txt' })).data.type).toBe('text');
  });
});
