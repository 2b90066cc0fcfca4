// The way back for files through the real command line: when there is one by itself, and that `sessions rewind` takes it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { buildEntry, mockEnv, runCli, temporaryFolder } from './run-cli.js';

beforeAll(buildEntry, 300_000);

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  at(name: string): string;
}

function place(settings?: object): Place {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  if (settings !== undefined) writeFileSync(join(home, 'settings.json'), JSON.stringify(settings));
  writeFileSync(join(cwd, 'notes.txt'), 'as it was\n');
  mkdirSync(join(cwd, 'sub'));
  return { cwd, env: { TURNWRIGHT_HOME: home }, at: (name) => join(cwd, name) };
}

/** One prompt whose model changes a file, removes another and makes a third. */
async function change({ cwd, env }: Place, flags: readonly string[]): Promise<string> {
  const mock = await startMockProvider({
    steps: [
      toolCall('Read', { file_path: 'notes.txt' }),
      toolCall('Edit', { file_path: 'notes.txt', old_string: 'as it was', new_string: 'changed' }),
      toolCall('Write', { file_path: 'sub/new.txt', content: 'new' }),
      text('done'),
    ],
  });
  onTestFinished(() => mock.close());
  const argv = ['-p', '--output-format', 'json', ...flags, 'change it'];
  const { code, stdout, stderr } = await runCli(argv, { cwd, env: { ...env, ...mockEnv(mock.url) } });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return (JSON.parse(stdout) as { session_id: string }).session_id;
}

async function points({ cwd, env }: Place, session: string) {
  const { stdout, code } = await runCli(['sessions', 'rewind', session, '--json'], { cwd, env });
  expect(code).toBe(0);
  return JSON.parse(stdout) as { uuid: string; filesChanged: string[] | null }[];
}

it.each<[string, readonly string[]]>([
  ['where edits run unasked by the mode', ['--permission-mode', 'acceptEdits']],
  ['where everything does', ['--dangerously-skip-permissions']],
  ['where edits run unasked by a rule', ['--allowed-tools', 'Edit,Write(sub/**)']],
])('files are set back %s', async (_, flags) => {
  const there = place();
  const session = await change(there, flags);
  expect(readFileSync(there.at('notes.txt'), 'utf8')).toBe('changed\n');
  const [point] = await points(there, session);
  expect(point?.filesChanged?.sort()).toEqual([there.at('notes.txt'), there.at('sub/new.txt')]);
  const { cwd, env } = there;
  const words = ['sessions', 'rewind', session.slice(0, 8), (point?.uuid ?? '').slice(0, 8), '--files'];
  const { code, stdout, stderr } = await runCli(words, { cwd, env });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Set back 2 files');
  expect(readFileSync(there.at('notes.txt'), 'utf8')).toBe('as it was\n');
  expect(existsSync(there.at('sub/new.txt'))).toBe(false);
});

it.each<[string, readonly string[], object | undefined]>([
  ['a setting says no', ['--permission-mode', 'acceptEdits'], { enableFileCheckpointing: false }],
  ['no edit is accepted', [], undefined],
])('there is no way back where %s', async (_, flags, settings) => {
  const there = place(settings);
  const [point] = await points(there, await change(there, flags));
  expect(point?.filesChanged ?? null).toBeNull();
});

it('a setting or the flag turns it on, and the flag beats a setting that turns it off', async () => {
  // Rules of settings accept edits without it.
  const permissions = { allow: ['Edit', 'Write'] };
  const plain = place({ permissions });
  expect((await points(plain, await change(plain, [])))[0]?.filesChanged ?? null).toBeNull();
  const on = place({ enableFileCheckpointing: true, permissions });
  expect((await points(on, await change(on, [])))[0]?.filesChanged).toHaveLength(2);
  const asked = place({ permissions });
  expect((await points(asked, await change(asked, ['--enable-file-checkpointing'])))[0]?.filesChanged).toHaveLength(2);
  const off = place({ enableFileCheckpointing: false });
  const flags = ['--permission-mode', 'acceptEdits', '--enable-file-checkpointing'];
  expect((await points(off, await change(off, flags)))[0]?.filesChanged).toHaveLength(2);
});

it('a session that is not kept runs without one by itself, and refuses the flag', async () => {
  const there = place();
  const mock = await startMockProvider({ steps: [text('done')] });
  onTestFinished(() => mock.close());
  const env = { ...there.env, ...mockEnv(mock.url) };
  const flags = ['-p', '--no-session-persistence', '--permission-mode', 'acceptEdits'];
  expect(await runCli([...flags, 'hello'], { cwd: there.cwd, env })).toMatchObject({ code: 0 });
  const refused = await runCli([...flags, '--enable-file-checkpointing', 'hello'], { cwd: there.cwd, env });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a session that is kept on disk') });
});
