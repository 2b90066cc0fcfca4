// When files can be set back: what the option, the settings and the kind of session say together.
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import type { Options } from '../../src/sdk/options/options.js';
import { resolveOptions } from '../../src/sdk/resolve-options.js';
import { text } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

async function resolve(options: Options) {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  const env = { TURNWRIGHT_HOME: home };
  return resolveOptions({ cwd, env, provider: scriptedModel([text('x')]), ...options }, createNodeHost());
}

const canUseTool = async () => ({ behavior: 'allow' as const });

describe('enableFileCheckpointing', () => {
  it.each<[boolean, string, Options]>([
    [false, 'is off where nobody asks for it', { permissionMode: 'acceptEdits', canUseTool }],
    [true, 'is on where somebody is asked about calls', { enableFileCheckpointing: 'auto', canUseTool }],
    [true, 'is on where edits run unasked', { enableFileCheckpointing: 'auto', permissionMode: 'acceptEdits' }],
    [true, 'is on where a rule lets them', { enableFileCheckpointing: 'auto', allowedTools: ['Bash', 'Edit(src/**)'] }],
    [false, 'is off where nothing may edit', { enableFileCheckpointing: 'auto', allowedTools: ['Bash', 'EditX'] }],
    [
      false,
      'is off in a session that is not kept',
      { enableFileCheckpointing: 'auto', canUseTool, persistSession: false },
    ],
    [true, 'is on by a setting', { settings: { enableFileCheckpointing: true } }],
    [
      false,
      'is off by one',
      { enableFileCheckpointing: 'auto', canUseTool, settings: { enableFileCheckpointing: false } },
    ],
    [
      true,
      'by an option beats a setting',
      { enableFileCheckpointing: true, settings: { enableFileCheckpointing: false } },
    ],
    [
      false,
      'by an option beats one too',
      { enableFileCheckpointing: false, settings: { enableFileCheckpointing: true } },
    ],
  ])('%s: %s', async (isOn, _, options) => {
    const config = await resolve(options);
    expect(config.enableFileCheckpointing ?? false).toBe(isOn);
    // What removes files may run unasked only if they can be brought back.
    expect(config.permissions?.keepsRemoved ?? false).toBe(isOn);
  });

  it('of a setting is told if the session is not kept, and does not count', async () => {
    const { notices, ...config } = await resolve({
      persistSession: false,
      settings: { enableFileCheckpointing: true },
    });
    expect(config.enableFileCheckpointing ?? false).toBe(false);
    expect(notices).toMatchObject([
      { code: 'settings_problem', message: expect.stringContaining('enableFileCheckpointing does not count') },
    ]);
  });
});
