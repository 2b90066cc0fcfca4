// docs/permissions.md tells what each mode says of typical calls: every cell is so.
import { readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSION_MODES, type PermissionMode } from '../../src/protocol/permissions.js';
import { checkPermission } from '../../src/sdk/permissions/permissions.js';

const DOCUMENT = readFileSync(new URL('../../docs/permissions.md', import.meta.url), 'utf8');
let root = '';

beforeAll(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'table-')));
});
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

/** The calls that a row stands for. */
const CALLS: Readonly<Record<string, readonly { tool: string; input: Record<string, unknown> }[]>> = {
  'Read in the workspace': [{ tool: 'Read', input: { file_path: 'a.ts' } }],
  'Read outside': [{ tool: 'Read', input: { file_path: '/etc/hosts' } }],
  'Edit in the workspace': [{ tool: 'Edit', input: { file_path: 'a.ts' } }],
  'Edit outside': [{ tool: 'Write', input: { file_path: '/tmp/x' } }],
  'Edit of `.git/config`, `~/.bashrc`': [
    { tool: 'Edit', input: { file_path: '.git/config' } },
    { tool: 'Write', input: { file_path: '/home/u/.bashrc' } },
  ],
  '`git diff | head`': [{ tool: 'Bash', input: { command: 'git diff | head' } }],
  '`mkdir x && touch x/y`': [{ tool: 'Bash', input: { command: 'mkdir x && touch x/y' } }],
  '`npm install`': [{ tool: 'Bash', input: { command: 'npm install' } }],
  '`rm -rf /`, `~`, `.`': ['/', '~', '.'].map((target) => ({ tool: 'Bash', input: { command: `rm -rf ${target}` } })),
  'a tool of an MCP server': [{ tool: 'mcp__a__b', input: {} }],
};

function rows(): string[][] {
  const start = DOCUMENT.indexOf('| Call | `default`');
  const lines = DOCUMENT.slice(start, DOCUMENT.indexOf('\n\n', start)).split('\n');
  return lines
    .filter((line) => !line.startsWith('| ---'))
    .map((line) =>
      line
        .replaceAll('\\|', '\u0000')
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.replaceAll('\u0000', '|').trim()),
    );
}

describe('the table of docs/permissions.md', () => {
  const [head = [], ...body] = rows();
  const modes = head.slice(1).map((cell) => cell.replaceAll('`', '') as PermissionMode);

  it('has every mode and every call', () => {
    expect([...modes, 'yolo'].sort()).toEqual([...PERMISSION_MODES].sort());
    expect(body.map(([call]) => call)).toEqual(Object.keys(CALLS));
  });

  it.each(
    body.flatMap(([call = '', ...cells]) => cells.map((said, at) => [call, modes[at] ?? 'default', said] as const)),
  )('%s in %s: %s', async (name, mode, said) => {
    for (const call of CALLS[name] ?? []) {
      const { behavior } = await checkPermission({ ...call, cwd: root, home: '/home/u', mode });
      // The mode itself asks nobody.
      expect(mode === 'dontAsk' && behavior === 'ask' ? 'deny' : behavior).toBe(said);
    }
  });
});
