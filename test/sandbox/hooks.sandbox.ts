// Hooks of settings in a session with a sandbox: those that a repository brings along run inside, or not at all; those
// of the user, of the machine and of the host run outside.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { Settings } from '../../src/protocol/settingsTypes.generated.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';

async function folder(): Promise<string> {
  const made = await mkdtemp('/var/tmp/tw-hooks-');
  onTestFinished(() => rm(made, { recursive: true, force: true, maxRetries: 5 }));
  return made;
}

async function place() {
  const [cwd, home, outside] = [await folder(), await folder(), await folder()];
  const machine = createNodeHost();
  const host = { ...machine, platform: { ...machine.platform, homedir: home } };
  await writeFile(path.join(cwd, 'a.txt'), 'content');
  const write = async (file: string, settings: Settings) => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(settings));
  };
  const run = async (more: Options = {}) => {
    const model = scriptedModel([toolCall('Read', { file_path: 'a.txt' }), text('done')]);
    const options: Options = {
      provider: model,
      cwd,
      host,
      env: { TURNWRIGHT_HOME: home },
      settingSources: ['user', 'project', 'local'],
      sandbox: { enabled: true },
      includeHookEvents: true,
      ...more,
    };
    return collect(query({ prompt: 'go', options }));
  };
  return { cwd, home, outside, host, write, run };
}

const hooked = (command: string, more: object = {}): Settings => ({
  hooks: { PreToolUse: [{ hooks: [{ type: 'command', command, ...more }] }] },
});

const notices = (messages: readonly SDKMessage[]) =>
  messages.flatMap((each) =>
    each.type === 'system' && each.subtype === 'notice' ? [`${each.code}: ${each.message}`] : [],
  );
const responses = (messages: readonly SDKMessage[]) =>
  messages.filter((each) => each.type === 'system' && each.subtype === 'hook_response');

describe('hooks in a session with a sandbox', () => {
  it.each(['.claude/settings.json', '.turnwright/settings.local.json'])(
    'those of %s run inside, hear the event, and what they are refused is told',
    async (file) => {
      const { cwd, outside, write, run } = await place();
      await write(path.join(cwd, file), hooked(`cat > heard; echo x > ${outside}/out; grep CapEff /proc/self/status`));
      const messages = await run();
      expect(responses(messages)).toMatchObject([
        { exit_code: 0, stdout: expect.stringContaining('0000000000000000') },
      ]);
      expect(await readdir(outside)).toEqual([]);
      expect((await readdir(cwd)).sort()).toEqual([path.dirname(file), 'a.txt', 'heard'].sort());
      expect(notices(messages)).toEqual([`sandbox_violation: ${outside}/out cannot be written in the sandbox.`]);
    },
  );

  it('those of the user, of managed settings and of the option run outside', async () => {
    const { home, outside, write, run } = await place();
    await write(path.join(home, '.claude/settings.json'), hooked(`echo x > ${outside}/user`));
    await run({
      managedSettings: hooked(`echo x > ${outside}/managed`),
      settings: hooked(`echo x > ${outside}/flag`),
    });
    expect((await readdir(outside)).sort()).toEqual(['flag', 'managed', 'user']);
  });

  it('if the sandbox cannot be had, those of a project do not run, and a guard refuses', async () => {
    const { cwd, outside, host, write, run } = await place();
    await write(path.join(cwd, '.claude/settings.json'), hooked(`echo x > ${outside}/out`, { onFailure: 'block' }));
    const realpath = async (target: string) => host.fs.realpath(target.endsWith('/bwrap') ? '/nonexistent' : target);
    const messages = await run({ host: { ...host, fs: { ...host.fs, realpath } } });
    expect(await readdir(outside)).toEqual([]);
    expect(notices(messages).join('\n')).toMatch(
      /hook_failed: .*it was not started\. The sandbox is switched on but cannot/,
    );
    expect(lastResult(messages).permission_denials).toHaveLength(1);
  });
});
