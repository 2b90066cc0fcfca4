// What stands around a call: names of files and servers, results that cannot be read, messages that a hook stops.
import { expect, it } from 'vitest';
import { callEnded, giveTyped, hideSecrets } from '../../src/engine/calls/tool-call-result.js';
import type { ToolSubject } from '../../src/tools/tool.js';
import { testVault } from '../support/test-vault.js';
import { secretSamples } from './secret-samples.js';

const TOKEN = secretSamples(17).find(({ kind }) => kind === 'github-token')?.secret ?? '';
const call = { type: 'tool_use', id: 't', name: 'X', input: {} } as const;

async function typed(value: string) {
  const vault = testVault(new Map([[value, 'value of X_TOKEN']]));
  return { vault, word: await (await vault.open()).hide(value, 'typed') };
}

it('no secret is put into the name of a file or server, for that was decided about', async () => {
  const { vault, word } = await typed('../../etc/passwd-1');
  const file = { subject: ({ path }: { path: string }): ToolSubject => ({ kind: 'path', path, access: 'read' }) };
  await expect(giveTyped({ path: `/project/${word}` }, file as never, () => '/', vault)).rejects.toThrow(
    'Nothing was done',
  );
  const page = { subject: ({ url }: { url: string }): ToolSubject => ({ kind: 'url', url }) };
  await expect(giveTyped({ url: `https://${word}.example/` }, page as never, () => '/', vault)).rejects.toThrow(
    'server',
  );
  const given = await giveTyped({ url: `https://a.example/?key=${word}` }, page as never, () => '/', vault);
  expect(given).toEqual({ url: 'https://a.example/?key=../../etc/passwd-1' });
});

it('no secret is put into a script, whose own calls get it', async () => {
  const { vault, word } = await typed('hunter2-of-the-user');
  const input = { code: `await tools.Send({ text: '${word}' })` };
  const none = () => ({ kind: 'none' }) as const;
  expect(await giveTyped(input, { subject: none, callsTools: true }, () => '/', vault)).toBe(input);
  expect(await giveTyped(input, { subject: none }, () => '/', vault)).not.toEqual(input);
});

it('a secret that is parted between two blocks is hidden', async () => {
  const parts = [TOKEN.slice(0, 15), TOKEN.slice(15)].map((text) => ({ type: 'text' as const, text }));
  const { block } = await hideSecrets(callEnded(call, parts, false, 'completed'), testVault(), () => undefined);
  expect(JSON.stringify(block)).not.toContain(TOKEN.slice(15));
  const plain = [
    { type: 'text' as const, text: 'one' },
    { type: 'text' as const, text: 'two' },
  ];
  const result = callEnded(call, plain, false, 'completed');
  expect(await hideSecrets(result, testVault(), () => undefined)).toBe(result);
});

it('a notice about a call has none, nor data that holds itself', async () => {
  const draft = {
    type: 'system',
    subtype: 'notice',
    code: 'tool_deferred',
    level: 'info',
    message: `for ${TOKEN}`,
  } as const;
  const data: Record<string, unknown> = { text: TOKEN };
  data['self'] = data;
  const result = { ...callEnded(call, 'ok', false, 'completed'), data, drafts: [draft] };
  const shown = await hideSecrets(result, testVault(), () => undefined);
  expect(JSON.stringify([shown.data, shown.drafts])).not.toContain(TOKEN);
});

it('a result that cannot be looked through is not shown, and the call still ends', async () => {
  const logged: string[] = [];
  const vault = { ...testVault(), hide: () => Promise.reject(new Error('no key')) };
  const result = { ...callEnded(call, TOKEN, false, 'completed'), data: TOKEN };
  const shown = await hideSecrets(result, vault, (event) => logged.push(event));
  expect(JSON.stringify(shown)).not.toContain(TOKEN);
  expect(shown).toMatchObject({ block: { is_error: true, content: expect.stringContaining('no key') } });
  expect(logged).toEqual(['secrets_not_hidden']);
});
