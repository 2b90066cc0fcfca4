// The table of capabilities: every protocol does each of them, in the way that docs/providers.md says.
// `UPDATE_DOCS=1 npx vitest run test/providers/conformance` writes the table.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COLUMNS, CONFORMERS } from './adapters.js';
import { CAPABILITIES } from './capabilities.js';

const DOCUMENT = fileURLToPath(new URL('../../../docs/providers.md', import.meta.url));
const BLOCK = /<!-- capabilities: begin -->\n[\s\S]*?<!-- capabilities: end -->/;

describe.each(CONFORMERS)('$api', (adapter) => {
  it.each(CAPABILITIES)('$name', async ({ run }) => {
    expect(await run(adapter)).toMatch(/\w/);
  });
});

it('is what docs/providers.md says', async () => {
  const rows: string[][] = [];
  for (const { name, run } of CAPABILITIES) {
    const cells: string[] = [];
    for (const adapter of COLUMNS) cells.push(await run(adapter));
    rows.push([name, ...cells]);
  }
  const head = ['', ...COLUMNS.map(({ title }) => title)];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const block = `<!-- capabilities: begin -->\n${lines.join('\n')}\n<!-- capabilities: end -->`;
  const written = readFileSync(DOCUMENT, 'utf8');
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(DOCUMENT, written.replace(BLOCK, block));
  else expect(BLOCK.exec(written)?.[0]).toBe(block);
});
