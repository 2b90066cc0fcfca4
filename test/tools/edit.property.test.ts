// Random files of every encoding and line ending, random unique edits: what an edit does not touch stays, byte for byte.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { editTool } from '../../src/tools/files.js';
import { markSeen } from '../support/seen-file.js';
import { createToolContext } from '../support/tool-context.js';

interface Form {
  readonly name: string;
  readonly mark: readonly number[];
  readonly words: readonly string[];
  encode(text: string): number[];
}

const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)];
const UTF8_WORDS = ['foo', 'é', '😀', '\t', ' ', '$&', '\r', 'x'];
const FORMS: readonly Form[] = [
  { name: 'utf-8', mark: [], words: UTF8_WORDS, encode: utf8 },
  { name: 'utf-8 marked', mark: [0xef, 0xbb, 0xbf], words: UTF8_WORDS, encode: utf8 },
  {
    name: 'latin-1',
    mark: [0xe9],
    words: ['foo', 'é', 'ÿ', ' ', '\x85'],
    encode: (text) => [...Buffer.from(text, 'latin1')],
  },
  { name: 'utf-16le', mark: [0xff, 0xfe], words: UTF8_WORDS, encode: (text) => [...Buffer.from(text, 'utf16le')] },
];

const line = (form: Form) => fc.array(fc.constantFrom(...form.words), { maxLength: 4 }).map((words) => words.join(''));
const block = (form: Form) =>
  fc.record({
    lines: fc.array(line(form), { maxLength: 5 }),
    endings: fc.constantFrom(['\n'], ['\r\n'], ['\r\n', '\n'], ['\n', '\n', '\r\n']),
  });

/** Lines joined with the endings in turn. */
function join({ lines, endings }: { lines: readonly string[]; endings: readonly string[] }): string {
  return lines.map((text, index) => `${text.replace(/\r$/, '')}${endings[index % endings.length]}`).join('');
}

it('leaves every byte it does not replace', async () => {
  const cases = fc.constantFrom(...FORMS).chain((form) =>
    fc.record({
      form: fc.constant(form),
      head: block(form),
      tail: block(form),
      old: line(form).map((text) => `<<${text}>>`),
      fresh: line(form).map((text) => `[[${text}]]`),
    }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ({ form, head, tail, old, fresh }) => {
      const [before, after] = [join(head), join(tail)];
      const bytes = (middle: string) => [
        ...form.mark,
        ...form.encode(before),
        ...form.encode(middle),
        ...form.encode(after),
      ];
      const host = createMemoryHost({ files: { '/file': Uint8Array.from(bytes(old)) } });
      const context = createToolContext({ host, cwd: '/' });
      await markSeen(context, '/file');
      await editTool.run({ file_path: '/file', old_string: old, new_string: fresh }, context);
      expect([...(await host.fs.readFile('/file'))]).toEqual(bytes(fresh));
    }),
    { seed: 42, numRuns: 300 },
  );
});

it('replaces several lines given with LF, and keeps the endings of the lines it does not change', async () => {
  const lines = fc.array(fc.constantFrom('a', 'bb', '  c', ''), { minLength: 3, maxLength: 8 });
  const endings = fc.array(fc.constantFrom('\n', '\r\n'), { minLength: 8, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lines, endings, fc.nat(20), async (texts, ends, pick) => {
      const changed = pick % texts.length;
      const file = (middle: string) =>
        `{\n${texts.map((text, index) => `${index === changed ? middle : text}${ends[index]}`).join('')}}`;
      const call = (middle: string) => texts.map((text, index) => (index === changed ? middle : text)).join('\n');
      const host = createMemoryHost({ files: { '/file': file('OLD') } });
      const context = createToolContext({ host, cwd: '/' });
      await markSeen(context, '/file');
      await editTool.run({ file_path: '/file', old_string: call('OLD'), new_string: call('NEW') }, context);
      expect(host.files()['/file']).toBe(file('NEW'));
    }),
    { seed: 42, numRuns: 200 },
  );
});
