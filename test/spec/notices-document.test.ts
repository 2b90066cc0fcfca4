// The documents list every code by which a program can tell that something was less than it could be: each code of the
// types, none that is not there, and none that no test has seen.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FALLBACK_TRIGGERS } from '../../src/protocol/model-options.js';

const ROOT = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, ROOT), 'utf8');
const SYSTEM = read('src/protocol/system-messages.ts');

/** The members of a union of texts, from its declaration. */
function members(source: string, name: string): string[] {
  const start = source.indexOf(`export type ${name} =`);
  const end = source.indexOf(';', start);
  return [...source.slice(start, end).matchAll(/[|=]\s*'(\w+)'/g)].map(([, member = '']) => member);
}

/** What stands first in the rows of a table of a document. */
function listed(document: string, table: string): string[] {
  const [, section = ''] = read(`docs/${document}`).split(table);
  const rows = section.slice(0, section.indexOf('\n\n', 3)).split('\n');
  const cells = rows.filter((line) => line.startsWith('| `')).map((line) => line.split('|')[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code));
}

const TABLES: readonly (readonly [document: string, table: string, codes: readonly string[]])[] = [
  ['notices.md', '| Code |', members(SYSTEM, 'NoticeCode')],
  ['notices.md', '| `reason` of `compaction_blocked` |', members(SYSTEM, 'CompactionBlockedReason')],
  ['notices.md', '| Kind | What was repaired |', members(SYSTEM, 'HistoryRepairKind')],
  ['notices.md', '| Kind | What happened |', members(read('src/protocol/errors.ts'), 'ModelErrorKind')],
  ['notices.md', '| Trigger |', [...FALLBACK_TRIGGERS, 'prompt_started', 'resolve_model']],
  ['protocol.md', '| `terminal_reason` | `subtype` |', members(read('src/protocol/messages.ts'), 'TerminalReason')],
];

const tests = readdirSync(new URL('test/', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && path.basename(name) !== 'notices-document.test.ts')
  .map((name) => read(`test/${name}`))
  .join('\n');

describe('the lists of codes', () => {
  it('tell more than eighty apart', () => {
    expect(TABLES.flatMap(([, , codes]) => codes).length).toBeGreaterThan(80);
  });

  it.each(TABLES)('%s %s: has each once', (document, table, codes) => {
    expect(codes.length).toBeGreaterThan(4);
    expect(listed(document, table).sort()).toEqual([...codes].sort());
  });

  it.each(TABLES)('%s %s: a test sees each', (_document, _table, codes) => {
    expect(codes.filter((code) => !new RegExp(`\\b${code}\\b`).test(tests))).toEqual([]);
  });
});
