// The script that writes the snapshot, over real model files (test/fixtures/catalogue, from models.dev, MIT) and made-up
// ones: what it reads, what it inherits, what it refuses.
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOGUE_ROWS } from '../../src/providers/models/catalogue-data.js';

const SCRIPT = join(import.meta.dirname, '../../scripts/refresh-catalogue.mjs');
const FIXTURES = join(import.meta.dirname, '../fixtures/catalogue');
const LIMIT = '[limit]\ncontext = 1_000\noutput = 100\n[modalities]\ninput = ["text"]\noutput = ["text"]\n';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnwright-catalogue-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function put(path: string, text: string): Promise<void> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
}

function run(checkout: string, ...more: string[]): { code: number | null; output: string; out: string } {
  const out = join(folder, 'out.ts');
  const args = [SCRIPT, checkout, '--date', '2026-10-07', '--out', out, ...more];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { code: status, output: stdout + stderr, out };
}

/** The rows that the script writes for the files put so far. */
async function rows(...more: string[]): Promise<string[]> {
  const { code, output, out } = run(folder, ...more);
  if (code !== 0) throw new Error(output);
  return (await readFile(out, 'utf8')).split('\n').filter((line) => line.startsWith('  ['));
}

describe('refresh-catalogue', () => {
  it('writes one line a model of real files, with inherited limits and tiers', async () => {
    await cp(FIXTURES, folder, { recursive: true });
    const { code, output, out } = run(folder);
    expect([code, output]).toEqual([0, '3 models written, 0 without tools, text or limits left out\n']);
    const text = await readFile(out, 'utf8');
    expect(text).toContain("export const SNAPSHOT_DATE = '2026-10-07';");
    expect(text).toMatch(/models\.dev.*MIT licence/);
    expect(text.slice(text.indexOf('CATALOGUE_ROWS'))).toBe(
      `CATALOGUE_ROWS: readonly CatalogueRow[] = [
  ['anthropic/claude-haiku-4-5', 200000, 64000, 1, 'tip', [1, 5, 0.1, 1.25]],
  ['anthropic/claude-opus-4-8', 1000000, 128000, 1, 'tip', [5, 25, 0.5, 6.25]],
  ['openai/gpt-5.4', 1050000, 128000, 1, 'tip', [2.5, 15, 0.25, null], [272000, 5, 22.5, 0.5, null]],
];
`,
    );
    const limits = await readFile(join(folder, 'model-limits-data.ts'), 'utf8');
    expect(limits.split('\n').filter((line) => /^[a-z]+ \d/.test(line))).toEqual([
      'anthropic 200000 64000 claude-haiku-4-5',
      'anthropic 1000000 128000 claude-opus-4-8',
      'openai 1050000 128000 gpt-5.4',
    ]);
  });

  it('wrote the committed snapshot: the same lines come from the same files', async () => {
    await cp(FIXTURES, folder, { recursive: true });
    const committed = CATALOGUE_ROWS.map((row) => JSON.stringify(row));
    for (const line of await rows()) {
      const row = line.trim().replace(/,$/, '').replaceAll("'", '"').replaceAll(', ', ',');
      expect(committed).toContain(row);
    }
  });

  it('merges tables key by key, replaces lists, and leaves out what is omitted', async () => {
    await put('models/lab/base.toml', `reasoning = true\n[cost]\ninput = 1\noutput = 2\ncache_read = 0.5\n${LIMIT}`);
    await put(
      'providers/xai/models/a.toml',
      'base_model = "lab/base"\nbase_model_omit = ["cost.cache_read"]\n[limit]\noutput = 7\n[modalities]\ninput = ["text", "pdf"]\n',
    );
    await put('providers/openai/models/b.toml', '[extends]\nfrom = "xai/a"\nomit = ["reasoning"]\n[cost]\ninput = 3\n');
    expect(await rows()).toEqual([
      "  ['openai/b', 1000, 7, 0, 'tp', [3, 2, null, null]],",
      "  ['xai/a', 1000, 7, 1, 'tp', [1, 2, null, null]],",
    ]);
  });

  it('reads both spellings of tiers and the older table, lowest first', async () => {
    const cost = '[cost]\ninput = 1\noutput = 2\n';
    const tiers = '[[cost.tiers]]\ncontext = { min = 9 }\ninput = 5\noutput = 6\n[[cost.tiers]]\ntier = { size = 4 }\n';
    await put('providers/xai/models/a.toml', `${cost}${tiers}input = 3\noutput = 4\n${LIMIT}`);
    await put('providers/xai/models/b.toml', `${cost}[cost.context_over_200k]\ninput = 7\noutput = 8\n${LIMIT}`);
    expect(await rows()).toEqual([
      "  ['xai/a', 1000, 100, 0, 't', [1, 2, null, null], [4, 3, 4, null, null], [9, 5, 6, null, null]],",
      "  ['xai/b', 1000, 100, 0, 't', [1, 2, null, null], [200000, 7, 8, null, null]],",
    ]);
  });

  it('has null for no price and for a price of zero, and leaves out what no agent can use', async () => {
    await put('providers/xai/models/none.toml', LIMIT);
    await put('providers/xai/models/zero.toml', `[cost]\ninput = 0.00\noutput = 0\n${LIMIT}`);
    await put('providers/xai/models/no-tools.toml', `tool_call = false\n${LIMIT}`);
    await put('providers/xai/models/image.toml', LIMIT.replace('output = ["text"]', 'output = ["image"]'));
    await put('providers/xai/models/lab/nested.toml', LIMIT);
    await put('providers/other/models/x.toml', LIMIT);
    expect(await rows()).toEqual([
      "  ['xai/lab/nested', 1000, 100, 0, 't', null],",
      "  ['xai/none', 1000, 100, 0, 't', null],",
      "  ['xai/zero', 1000, 100, 0, 't', null],",
    ]);
    expect(await rows('--providers', 'other')).toEqual(["  ['other/x', 1000, 100, 0, 't', null],"]);
  });

  it('reads the forms of TOML that model files use', async () => {
    await put(
      'providers/xai/models/a.toml',
      `# comment\r\n"name" = 'it'\n` +
        `text = "a # \\"b\\" \\u00e9 ]" # more\nday = 2026-01-02\nlist = [ # one\n  1, [2, 3],\n  { a.b = 4 },\n]\nempty = []\n` +
        `[cost]\ninput = 1_000.50\noutput = +2e1\n${LIMIT}`,
    );
    expect(await rows()).toEqual(["  ['xai/a', 1000, 100, 0, 't', [1000.5, 20, null, null]],"]);
  });

  it.each([
    ['reasoning = yes', /a\.toml:1: cannot read the value "yes"/],
    ['x = 1\nx = 2', /a\.toml:2: the key "x" is given twice/],
    ['x = "open', /a\.toml:1: a string has no end/],
    ['x = """\nlong\n"""', /multi-line strings are not supported/],
    ['x = 1 y = 2', /a\.toml:1: expected the end of the line/],
    ['x = [1 2]', /expected "," or "\]"/],
    ['x = { a = 1', /a\.toml/],
    ['[cost', /expected "\]"/],
    ['= 1', /expected a key/],
    ['x = 1\n[x]\ny = 1', /"x" is no table/],
    ['base_model = "lab/gone"', /models\/lab\/gone\.toml, which it inherits from, is missing/],
    ['[extends]\nfrom = "xai/a"', /inherits from itself/],
    [`[cost]\ninput = -1\noutput = 2\n${LIMIT}`, /xai\/a: -1 is no price/],
    [`[cost]\ninput = 1\noutput = 2\n[[cost.tiers]]\ninput = 1\n${LIMIT}`, /price tier without its size/],
    [LIMIT.replace('["text"]', '["smell"]'), /unknown input "smell"/],
  ])('refuses %j, and writes nothing', async (text, reason) => {
    await put('providers/xai/models/a.toml', text);
    const { code, output, out } = run(folder);
    expect(output).toMatch(reason);
    expect(code).toBe(1);
    await expect(stat(out)).rejects.toThrow(/ENOENT/);
  });

  it('refuses a folder that is no checkout, one without models, and a missing date', async () => {
    expect(run(folder).output).toMatch(/no folder "providers"/);
    await mkdir(join(folder, 'providers'));
    expect(run(folder).output).toMatch(/No model was found/);
    expect(run(folder, '--date', 'today').output).toMatch(/--date 2026-01-31/);
  });
});
