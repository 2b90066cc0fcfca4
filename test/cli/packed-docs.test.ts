// Documents that texts of the program name are in the package: whoever reads such a text may have nothing else.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const { files } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
const isPacked = (file: string) =>
  files.includes('docs/*.md') &&
  /^docs\/[^/]+\.md$/.test(file) &&
  !files.includes(`!${file}`) &&
  existsSync(path.join(ROOT, file));

/** Each document that a line of the sources names outside of comments. */
const named = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => readFileSync(path.join(ROOT, 'src', file), 'utf8').split('\n'))
  .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
  .flatMap((line) => line.match(/\bdocs\/[\w/-]+\.md\b/g) ?? []);

describe('the package', () => {
  it('has each document that a text names', () => {
    expect(named).toEqual(expect.arrayContaining(['docs/settings.md', 'docs/skills.md', 'docs/offline-model.md']));
    expect([...new Set(named)].filter((file) => !isPacked(file))).toEqual([]);
  });
});
