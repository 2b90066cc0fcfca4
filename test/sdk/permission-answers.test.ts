// What is said of a call that was refused, to people and to the model, and what accepted edits cover.
import { access, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/protocol/index.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { listRewindPoints, rewindSession } from '../../src/sdk/sessions.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../support/engine.js';

async function run(calls: readonly (readonly [string, object])[], options: Options = {}) {
  const [cwd, home] = [await temporaryFolder(), await temporaryFolder()];
  await writeFile(path.join(cwd, 'a.txt'), 'before');
  const model = scriptedModel([...calls.map(([tool, input]) => toolCall(tool, input)), text('ok')]);
  const given = { provider: model, cwd, env: { TURNWRIGHT_HOME: home }, ...options };
  const messages = await collect(query({ prompt: 'go', options: given }));
  const heard = model.requests.slice(1).map(({ messages: all }) => JSON.stringify(all.at(-1)?.content));
  const told = messages.flatMap((message: SDKMessage) =>
    message.type === 'system' && message.subtype === 'permission_denied' ? [message.message] : [],
  );
  return { cwd, home, heard, told, result: lastResult(messages), id: messages[0]?.session_id ?? '' };
}

const bash = (command: string): readonly [string, object] => ['Bash', { command }];

describe('a call that nobody was asked about', () => {
  it('names the part that stands in the way, and the narrowest rule once, to people', async () => {
    const line = bash('mkdir -p t && npm test');
    const { told, heard, result } = await run([line, line], { permissionMode: 'acceptEdits' });
    expect(told).toEqual([
      "Bash was denied: no rule allows npm test, and there is nobody to ask. To allow it: --allowedTools 'Bash(npm test)'.",
      'Bash was denied: no rule allows npm test, and there is nobody to ask.',
    ]);
    for (const text of heard) {
      expect(text).toContain('no rule allows npm test');
      expect(text).toContain('What else the command holds may run without that part');
      expect(text).toContain('Do what you can without it');
      expect(text).not.toContain('allowedTools');
    }
    expect(result.permission_denials).toHaveLength(2);
  });

  it('is let run by the rule that was named', async () => {
    const calls = [
      'npm run lint -- --fix',
      "frob 'a b' | frob --text=\"it's\"",
      'cat /etc/hostname',
      'npm test > out.txt',
    ];
    for (const command of calls) {
      const [advice = ''] = (await run([bash(command)])).told;
      const rules = [...advice.matchAll(/--allowedTools '((?:[^']|'\\'')+)'/g)].map(([, rule = '']) =>
        rule.replaceAll("'\\''", "'"),
      );
      expect(`${command}: ${rules.length > 0}`).toBe(`${command}: true`);
      expect((await run([bash(command)], { allowedTools: rules })).told).toEqual([]);
    }
  });

  it.each([
    ['Write', { file_path: 'b.txt', content: 'x' }, "--allowedTools 'Edit(/b.txt)', or --permission-mode acceptEdits"],
    ['Read', { file_path: '/etc/hostname' }, "--allowedTools 'Read(//etc/hostname)', or --add-dir for its folder"],
  ] as const)('of %s names what would allow just it', async (tool, input, advice) => {
    expect((await run([[tool, input]])).told[0]).toContain(advice);
  });

  it('is not said to be allowed by a rule if none would', async () => {
    const { told, heard } = await run([bash('echo x > .npmrc'), bash('eval "$X"')], {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(told).toHaveLength(1);
    expect(told[0]).not.toContain('To allow it');
    expect(heard[0]).toContain('Nothing of it ran');
  });
});

describe('a call that a rule denies', () => {
  it('says which part, and that no other way is meant', async () => {
    const { told, heard } = await run([bash('ls && rm -rf build')], {
      allowedTools: ['Bash'],
      disallowedTools: ['Bash(rm -fr *)'],
    });
    expect(told).toEqual([
      'Bash was denied: Bash(rm -fr *) is denied by a rule, and rm -rf build is what it speaks of.',
    ]);
    expect(heard[0]).toContain('Do not reach the same in another way');
  });
});

describe('a refusal by a person', () => {
  it('gives its reason to the model, word for word', async () => {
    const { heard, told } = await run([bash('npm test')], {
      canUseTool: async () => ({ behavior: 'deny', message: 'The tests need a database. Run npm run test:unit.' }),
    });
    expect(heard[0]).toContain('The tests need a database. Run npm run test:unit.');
    expect(told).toEqual([]);
  });
});

describe('accepted edits', () => {
  const rm = bash('rm a.txt');
  const isThere = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );

  it('cover a removed file while its content is kept, and a rewind brings it back', async () => {
    const { cwd, home, told, id } = await run([rm], { permissionMode: 'acceptEdits', enableFileCheckpointing: true });
    expect(told).toEqual([]);
    expect(await isThere(path.join(cwd, 'a.txt'))).toBe(false);
    const at = { env: { TURNWRIGHT_HOME: home } };
    const [point] = await listRewindPoints(id, at);
    await rewindSession(id, point?.uuid ?? '', { ...at, scope: 'files' });
    expect(await isThere(path.join(cwd, 'a.txt'))).toBe(true);
  });

  it.each([
    ['what nobody keeps', 'rm a.txt', false],
    ['a folder', 'rm -r src', true],
    ['what is not there', 'rm -rf nothing', true],
    ['a file outside', 'rm /etc/hostname', true],
  ])('do not cover the removal of %s', async (_what, command, enableFileCheckpointing) => {
    const { told, cwd } = await run([bash('mkdir -p src/x && touch src/x/y'), bash(command)], {
      permissionMode: 'acceptEdits',
      enableFileCheckpointing,
    });
    expect(told).toHaveLength(1);
    expect(await isThere(path.join(cwd, 'a.txt'))).toBe(true);
  });
});
