import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import { answer, prompt, writeSession } from '../support/transcripts.js';
import { buildEntry, runCli, temporaryFolder } from './run-cli.js';

beforeAll(buildEntry, 300_000);

const ONE = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';
const LIKE_ONE = '1b4e28ba-0000-41d2-883f-0016d3cca427';
const TWO = '2b4e28ba-2fa1-41d2-883f-0016d3cca427';

interface Scene {
  readonly home: string;
  readonly cwd: string;
  run(...argv: string[]): ReturnType<typeof runCli>;
}

/** Two sessions of this folder, one of another. */
async function scene(): Promise<Scene> {
  const home = temporaryFolder();
  const cwd = temporaryFolder();
  await writeSession(home, [prompt('first prompt'), answer('first answer')], { sessionId: ONE, cwd });
  await writeSession(home, [prompt('look\x1b[31m here'), answer('second answer')], { sessionId: TWO, cwd });
  await writeSession(home, [prompt('elsewhere')], { sessionId: LIKE_ONE, cwd: '/elsewhere' });
  return { home, cwd, run: (...argv) => runCli(['sessions', ...argv], { cwd, env: { TURNWRIGHT_HOME: home } }) };
}

describe('turnwright sessions', () => {
  it('helps', async () => {
    const { run } = await scene();
    const { code, stdout } = await run();
    expect({ code, help: stdout.includes('turnwright sessions list --all') }).toEqual({ code: 0, help: true });
    for (const name of [
      'list',
      'show',
      'export',
      'fork',
      'rewind',
      'rename',
      'tag',
      'delete',
      'rm',
      'gc',
      'archive',
      'unarchive',
    ]) {
      const own = await run(name, '--help');
      expect(own).toMatchObject({ code: 0, stderr: '' });
      expect(own.stdout).toMatch(new RegExp(`^turnwright sessions ${name}\\n  .*\\b${name}\\b.*  \\S`));
      // Its own flags, each with its words, and no others.
      const flags = (await run(name, '--nosuch')).stderr;
      expect(flags).toContain('--nosuch');
    }
    const rewind = (await run('rewind', '--help')).stdout;
    for (const flag of ['--json', '--dir', '--both', '--files', '--dry-run', 'what goes back'])
      expect(rewind).toContain(flag);
    for (const flag of ['--limit', '--older-than', '--format']) expect(rewind).not.toContain(flag);
  });

  it('list: of this folder, of another, of all, for people and for programs', async () => {
    const { cwd, run } = await scene();
    const here = await run('list');
    expect(here).toMatchObject({ code: 0, stderr: '' });
    expect(here.stdout.split('\n')[0]).toMatch(/^ID +CHANGED +SIZE +TITLE$/);
    expect(here.stdout).toMatch(/^1b4e28ba +just now +\d+ bytes +first prompt$/m);
    expect(here.stdout).toMatch(/^2b4e28ba .* look\\x1b\[31m here$/m);
    expect(here.stdout).not.toContain('elsewhere');
    expect(here.stdout).not.toContain('\x1b');

    expect((await run('list', '--all')).stdout).toContain('elsewhere');
    expect((await run('list', '--dir', '/elsewhere')).stdout).toContain('1b4e28ba');
    const page = await run('list', '--limit', '1');
    expect(page.stdout.trimEnd().split('\n').length).toBe(2);
    expect(page.stderr).toContain('--limit 0');
    const json = JSON.parse((await run('list', '--json')).stdout) as { sessionId: string; cwd: string }[];
    expect(json.map(({ sessionId }) => sessionId).sort()).toEqual([ONE, TWO]);
    expect(json.every((session) => session.cwd === cwd)).toBe(true);
    expect(await run('list', '--dir', '/nothing')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^No sessions/) as string,
    });
    expect((await run('list', '--dir', '/nothing', '--json')).stdout).toBe('[]\n');
  });

  it('show: what it is about, by the beginning of its id', async () => {
    const { run } = await scene();
    const { code, stdout } = await run('show', '2b4e');
    expect(code).toBe(0);
    expect(stdout).toContain(`id        ${TWO}`);
    expect(stdout).toContain('> look\\x1b[31m here\n\nsecond answer\n');
    const json = JSON.parse((await run('show', ONE, '--json', '--limit', '1')).stdout) as {
      session: object;
      messages: object[];
    };
    expect(json).toMatchObject({ session: { sessionId: ONE }, messages: [{ type: 'assistant' }] });
  });

  it('rewind: lists the prompts, says what would go, goes back, and takes it back', async () => {
    const { home, cwd, run } = await scene();
    const uuids = ['aaaa1111-0000-4000-8000-000000000000', 'bbbb1111-0000-4000-8000-000000000000'];
    const lines = uuids.flatMap((uuid, at) => [prompt(`prompt ${at}`, { uuid }), answer(`answer ${at}`)]);
    const id = '3b4e28ba-2fa1-41d2-883f-0016d3cca427';
    await writeSession(home, lines, { sessionId: id, cwd });
    const listed = await run('rewind', '3b4e');
    expect(listed).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^-: that prompt changed no file/) as string,
    });
    expect(listed.stdout).toMatch(/^ID +SENT +FILES +PROMPT\naaaa1111 +\S+ +- +prompt 0\nbbbb1111 .*prompt 1\n$/);
    expect(JSON.parse((await run('rewind', '3b4e', '--json')).stdout)).toMatchObject([{ uuid: uuids[0] }, {}]);

    const rejected = await run('rewind', '3b4e', 'bbbb');
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toContain('scope conversation');
    const dry = await run('rewind', '3b4e', 'bbbb', '--conversation', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: 'Would take 2 messages out of the conversation.\n' });
    expect((await run('show', '3b4e')).stdout).toContain('prompt 1');
    const done = JSON.parse((await run('rewind', '3b4e', 'bbbb', '--conversation', '--json')).stdout) as {
      status: string;
      rewindId: string;
    };
    expect(done.status).toBe('success');
    expect((await run('show', '3b4e')).stdout).not.toContain('prompt 1');
    expect(await run('rewind', '3b4e', done.rewindId, '--conversation')).toMatchObject({ code: 0 });
    expect((await run('show', '3b4e')).stdout).toContain('answer 1');
  });

  it('rewind: says what is wrong with a message, or with flags', async () => {
    const { run } = await scene();
    for (const [words, said] of [
      [['1b4e28ba-2', 'abc'], 'too short'],
      [['1b4e28ba-2', 'abcdef'], 'no prompt whose id begins with "abcdef"'],
      [['1b4e28ba-2', 'abcdef', 'more'], 'unexpected argument "more"'],
      [['1b4e28ba-2', '--files'], 'say which message'],
      [['1b4e28ba-2', 'abcdef', '--files', '--both'], 'cannot be used together'],
      [['9999'], 'no session'],
    ] as const) {
      const { code, stderr, stdout } = await run('rewind', ...words);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(said);
    }
    const unknown = await run('rewind', '1b4e28ba-2', '99999999-9999-4999-8999-999999999999', '--conversation');
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no message') as string });
  });

  it('rename, tag, archive and fork', async () => {
    const { run } = await scene();
    const done = { code: 0, stdout: '', stderr: '' };
    expect(await run('rename', TWO, 'A', 'new', 'title')).toEqual(done);
    expect(await run('tag', TWO, 'later')).toEqual(done);
    expect(await run('archive', TWO)).toEqual(done);
    expect((await run('list')).stdout).toContain('[later] A new title (archived)');
    expect(await run('tag', TWO, '--clear')).toEqual(done);
    expect(await run('unarchive', TWO)).toEqual(done);
    expect((await run('list')).stdout).toMatch(/ A new title$/m);
    const forked = await run('fork', TWO, '--title', 'Branch');
    expect(forked.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
    expect((await run('show', forked.stdout.trim())).stdout).toContain('second answer');
    expect(JSON.parse((await run('fork', ONE, '--json')).stdout)).toEqual({ sessionId: expect.any(String) as string });
    expect((await run('list')).stdout).toContain('first prompt (fork)');
  });

  it('export: to stdout or into a file of its own', async () => {
    const { cwd, run } = await scene();
    expect((await run('export', ONE)).stdout).toContain('> first answer');
    expect(JSON.parse((await run('export', ONE, '--format', 'json')).stdout)).toMatchObject({
      format: 'turnwright-session',
    });
    const written = await run('export', ONE, '--format', 'html', '-o', 'session.html');
    expect(written).toMatchObject({ code: 0, stdout: '', stderr: `Written to ${join(cwd, 'session.html')}\n` });
    expect(readFileSync(join(cwd, 'session.html'), 'utf8')).toMatch(/^<!doctype html>/);
    expect(statSync(join(cwd, 'session.html')).mode & 0o777).toBe(0o600);
    mkdirSync(join(cwd, 'folder'));
    expect(await run('export', ONE, '-o', 'folder')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^turnwright: Cannot write .*folder/) as string,
    });
  });

  it('export and rm: for programs', async () => {
    const { run } = await scene();
    const exported = await run('export', TWO, '--json');
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(exported.stdout).toBe((await run('export', TWO, '--format', 'json')).stdout);
    expect(await run('export', TWO, '--json', '--format', 'md')).toMatchObject({ code: 2, stdout: '' });
    const gone = await run('rm', TWO, '--yes', '--json');
    expect(gone).toMatchObject({ code: 0, stderr: '', stdout: `{"sessionId":"${TWO}","deleted":true}\n` });
    expect(await run('rm', TWO, '--yes', '--json')).toMatchObject({ code: 2, stdout: '' });
  });

  it('rm: also what is no transcript, by its whole id', async () => {
    const { home, run } = await scene();
    const [project = ''] = readdirSync(join(home, 'projects'));
    const id = '4b4e28ba-2fa1-41d2-883f-0016d3cca427';
    mkdirSync(join(home, 'projects', project, `${id}.jsonl`));
    expect(await run('rm', id, '--yes')).toMatchObject({ code: 0 });
    expect(readdirSync(join(home, 'projects', project))).not.toContain(`${id}.jsonl`);
  });

  it('rm: only if somebody said so', async () => {
    const { home, run } = await scene();
    const asked = await run('rm', TWO);
    expect(asked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/Add --yes/) as string });
    expect(await run('rm', '2b4e', '--yes')).toEqual({ code: 0, stdout: '', stderr: `Deleted session ${TWO}.\n` });
    expect((await run('list')).stdout).not.toContain('2b4e28ba');
    const lock = readdirSync(join(home, 'projects')).map((name) => join(home, 'projects', name, `${ONE}.lock`));
    for (const file of lock) writeFileSync(file, JSON.stringify(await createNodeHost().processes.self()));
    expect(await run('rm', ONE, '-y')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/in use by process/) as string,
    });
    expect((await run('rm', ONE, '-y', '--force')).code).toBe(0);
  });

  it('gc: says what goes, and deletes sessions only if told which', async () => {
    const { home, run } = await scene();
    expect(await run('gc')).toEqual({ code: 0, stdout: 'There was nothing to delete.\n', stderr: '' });
    const dry = await run('gc', '--max-bytes', '1B', '--dry-run');
    expect(dry.stdout).toMatch(/^would delete session .*\.jsonl \(\d+ bytes, just now\)$/m);
    expect(dry.stdout).toMatch(/^Would free 3 sessions: .*; 0 bytes of sessions left\.$/m);
    expect((await run('list', '--all', '--json')).stdout).toContain(ONE);
    const json = JSON.parse((await run('gc', '--older-than', '1h', '--json')).stdout) as object;
    expect(json).toMatchObject({ dryRun: false, removed: [], kept: [] });
    expect((await run('gc', '--max-bytes', '0.001kb')).stdout).toMatch(/^Freed 3 sessions: /m);
    expect(readdirSync(join(home, 'projects'))).toEqual([]);
  });

  it.each<[string, string[], RegExp]>([
    ['an unknown command', ['lst'], /no command "turnwright sessions lst"\. Did you mean list\?/],
    ['an unknown flag', ['list', '--jsn'], /unknown flag --jsn/],
    ['a command of every object', ['constructor'], /no command/],
    ['no id', ['show'], /the id is missing\. Write: turnwright sessions show <id>/],
    ['no title', ['rename', ONE], /the title is missing/],
    ['an id that is a path', ['show', '../../etc/passwd'], /is not the id of a session/],
    ['an id that is too short', ['show', '1b'], /too short/],
    ['an id of two sessions', ['show', '1b4e28ba'], /2 sessions have ids that begin with 1b4e28ba/],
    ['an id of none', ['show', 'ffff'], /no session whose id begins with ffff/],
    ['an id of another folder', ['show', '1b4e28ba', '--dir', '/nothing'], /no session of \/nothing/],
    ['a format that is none', ['export', TWO, '--format', 'pdf'], /--format is one of md, html, json/],
    ['too many words', ['show', TWO, 'more'], /unexpected argument "more"/],
    ['a limit that is none', ['list', '--limit', '-1'], /--limit needs a whole number/],
    ['two scopes', ['list', '--all', '--dir', '/x'], /cannot be used together/],
    ['a message that is not there', ['fork', TWO, '--up-to', ONE], /has no message/],
    ['an empty title', ['rename', TWO, ' '], /The title is empty/],
    ['an age without a unit', ['gc', '--older-than', '30'], /--older-than needs an age such as 12h, 30d or 8w/],
    ['an age of nothing', ['gc', '--older-than', '0d'], /--older-than needs an age/],
    ['a size without a unit', ['gc', '--max-bytes', '5'], /--max-bytes needs a size such as 500MB or 5GB/],
  ])('refuses %s: exit code 2, one line, nothing changed', async (_name, argv, says) => {
    const { home, run } = await scene();
    const { code, stdout, stderr } = await run(...argv);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^turnwright: [^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(existsSync(join(home, 'session-index.json'))).toBe(false);
  });
});
