// A session with a sandbox: told at its start, on in every command, of subagents too, and closed with the session.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { PROVIDER_SECRET_VARIABLES } from '../../src/providers/keys/key-variables.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { SERVER_FILE, serversOf } from '../support/mcp-server.js';

async function folder(): Promise<string> {
  const made = await mkdtemp('/var/tmp/tw-session-');
  onTestFinished(() => rm(made, { recursive: true, force: true, maxRetries: 5 }));
  return made;
}

async function run(commands: readonly object[], more: Options = {}) {
  const cwd = more.cwd ?? (await folder());
  const model = scriptedModel([...commands.map((input) => toolCall('Bash', input as never)), text('done')]);
  const env = { TURNWRIGHT_HOME: await folder(), ...more.env };
  const allow = async () => ({ behavior: 'allow' as const });
  const options = { provider: model, cwd, canUseTool: allow, sandbox: { enabled: true }, ...more, env };
  const messages = await collect(query({ prompt: 'go', options }));
  return { messages, cwd, results: toolResults(messages) };
}

function toolResults(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type !== 'user' || typeof message.message.content === 'string') return [];
    return message.message.content.flatMap((block) =>
      block.type === 'tool_result' ? [JSON.stringify(block.content)] : [],
    );
  });
}

const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message.code] : []));

const withoutBubblewrap = () => {
  const host = createNodeHost();
  const missing = async (target: string) => {
    if (target.endsWith('/bwrap')) return host.fs.realpath('/nonexistent');
    return host.fs.realpath(target);
  };
  return { ...host, fs: { ...host.fs, realpath: missing } };
};

describe('servers of tools of a session with a sandbox', () => {
  /** One server, called once with a script; the command would be left out of the sandbox where it were one of Bash. */
  async function serverRun(script: string, more: Options = {}) {
    const cwd = await folder();
    const file = path.join(cwd, 'server.mjs');
    await copyFile(SERVER_FILE, file);
    const log = path.join(cwd, 'server.log');
    const model = scriptedModel([toolCall('mcp__s__echo', { text: `bash ${script}` }), text('done')]);
    const options = {
      cwd,
      provider: model,
      env: { TURNWRIGHT_HOME: await folder() },
      canUseTool: async () => ({ behavior: 'allow' as const }),
      sandbox: { enabled: true, excludedCommands: ['*', process.execPath, 'node *'] },
      mcpServers: { s: { command: process.execPath, args: [file, JSON.stringify({ log })] } },
      ...more,
    };
    const messages = await collect(query({ prompt: 'go', options }));
    return { messages, results: toolResults(messages), cwd, log };
  }

  it('run inside, whatever commands are left out of it', async () => {
    const outside = await folder();
    const { messages, results, cwd } = await serverRun(
      `echo x > in; echo x > ${outside}/out; grep CapEff /proc/self/status`,
    );
    expect(serversOf(messages)).toEqual([{ name: 's', status: 'connected' }]);
    expect(results[0]).toContain('0000000000000000');
    expect(await readdir(outside)).toEqual([]);
    expect((await readdir(cwd)).sort()).toEqual(['in', 'server.log', 'server.mjs']);
  });

  it('are not started if there is no sandbox to be had', async () => {
    const { messages, log } = await serverRun('true', { host: withoutBubblewrap() });
    expect(serversOf(messages)).toEqual([{ name: 's', status: 'failed' }]);
    expect(notices(messages)).toContain('mcp_server_failed');
    await expect(readFile(log)).rejects.toThrow(/ENOENT/);
  });

  it('reach the domains that are allowed, by the way out, and no others', async () => {
    const server = createServer((_request, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const curl = (words: string) => `curl -sS -m 10 --noproxy '' ${words}; echo`;
    const url = `http://127.0.0.1:${port}/`;
    const refused = 'http://denied.example/ -o /dev/null -w "%{http_code}"';
    const script = [curl(url), curl(refused), curl(`--proxy '' ${url}`)].join('; ');
    const { results, messages } = await serverRun(script, {
      sandbox: { enabled: true, network: { allowedDomains: [`127.0.0.1:${port}`] } },
    });
    // A line of its own: the number of a port may hold a 403.
    expect(results[0]?.match(/reached|\\n403\\n|Failed to connect|Could not connect/g)).toHaveLength(3);
    expect(results[0]?.match(/reached/g)).toHaveLength(1);
    expect(notices(messages)).toEqual(['sandbox_violation']);
  });
});

describe('a session with a sandbox', () => {
  it('says so first, and runs commands inside', async () => {
    const outside = await folder();
    const { messages, results, cwd } = await run([
      { command: `echo x > in; echo x > ${outside}/out; grep CapEff /proc/self/status` },
    ]);
    expect(messages[0]).toMatchObject({
      subtype: 'init',
      sandbox: { enabled: true, available: true, mechanism: 'bubblewrap', reason: null },
    });
    expect(results[0]).toContain('0000000000000000');
    expect(results[0]).toContain(`[Sandbox: ${outside}/out cannot be written in the sandbox.]`);
    expect(notices(messages)).toEqual(['sandbox_violation']);
    expect(await readdir(outside)).toEqual([]);
    expect(await readdir(cwd)).toEqual(['in']);
  });

  it('leaves nothing of its own behind', async () => {
    const host = createNodeHost();
    const tmp = await folder();
    const { messages } = await run([{ command: 'touch /tmp/x' }], {
      host: { ...host, platform: { ...host.platform, tmpdir: tmp } },
    });
    expect(lastResult(messages).subtype).toBe('success');
    expect(await readdir(tmp)).toEqual([]);
  });

  it('keeps a call inside that asks to run outside, if that is switched off', async () => {
    const outside = await folder();
    const call = { command: `echo x > ${outside}/out`, dangerouslyDisableSandbox: true };
    const { results } = await run([call], { sandbox: { enabled: true, allowUnsandboxedCommands: false } });
    expect(results[0]).toContain('dangerouslyDisableSandbox is switched off here');
    expect(await readdir(outside)).toEqual([]);
  });

  it('runs commands unasked, unless that is switched off', async () => {
    const nobody = { canUseTool: undefined as never };
    const { messages, cwd } = await run([{ command: 'echo x > in' }], nobody);
    expect(lastResult(messages).permission_denials).toEqual([]);
    expect(await readdir(cwd)).toEqual(['in']);
    const asking = { enabled: true, autoAllowBashIfSandboxed: false };
    const asked = await run([{ command: 'echo x > in' }], { ...nobody, sandbox: asking });
    expect(lastResult(asked.messages).permission_denials).toHaveLength(1);
  });

  it('asks on its own about a call that wants to run outside, and runs it there', async () => {
    const outside = await folder();
    const call = { command: `echo x > ${outside}/out`, dangerouslyDisableSandbox: true };
    const reasons: (string | undefined)[] = [];
    const canUseTool: Options['canUseTool'] = async (_name, _input, { decisionReasonType }) => {
      reasons.push(decisionReasonType);
      return { behavior: 'allow' };
    };
    await run([call], { canUseTool });
    expect(reasons).toEqual(['sandboxOverride']);
    expect(await readdir(outside)).toEqual(['out']);
    const denied = await run([call], { canUseTool: undefined as never });
    expect(lastResult(denied.messages).permission_denials).toHaveLength(1);
  });

  it('keeps a call inside whose answer takes the wish to run outside away', async () => {
    const outside = await folder();
    const command = `echo x > ${outside}/out`;
    const canUseTool: Options['canUseTool'] = async () => ({ behavior: 'allow', updatedInput: { command } });
    await run([{ command, dangerouslyDisableSandbox: true }], { canUseTool });
    expect(await readdir(outside)).toEqual([]);
  });

  it('runs excluded commands outside, after their own question', async () => {
    const outside = await folder();
    const sandbox = { enabled: true, excludedCommands: ['touch:*'] };
    const nobody = await run([{ command: `touch ${outside}/out` }], { sandbox, canUseTool: undefined as never });
    expect(lastResult(nobody.messages).permission_denials).toHaveLength(1);
    await run([{ command: `touch ${outside}/out` }, { command: `cp /etc/hostname ${outside}/other` }], { sandbox });
    expect(await readdir(outside)).toEqual(['out']);
  });

  it.each([
    'touch x; cp /etc/hostname "$0"',
    'touch x && echo x > "$0"',
    './touch "$0"',
    'touch x | tee "$0"',
    'touch $(cp /etc/hostname "$0")',
    'bash -c "touch $0"',
    'PATH=.:$PATH touch "$0"',
    'touch x; git -c core.fsmonitor="touch $0" status',
  ])('runs %s inside, of which only a part is excluded', async (script) => {
    const outside = await folder();
    const sandbox = { enabled: true, excludedCommands: ['touch'], allowUnsandboxedCommands: false };
    const command = script.replaceAll('$0', `${outside}/out`);
    const prepare = 'printf \'#!/bin/sh\\necho x > "$1"\' > ./touch; chmod +x touch; git init -q . 2>/dev/null; true';
    await run([{ command: prepare }, { command }], {
      sandbox,
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(await readdir(outside)).toEqual([]);
  });

  it('runs excluded commands outside beside what only reads', async () => {
    const outside = await folder();
    const sandbox = { enabled: true, excludedCommands: ['touch'] };
    await run([{ command: `cd . && touch ${outside}/out 2>&1 | head -3` }], { sandbox });
    expect(await readdir(outside)).toEqual(['out']);
  });

  it('shows no secret of the session inside, in whatever process is looked into', async () => {
    const names = PROVIDER_SECRET_VARIABLES.filter((name) => name !== 'TURNWRIGHT_PROVIDERS').slice(0, 22);
    const env = Object.fromEntries(names.map((name, at) => [name, `canary-${at}-5b1de0c47a93`]));
    const { results } = await run([{ command: 'env; cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"' }], { env });
    expect(results[0]).toContain('TURNWRIGHT_SANDBOX');
    expect(results[0]).not.toContain('canary-');
  });

  it('runs no command if it cannot be had, and says why at its start', async () => {
    const { messages, results, cwd } = await run([{ command: 'echo x > in' }], { host: withoutBubblewrap() });
    expect(messages[0]).toMatchObject({
      sandbox: { enabled: true, available: false, mechanism: null, reason: expect.stringContaining('bubblewrap') },
    });
    expect(notices(messages)).toEqual(['sandbox_unavailable']);
    expect(results[0]).toContain('nothing was run');
    expect(await readdir(cwd)).toEqual([]);
  });

  it('confines the commands of subagents too', async () => {
    const outside = await folder();
    const model = scriptedModel([
      toolCall('Agent', { description: 'Writes.', prompt: 'Write.', subagent_type: 'writer' }),
      toolCall('Bash', { command: `echo x > ${outside}/out; echo y > in` }),
      text('wrote'),
      text('done'),
    ]);
    const cwd = await folder();
    const options: Options = {
      provider: model,
      cwd,
      sandbox: { enabled: true },
      agents: { writer: { description: 'Writes.', prompt: 'You write.' } },
      canUseTool: async () => ({ behavior: 'allow' }),
      env: { TURNWRIGHT_HOME: await folder() },
    };
    await collect(query({ prompt: 'go', options }));
    expect(await readdir(outside)).toEqual([]);
    expect(await readFile(path.join(cwd, 'in'), 'utf8')).toBe('y\n');
  });

  it('is not there if nobody asks for it', async () => {
    const { messages, results } = await run(
      [{ command: 'grep NoNewPrivs /proc/self/status; echo $TURNWRIGHT_SANDBOX' }],
      {
        sandbox: { enabled: false },
      },
    );
    expect(messages[0]).not.toHaveProperty('sandbox');
    expect(results[0]).not.toContain('bubblewrap');
  });
});

describe('a command in the background', () => {
  it('cannot be held back from everything: that is taken back before the next call that changes something', async () => {
    const cwd = await folder();
    const [commondir, made] = [path.join(cwd, '.git/commondir'), path.join(cwd, 'made')];
    execFileSync('git', ['init', '-q', cwd]);
    const seen: boolean[] = [];
    const model = scriptedModel([
      toolCall('Bash', {
        command: 'echo ../evil > .git/commondir; echo x > made; sleep 600',
        run_in_background: true,
      }),
      () => ({
        blocks: [toolCall('Write', { file_path: path.join(cwd, 'own'), content: 'x' })],
        waitFor: expect.poll(() => existsSync(made), { interval: 10 }).toBe(true),
      }),
      () => {
        seen.push(existsSync(commondir));
        return text('done');
      },
    ]);
    const messages = await collect(
      query({
        prompt: 'go',
        options: {
          provider: model,
          cwd,
          canUseTool: async () => ({ behavior: 'allow' }),
          sandbox: { enabled: true },
          env: { TURNWRIGHT_HOME: await folder() },
          limits: { backgroundWaitMs: 0 },
        },
      }),
    );
    model.assertDone();
    expect(seen).toEqual([false]);
    expect(notices(messages)).toContain('sandbox_violation');
    expect(messages.at(-1)).toMatchObject({ subtype: 'task_notification', status: 'stopped' });
  });
});
