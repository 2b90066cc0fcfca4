import { createCipheriv } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import { createBlobStore, restoreFrom } from '../../../src/session/store/blobs.js';
import { createEntryContent } from '../../../src/session/store/entry-content.js';
import { createTranscript } from '../../../src/session/store/transcript.js';
import { collect } from '../../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { secretSamples } from '../../secrets/secret-samples.js';
import { probeTool, type TestEngine, temporaryFolder, testEngine } from '../../support/engine.js';
import { testVault } from '../../support/test-vault.js';

const ID = '77777777-7777-4777-8777-777777777777';
const KEY = 'open-sesame-or-else';

function secretOf(kind: string): string {
  return secretSamples(3).find((sample) => sample.kind === kind)?.text ?? '';
}

/** Every byte that the session left, by path. */
async function filesOf({ home }: Pick<TestEngine, 'home'>): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const name of await readdir(home, { recursive: true })) {
    const file = path.join(home, name);
    if ((await stat(file)).isFile()) files.set(name, await readFile(file));
  }
  return files;
}

const noticesOf = (messages: readonly SDKMessage[], code: string) =>
  messages.filter((message) => message.type === 'system' && message.subtype === 'notice' && message.code === code);

describe('secrets', () => {
  const token = secretOf('github-token');

  const placeholdersIn = (value: unknown) => JSON.stringify(value).match(/\{secret:[^}]*\}/g) ?? [];

  async function runWith(more: Parameters<typeof testEngine>[1] = {}) {
    const probe = probeTool({ run: async () => `GITHUB_TOKEN=${token}\n${KEY}` });
    const model = scriptedModel([
      reply(text(`I will use ${token}.`), toolCall('Probe', { value: token })),
      text('done'),
      text('nothing'),
    ]);
    const test = await testEngine(model, { tools: [probe], sessionId: ID, ...more });
    const first = await collect(test.engine.submitMessage(`Here is my key: ${KEY}, and ${token}`));
    const second = await collect(test.engine.submitMessage('and now?'));
    await test.engine.close();
    return { test, model, probe, first, second };
  }

  it('that the user types reach the tools, not the model nor a file; each prompt tells what was hidden', async () => {
    const home = await temporaryFolder();
    const probe = probeTool({ run: async (input) => `using ${input.value}\n${KEY}` });
    const model = scriptedModel([
      ({ messages }) => toolCall('Probe', { value: placeholdersIn(messages)[1] }),
      text('done'),
      text('nothing'),
    ]);
    const test = await testEngine(model, {
      tools: [probe],
      sessionId: ID,
      env: { TURNWRIGHT_HOME: home, ANTHROPIC_API_KEY: KEY },
    });
    const first = await collect(test.engine.submitMessage(`Here is my key: ${KEY}, and ${token}`));
    const second = await collect(test.engine.submitMessage('and now?'));
    await test.engine.close();
    expect(probe.runs).toEqual([{ value: token }]);
    const [own, typed] = placeholdersIn(model.requests[0]?.messages);
    expect([own, typed]).toEqual([
      expect.stringMatching(/^\{secret:ANTHROPIC_API_KEY:[0-9a-f]{10}\}$/),
      expect.stringMatching(/^\{secret:github-token:[0-9a-f]{10}\}$/),
    ]);
    // The same secret, the same placeholder, wherever it comes from.
    expect(placeholdersIn(model.requests[1]?.messages)).toEqual([own, typed, typed, typed, own]);
    const files = await filesOf({ home });
    for (const [, content] of files) {
      expect(content.includes(token)).toBe(false);
      expect(content.includes(KEY)).toBe(false);
    }
    expect(JSON.stringify(model.requests)).not.toContain(token);
    expect(JSON.stringify(model.requests)).not.toContain(KEY);
    const [told, ...more] = noticesOf(first, 'secrets_redacted');
    expect(more).toEqual([]);
    expect(told).toMatchObject({ level: 'info', data: { 'github-token': 1, 'value of ANTHROPIC_API_KEY': 1 } });
    expect(JSON.stringify(told)).not.toContain(token);
    expect(noticesOf(second, 'secrets_redacted')).toEqual([]);
  });

  it('stay if the caller wants them', async () => {
    const { test, first } = await runWith({ redactSecrets: false });
    const transcript = [...(await filesOf(test))].find(([name]) => name.endsWith('.jsonl'))?.[1].toString() ?? '';
    expect(transcript).toContain(token);
    expect(noticesOf(first, 'secrets_redacted')).toEqual([]);
  });

  it('are not in the files of long results either', async () => {
    const long = `${'line\n'.repeat(20_000)}${token}`;
    const probe = probeTool({ run: async () => long });
    const test = await testEngine(scriptedModel([toolCall('Probe'), text('done')]), { tools: [probe] });
    await collect(test.engine.submitMessage('go'));
    const files = await filesOf(test);
    expect([...files.keys()].filter((name) => name.includes('/blobs/'))).toHaveLength(1);
    for (const [, content] of files) expect(content.includes(token)).toBe(false);
  });
});

describe('large content', () => {
  it('of a session is in files of its own, and the transcript stays small', async () => {
    const probe = probeTool({ run: async () => 'long\n'.repeat(50_000) });
    const test = await testEngine(scriptedModel([toolCall('Probe'), text('done')]), { tools: [probe] });
    const messages = await collect(test.engine.submitMessage('go'));
    expect(noticesOf(messages, 'blobs_full')).toEqual([]);
    const files = await filesOf(test);
    const transcript = [...files].find(([name]) => name.endsWith('.jsonl'))?.[1] ?? Buffer.alloc(0);
    expect(transcript.length).toBeLessThan(20_000);
    const blobs = [...files].filter(([name]) => name.includes(`${path.sep}blobs${path.sep}`));
    // For the model and for the program it is the same text.
    expect(blobs.map(([, content]) => content.length)).toEqual([250_000]);
  });

  it('is told if the session has no room for it', async () => {
    const probe = probeTool({ run: async () => 'long\n'.repeat(50_000) });
    const test = await testEngine(scriptedModel([toolCall('Probe'), text('done')]), {
      tools: [probe],
      limits: { maxBlobBytes: 100_000 },
    });
    const messages = await collect(test.engine.submitMessage('go'));
    const [told] = noticesOf(messages, 'blobs_full');
    // The block for the model and what the tool returned are one content.
    expect(told).toMatchObject({
      data: { pieces: 2, bytes: 500_000 },
      remedy: expect.stringContaining('maxBlobBytes'),
    });
  });

  it('that is attached twenty times is there once: 10 MB cost at most 14 MB on disk', async () => {
    const home = await temporaryFolder();
    const host = createNodeHost();
    const file = path.join(home, `${ID}.jsonl`);
    const blobFolder = path.join(home, ID, 'blobs');
    const transcript = createTranscript({
      host,
      sessionId: ID,
      cwd: '/',
      gitBranch: '',
      file: { path: file, mayExist: false },
      lastUuid: null,
      content: createEntryContent({
        host,
        blobFolder,
        maxBlobBytes: 1e9,
        vault: testVault(),
      }),
      mirror: null,
    });
    // The same in each run: of so many random letters some would now and then be a key.
    const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));
    const data = cipher.update(Buffer.alloc(10_000_000)).toString('base64');
    const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } } as const;
    for (let time = 0; time < 20; time++) {
      await transcript.record({ type: 'user', uuid: host.ids.uuid(), message: { role: 'user', content: [pdf] } });
    }
    await transcript.close();
    const sizes = [...(await filesOf({ home }))].map(([, content]) => content.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(14_000_000);
    const [line = ''] = (await readFile(file, 'utf8')).split('\n');
    const { entry, missing } = await restoreFrom(JSON.parse(line), createBlobStore(host, blobFolder));
    expect(missing).toBe(0);
    expect(entry.message.content[0].source.data === data).toBe(true);
  });
});
