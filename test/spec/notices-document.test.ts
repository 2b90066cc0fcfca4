// docs/notices.md lists every code by which a program can tell that something was less than it could be: each code of the
// types, none that is not there, and none that no test has seen.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FALLBACK_TRIGGERS } from '../../src/protocol/fallback.js';

const ROOT = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');
const SYSTEM = read('src/protocol/system-messages.ts');

/** The members of a union of texts, from its declaration. */
function members(source: string, name: string): string[] {
  const start = source.indexOf(`export type ${name} =`);
  const end = source.indexOf(';', start);
  return [...source.slice(start, end).matchAll(/^\s*\| '(\w+)'/gm)].map(([, member = '']) => member);
}

/** What stands first in the rows of the table under a heading. */
function listed(heading: string): string[] {
  const [, section = ''] = read('docs/notices.md').split(`## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  const cells = table.split('\n').filter((line) => line.startsWith('| `'));
  return cells.flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, code = '']) => code));
}

const TABLES: readonly (readonly [heading: string, codes: readonly string[]])[] = [
  ['Notices', members(SYSTEM, 'NoticeCode')],
  ['Repairs', members(SYSTEM, 'HistoryRepairKind')],
  ['Failures of a model', members(read('src/protocol/errors.ts'), 'ModelErrorKind')],
  ['Other models', [...FALLBACK_TRIGGERS, 'prompt_started', 'resolve_model']],
  ['Ends of a prompt', members(read('src/protocol/messages.ts'), 'TerminalReason')],
];

const tests = readdirSync(new URL('test/', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && path.basename(name) !== 'notices-document.test.ts')
  .map((name) => read(`test/${name}`))
  .join('\n');

describe('docs/notices.md', () => {
  it('tells more than eighty codes apart', () => {
    expect(TABLES.flatMap(([, codes]) => codes).length).toBeGreaterThan(80);
  });

  it.each(TABLES)('%s: lists each once', (heading, codes) => {
    expect(codes.length).toBeGreaterThan(9);
    expect(listed(heading).sort()).toEqual([...codes].sort());
  });

  it.each(TABLES)('%s: a test sees each', (_heading, codes) => {
    expect(codes.filter((code) => !new RegExp(`\\b${code}\\b`).test(tests))).toEqual([]);
  });
});
