import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory-host.js';
import { linesForwards } from '../../../src/session/store/forward-lines.js';

async function linesOf(text: string): Promise<string[]> {
  const host = createMemoryHost({ files: { '/file': text } });
  const file = await host.fs.openRead('/file');
  const found: string[] = [];
  for await (const lines of linesForwards(file, (await file.stat()).size)) {
    found.push(...lines.map((line) => new TextDecoder().decode(line)));
  }
  return found;
}

it('gives every line that is not empty, whatever the chunks cut', async () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom('\n', '\n\n', 'a', 'é'),
      fc.nat(3).map((n) => 'x'.repeat(n * 700_000)),
    ),
    {
      maxLength: 8,
    },
  );
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      const text = parts.join('');
      expect(await linesOf(text)).toEqual(text.split('\n').filter((line) => line !== ''));
    }),
    { numRuns: 40 },
  );
});

it('leaves out a line that is too long for any request', async () => {
  const tooLong = 'x'.repeat(33 * 1024 * 1024);
  expect(await linesOf(`a\n${tooLong}\nb\n${tooLong}`)).toEqual(['a', 'b']);
});
