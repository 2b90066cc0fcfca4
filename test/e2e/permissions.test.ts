// Decisions from the command line: looked at without running anything, and made later about calls that wait.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { buildEntry, mockEnv, runCli, startCli, temporaryFolder } from './run-cli.js';

const MODEL = ['--model', 'claude-sonnet-4-5'];

beforeAll(buildEntry, 300_000);

const call = (command: string, more: object = {}) => JSON.stringify({ tool: 'Bash', input: { command }, ...more });

describe('turnwright permissions', () => {
  it('decides one call a line, tells what it could not understand, and goes on', async () => {
    const lines = [
      call('ls'),
      call('ls && rm x', { rules: { deny: ['Bash(rm *)'] } }),
      'no json',
      call('ls', { mode: 'reckless' }),
      call('ls', { rules: { allow: ['Bash()'] } }),
      '',
      call('touch x', { mode: 'acceptEdits' }),
    ];
    const { ended } = startCli(['permissions', 'check'], { stdin: lines.join('\n') });
    const { code, stdout } = await ended;
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told).toMatchObject([
      { behavior: 'allow' },
      { behavior: 'deny', rule: 'Bash(rm *)', subcommand: 'rm x' },
      { error: expect.stringMatching(/not JSON/) },
      { error: expect.stringMatching(/Modes: default/) },
      { error: expect.stringMatching(/never|not widened/) },
      { behavior: 'allow', reasonType: 'mode' },
    ]);
    expect(code).toBe(1);
  });

  it('decides the call of its argument', async () => {
    const { code, stdout } = await startCli(['permissions', 'check', call('rm -rf /', { mode: 'yolo' })]).ended;
    expect(JSON.parse(stdout)).toMatchObject({ behavior: 'ask', reasonType: 'safetyCheck', blockedPath: '/' });
    expect(code).toBe(0);
  });

  it('decides a call in words by the settings that are there', async () => {
    const home = temporaryFolder();
    const env = { TURNWRIGHT_HOME: home };
    const check = async (...words: string[]) => runCli(['permissions', 'check', ...words], { env });
    expect(JSON.parse((await check('Bash', 'npm test')).stdout)).toMatchObject({ behavior: 'ask' });
    writeFileSync(join(home, 'settings.json'), '{"permissions":{"allow":["Bash(npm test)"],"deny":["Read(.env)"]}}');
    expect(JSON.parse((await check('Bash', 'npm test')).stdout)).toMatchObject({
      behavior: 'allow',
      rule: 'Bash(npm test)',
    });
    expect(JSON.parse((await check('Read', '.env')).stdout)).toMatchObject({ behavior: 'deny' });
    expect(JSON.parse((await check('Write', 'a.txt', '--mode', 'acceptEdits')).stdout)).toMatchObject({
      behavior: 'allow',
    });
    // With rules as a run is given them.
    for (const [words, behavior] of [
      [['npm test', '--disallowedTools', 'Edit, Bash(npm *)'], 'deny'],
      [['make a', '--allowedTools=Bash(make *)'], 'allow'],
      [['make b', '--allowed-tools', 'Read', '--allowed-tools', 'Bash(make *)'], 'allow'],
    ] as const)
      expect(JSON.parse((await check('Bash', ...words)).stdout)).toMatchObject({ behavior });
    expect(await check('{"tool":"Bash","input":{"command":"ls"}}', '--allowedTools', 'Bash')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/a field rules/),
    });
    expect(await check('Bash')).toMatchObject({ code: 2, stderr: expect.stringMatching(/Bash needs its command/) });
    expect(await check('Nothing', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/cannot be said in one text/),
    });
    expect(await check('Bash', 'a', 'b')).toMatchObject({ code: 2, stderr: expect.stringMatching(/quote the whole/) });
    expect(await check('Bash', 'a', '--mode', 'fast')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/fast/),
    });
  });

  it('says which rules of the folder do not count, and decides without them', async () => {
    const [cwd, home] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(cwd, '.turnwright'));
    writeFileSync(join(cwd, '.turnwright', 'settings.json'), '{"permissions":{"allow":["Bash(npm test)"]}}');
    const { code, stdout, stderr } = await runCli(['permissions', 'check', 'Bash', 'npm test'], {
      cwd,
      env: { TURNWRIGHT_HOME: home },
    });
    expect({ code, behavior: (JSON.parse(stdout) as { behavior: string }).behavior }).toEqual({
      code: 0,
      behavior: 'ask',
    });
    expect(stderr).toMatch(/^! Nobody vouches for .*: permissions\.allow \(.*settings\.json\)\. .*\n$/);
  });

  it('explains a command', async () => {
    const command = 'cat a | sudo tee /etc/x > out; $Y';
    const { stdout } = await startCli(['permissions', 'explain', command]).ended;
    expect(stdout).toMatch(/starts {3}"sudo" "tee"/);
    expect(stdout).toMatch(/writes {3}\/etc\/x {2}\(operand\)/);
    expect(stdout).toMatch(/writes {3}out in .*\(redirection\)/);
    expect(stdout).toMatch(/unknown/);
    const asJson = await startCli(['permissions', 'explain', command, '--json']).ended;
    expect(JSON.parse(asJson.stdout).programs.length).toBeGreaterThan(3);
    const unpacking = await startCli(['permissions', 'explain', 'tar xf a.tar -C sub && patch']).ended;
    expect(unpacking.stdout).toMatch(/unpacks {2}\/.*\/a\.tar {2}\(looked into before it runs, into \/.*\/sub\)/);
    expect(unpacking.stdout).toMatch(/unpacks {2}\? {2}\(/);
  });

  it.each([
    [['permissions', 'decide'], /no "permissions decide"/],
    [['permissions', 'explain'], /Give the command line/],
    [['permissions', 'check', '{}', '{}'], /unexpected argument/],
    [['permissions', '--jsno'], /Did you mean --json/],
  ])('%j is a usage error', async (argv, why) => {
    const { code, stderr } = await startCli(argv).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(why);
  });
});

describe('rules of settings', () => {
  function settings(permissions: object): string {
    const home = temporaryFolder();
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ permissions }));
    return home;
  }
  const examples = [
    { rule: 'Bash(npm run *)', match: ['npm run build', 'npm run test:unit'], not_match: ['npm test'] },
  ];

  it('are looked over, with their examples', async () => {
    const home = settings({ allow: ['Bash(npm run *)', 'Bash(sudo *)'], examples });
    const { code, stdout } = await startCli(['permissions', 'test'], { env: { TURNWRIGHT_HOME: home } }).ended;
    expect(stdout).toMatch(/look at +allow Bash\(sudo \*\): sudo runs whatever/);
    expect(stdout).toContain('2 rules, 3 of 3 examples hold.');
    expect(code).toBe(0);
  });

  it('fail if an example does not hold, or a rule cannot be used; a session is told as well', async () => {
    const wrong = [
      { rule: 'Bash(npm run test)', match: ['npm run test:unit'] },
      { rule: 'Bash(gone)', match: ['gone'] },
    ];
    const home = settings({ allow: ['Bash(npm run test)', 'Bash('], examples: wrong });
    const env = { TURNWRIGHT_HOME: home };
    const { code, stdout } = await startCli(['permissions', 'test'], { env }).ended;
    expect(stdout).toMatch(/wrong +allow Bash\(npm run test\) does not speak of npm run test:unit/);
    expect(stdout).toMatch(/wrong +Bash\(gone\) stands in no list/);
    expect(stdout).toMatch(/cannot be used/);
    expect(code).toBe(1);
    const asJson = await startCli(['permissions', 'test', '--json'], { env }).ended;
    expect(JSON.parse(asJson.stdout)).toMatchObject({ rules: 1, examples: [{ isRight: false }, { behavior: null }] });
    const session = await startCli(['-p', 'help', '--model', 'offline', '--output-format', 'stream-json'], { env })
      .ended;
    expect(session.stdout.match(/permission_example_failed/g)).toHaveLength(2);
  });
});

describe('calls that wait', () => {
  it('end the run with code 3 and a line that says how to decide; the decision runs them', async () => {
    const provider = await startMockProvider({
      steps: [toolCall('Bash', { command: 'touch made' }, 'toolu_touch'), text('made it')],
    });
    const [cwd, home] = [temporaryFolder(), temporaryFolder()];
    const options = { cwd, env: { ...mockEnv(provider.url), TURNWRIGHT_HOME: home } };
    const first = await startCli(['-p', 'make it', '--defer-permissions', ...MODEL], options).ended;
    expect(first.code).toBe(3);
    expect(first.stderr).toMatch(/waits: Bash touch made \(toolu_touch\)/);
    const [, session = ''] = /--resume (\S+) --allow-call/.exec(first.stderr) ?? [];
    expect(existsSync(join(cwd, 'made'))).toBe(false);
    const second = await startCli(['-p', '--resume', session, '--allow-call', 'toolu_touch', ...MODEL], options).ended;
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('made it') });
    expect(existsSync(join(cwd, 'made'))).toBe(true);
    const third = await startCli(['-p', '--resume', session, '--deny-call', 'toolu_touch', ...MODEL], options).ended;
    expect(third.code).toBe(1);
    expect(third.stderr).toMatch(/No call of this session waits/);
    await provider.close();
  });
});
