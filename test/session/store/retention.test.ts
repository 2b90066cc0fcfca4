import { utimes } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../src/host/host.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { listSessions } from '../../../src/sdk/sessions.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';
import { prompt, writeSession } from '../../support/transcripts.js';

const DAY_S = 24 * 60 * 60;

/** A home with a session of 40 days ago, and one of now. */
async function home(): Promise<string> {
  const folder = await temporaryFolder();
  const { file } = await writeSession(folder, [prompt('long ago')], { cwd: '/elsewhere' });
  const at = Date.now() / 1_000 - 40 * DAY_S;
  await utimes(file, at, at);
  await writeSession(folder, [prompt('just now')], { cwd: '/elsewhere' });
  return folder;
}

/** A machine on which the end of a prompt waits for what is deleted, however slow the disk is. */
function patientHost(): Host {
  const { clock } = createNodeHost();
  return createNodeHost({
    clock: { ...clock, after: (ms, callback) => clock.after(ms === 1_500 ? 60_000 : ms, callback) },
  });
}

async function run(folder: string, options: Options = {}): Promise<SDKMessage[]> {
  const host = patientHost();
  const env = { TURNWRIGHT_HOME: folder, ...options.env };
  const cwd = await temporaryFolder();
  return collect(
    query({
      prompt: 'go',
      options: { provider: scriptedModel([text('done')]), tools: [], host, ...options, cwd, env },
    }),
  );
}

const titles = async (folder: string) =>
  (await listSessions({ env: { TURNWRIGHT_HOME: folder } })).map(({ summary }) => summary).sort();
const told = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' && message.subtype === 'notice' ? [message.code] : []));

describe('old sessions', () => {
  it('stay, unless somebody said after how many days they go', async () => {
    const folder = await home();
    expect(told(await run(folder))).not.toContain('sessions_deleted');
    expect(await titles(folder)).toEqual(['go', 'just now', 'long ago']);
  });

  it.each<[string, Options]>([
    ['the option', { cleanupPeriodDays: 30 }],
    ['the settings', { settings: { cleanupPeriodDays: 30 } }],
    ['the environment', { env: { TURNWRIGHT_CLEANUP_PERIOD_DAYS: '30' } }],
    [
      'the option before the others',
      { cleanupPeriodDays: 30, settings: { cleanupPeriodDays: 99 }, env: { TURNWRIGHT_CLEANUP_PERIOD_DAYS: '99' } },
    ],
  ])('go where %s says so, and that is told', async (_name, options) => {
    const folder = await home();
    const messages = await run(folder, options);
    expect(await titles(folder)).toEqual(['go', 'just now']);
    expect(told(messages)).toContain('sessions_deleted');
    expect(messages.at(-1)?.type).toBe('result');
  });

  it('are looked for once a day', async () => {
    const folder = await home();
    await run(folder, { cleanupPeriodDays: 60 });
    await run(folder, { cleanupPeriodDays: 30 });
    expect(await titles(folder)).toContain('long ago');
    const yesterday = Date.now() / 1_000 - DAY_S - 1;
    await utimes(`${folder}/.last-cleanup`, yesterday, yesterday);
    await run(folder, { cleanupPeriodDays: 30 });
    expect(await titles(folder)).not.toContain('long ago');
  });

  it.each([
    [{ cleanupPeriodDays: 0 }],
    [{ cleanupPeriodDays: Number.NaN }],
    [{ env: { TURNWRIGHT_CLEANUP_PERIOD_DAYS: 'a month' } }],
  ])('are not deleted by %o', async (options) => {
    const folder = await home();
    await expect(run(folder, options)).rejects.toMatchObject({ code: 'config_invalid' });
    expect(await titles(folder)).toContain('long ago');
  });

  it('are not deleted by a setting that is no number, which is told', async () => {
    const folder = await home();
    await run(folder, { settings: { cleanupPeriodDays: '30' } as never });
    expect(await titles(folder)).toContain('long ago');
  });
});
