// `turnwright doctor` as a process: what it finds in a set-up that is whole, and in one where each part is broken.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ok, type Part, type Place } from '../../src/cli/commands/doctor/finding.js';
import { lookAtAll } from '../../src/cli/commands/doctor.js';
import { createNodeHost } from '../../src/host/node-host.js';
import { ConfigError } from '../../src/protocol/errors.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { buildEntry, mockEnv, runCli, temporaryFolder } from './run-cli.js';

beforeAll(buildEntry, 300_000);

interface Report {
  readonly ok: boolean;
  readonly problems: number;
  readonly parts: readonly {
    readonly name: string;
    readonly findings: readonly { readonly level: string; readonly text: string; readonly advice?: string }[];
  }[];
}

/** `level: text` of each finding of a part. */
function told(stdout: string, name: string): string {
  const { parts } = JSON.parse(stdout) as Report;
  return (parts.find((part) => part.name === name)?.findings ?? [])
    .map(({ level, text }) => `${level}: ${text}`)
    .join('\n');
}

function write(file: string, content: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
}

describe('turnwright doctor', () => {
  it('finds nothing wrong if nothing is, asks the network only if told to, and shows no key', async () => {
    const mock = await startMockProvider({ steps: [] });
    onTestFinished(() => mock.close());
    const env = mockEnv(mock.url);
    const { code, stdout, stderr } = await runCli(['doctor'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Keys and model\n {2}ok {7}Anthropic: a key in the variable ANTHROPIC_API_KEY\.$/m);
    expect(stdout).toMatch(/^0 problems, \d+ warnings?\.$/m);
    expect(stdout).not.toContain(env['ANTHROPIC_API_KEY']);
    expect(mock.requests).toEqual([]);
    const online = await runCli(['doctor', '--online', '--json'], { env });
    expect(online.code).toBe(0);
    expect(told(online.stdout, 'network')).toMatch(/ok: http:\/\/127\.0\.0\.1:\d+\S* answers \(HTTP \d{3} /);
    const nobody = await runCli(['doctor', '--online', '--json'], { env: mockEnv('http://127.0.0.1:9') });
    expect(nobody.code).toBe(1);
    expect(told(nobody.stdout, 'network')).toMatch(/problem: http:\/\/127\.0\.0\.1:9 does not answer: /);
  });

  it('tells what is broken in each part, and of the others all the same', async () => {
    const [home, cwd] = [temporaryFolder(), temporaryFolder()];
    const tools = temporaryFolder();
    const session = '3b4e28ba-2fa1-41d2-883f-0016d3cca427';
    write(join(home, 'projects', 'p', `${session}.jsonl`), '{"type":"user"\nrubbish\n');
    const hook = (command: string) => ({ hooks: [{ type: 'command', command }] });
    write(
      join(home, 'settings.json'),
      JSON.stringify({
        permisions: {},
        permissions: { allow: ['Bash(ls'], deny: ['Read(.env)'] },
        hooks: { Stop: [hook('no-such-program --x'), hook(`node ${join(cwd, 'gone.js')}`), hook('echo fine')] },
      }),
    );
    write(join(cwd, '.turnwright', 'settings.json'), '{\n  "env": {\n    "A": \n');
    write(join(cwd, '.turnwright', 'settings.local.json'), '{ "env": { "NODE_OPTIONS": "x" } }');
    write(join(cwd, '.mcp.json'), '{"mcpServers":{"one":{"command":"no-such-server"}}}');
    write(join(cwd, '.turnwright', 'skills', 'bad', 'SKILL.md'), 'no front matter');
    write(join(cwd, '.turnwright', 'agents', 'look.md'), '---\nname: look\ndescription: Looks.\n---\nYou look.');
    write(join(cwd, 'AGENTS.md'), '@AGENTS.md');
    const env = {
      TURNWRIGHT_HOME: home,
      PATH: tools,
      HTTPS_PROXY: 'ftp://me:hunter2secret@nowhere',
      NODE_EXTRA_CA_CERTS: join(home, 'settings.json'),
      ANTHROPIC_API_KEY: 'sk-test-0123456789abcdef',
    };
    const { code, stdout } = await runCli(['doctor', '--json'], { env, cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, cwd });
    expect(told(stdout, 'network')).toMatch(/problem: HTTPS_PROXY is not the address of a proxy/);
    expect(stdout).not.toContain('hunter2secret');
    expect(told(stdout, 'programs')).toContain('warning: git was not found');
    expect(told(stdout, 'programs')).toContain('ok: ripgrep');
    const settings = told(stdout, 'settings');
    expect(settings).toMatch(/problem: .*settings\.json is not JSON \(.* at line 4, column 1\)/);
    expect(settings).toMatch(/warning: .*permisions .*Did you mean permissions\?/);
    expect(settings).toMatch(/problem: .*Bash\(ls/);
    expect(told(stdout, 'trust')).toMatch(/warning: Nobody vouched for .*: \d+ values? of settings.*1 agent/);
    expect(told(stdout, 'loaded')).toMatch(
      /warning: instruction file \S+ \(imported by AGENTS\.md\) is left out: it is imported in a circle/,
    );
    expect(told(stdout, 'hooks')).toMatch(/the program no-such-program is not there[\s\S]*there is no file .*gone\.js/);
    expect(told(stdout, 'hooks')).not.toContain('echo');
    expect(told(stdout, 'servers')).toMatch(/warning: one of .*\.mcp\.json is not started, because nobody vouches/);
    expect(told(stdout, 'skills')).toMatch(/warning: bad \(.*SKILL\.md\): /);
    expect(told(stdout, 'sessions')).toContain(`warning: ${session}: `);
    expect(told(stdout, 'disk')).toContain('MB free');
  });

  it('says that nothing can be kept if the folder may not be written, and that no model can answer', async () => {
    const home = temporaryFolder();
    chmodSync(home, 0o500);
    onTestFinished(() => chmodSync(home, 0o700));
    const { code, stdout } = await runCli(['doctor', '--json'], {
      env: { TURNWRIGHT_HOME: home, HOME: temporaryFolder() },
    });
    expect(code).toBe(1);
    expect(told(stdout, 'model')).toMatch(/^problem: No model can answer, .*turnwright login/);
    // The one who may write everywhere is not kept out.
    if (process.getuid?.() !== 0)
      expect(told(stdout, 'sessions')).toContain('cannot be written, so no session is kept');
    expect((await runCli(['doctor', 'everything'])).stderr).toContain('unexpected argument "everything"');
  });
});

describe('a look at all parts', () => {
  it('ends in time, whatever a part does, and tells the others', async () => {
    const part = (name: string, look: Part['look']): Part => ({ name, title: name, look });
    let isStopped = false;
    const hangs: Part['look'] = (_place, signal) => {
      signal.addEventListener('abort', () => {
        isStopped = true;
      });
      return new Promise(() => undefined);
    };
    const throwsAtOnce = () => {
      throw new TypeError('a fault of ours');
    };
    const place = { host: createNodeHost() } as unknown as Place;
    const looked = await lookAtAll(
      [
        part('hangs', hangs),
        part('throws', throwsAtOnce),
        part('refuses', () => Promise.reject(new ConfigError('a wrong setting.'))),
        part('works', async () => [ok('fine')]),
      ],
      place,
      30,
    );
    expect(looked.map(({ name, findings: [first] }) => `${name} ${first?.level}: ${first?.text}`)).toEqual([
      'hangs warning: This was not looked at to the end: it took longer than 0.03 s.',
      'throws warning: This could not be looked at: a fault of ours',
      'refuses problem: a wrong setting.',
      'works ok: fine',
    ]);
    expect(isStopped).toBe(true);
  });
});
