// Commands of files in a session: what they say, what they may run, and that a folder nobody vouches for brings none.
import { writeFileSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { SDKMessage } from '../../../src/protocol/messages.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { temporaryFolder } from '../../support/engine.js';

async function place(files: Readonly<Record<string, string>>) {
  const base = await realpath(await temporaryFolder());
  const cwd = path.join(base, 'work');
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(base, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const host = createNodeHost();
  const say = async (prompt: string, more: Options = {}) => {
    const model = scriptedModel(() => text('ok'));
    const messages = await collect(
      query({
        prompt,
        options: {
          cwd,
          host: { ...host, platform: { ...host.platform, homedir: path.join(base, 'home') } },
          env: { TURNWRIGHT_HOME: path.join(base, 'sessions') },
          provider: model,
          ...more,
        },
      }),
    );
    return { messages, sent: JSON.stringify(model.requests.at(-1)?.messages ?? null), requests: model.requests.length };
  };
  return { cwd, say };
}

const errorOf = (messages: readonly SDKMessage[]) =>
  messages
    .flatMap((message) => (message.type === 'result' && message.subtype !== 'success' ? message.errors : []))
    .join();
const FILES = {
  'work/a.txt': 'content of a',
  'work/.claude/commands/show.md': '---\nallowed-tools: Bash(printf:*)\n---\nHere: !`printf %s-%s $1 done`\nSee @a.txt',
  'work/.claude/commands/sweep.md': 'Before. !`rm -rf ./keep`',
  'home/.claude/commands/mine.md': 'Mine: $ARGUMENTS',
};

it('expands with what its shell printed and the files it names; what it allows is asked about by nobody', async () => {
  const { say } = await place(FILES);
  const { sent, messages } = await say('/show one', { settingSources: ['project'] });
  expect(sent).toContain('Here: one-done');
  expect(sent).toContain('content of a');
  expect(messages.at(-1)).toMatchObject({ subtype: 'success' });
  const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
  expect(init).toMatchObject({ slash_commands: expect.arrayContaining(['show', 'sweep']) });
});

it('sends nothing to a model if a line of its shell is not allowed, denied, or fails', async () => {
  const { say } = await place({
    ...FILES,
    'work/.claude/commands/broken.md': '---\nallowed-tools: Bash(exit:*)\n---\n!`exit 3`',
  });
  const project = { settingSources: ['project'] } as const satisfies Options;
  const unasked = await say('/sweep', project);
  expect(errorOf(unasked.messages)).toMatch(/The command \/sweep was not run: rm -rf \.\/keep did not succeed\./);
  expect(errorOf(unasked.messages)).not.toContain('Do what you can');
  const denied = await say('/show x', { ...project, disallowedTools: ['Bash(printf:*)'] });
  expect(errorOf(denied.messages)).toContain('The command /show was not run');
  const failed = await say('/broken', project);
  expect(errorOf(failed.messages)).toContain('exit 3');
  const without = await say('/show x', { ...project, tools: ['Read'] });
  expect(errorOf(without.messages)).toContain('needs the tool Bash');
  expect([unasked, denied, failed, without].map(({ requests }) => requests)).toEqual([0, 0, 0, 0]);
  const asked: string[] = [];
  const allowed = await say('/sweep', {
    ...project,
    canUseTool: async (name, input) => {
      asked.push(`${name} ${String(input['command'])}`);
      return { behavior: 'allow' };
    },
  });
  expect(asked).toEqual(['Bash rm -rf ./keep']);
  expect(allowed.requests).toBe(1);
});

it('is not there in a folder that nobody vouches for; those of the user are', async () => {
  const { say } = await place(FILES);
  const { messages } = await say('/show one');
  expect(errorOf(messages)).toContain('There is no command /show');
  expect(messages).toContainEqual(
    expect.objectContaining({ code: 'folder_not_trusted', message: expect.stringContaining('/show; /sweep') }),
  );
  expect((await say('/mine all of it')).sent).toContain('Mine: all of it');
});

it('is refused if its file changed what it allows since the session began; a new text counts', async () => {
  const { cwd } = await place(FILES);
  const file = path.join(cwd, '.claude/commands/show.md');
  const versions = ['---\nallowed-tools: Bash(printf:*)\n---\nNew text.', '---\nallowed-tools: Bash\n---\nMore.'];
  async function* prompts() {
    for (const content of ['hello', '/show', '/show'])
      yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' } as const;
  }
  // The file changes while the prompt before is answered.
  const model = scriptedModel(() => {
    writeFileSync(file, versions.shift() ?? '');
    return text('ok');
  });
  const messages = await collect(
    query({ prompt: prompts(), options: { cwd, provider: model, settingSources: ['project'], persistSession: false } }),
  );
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('New text.');
  expect(errorOf(messages)).toContain('its allowed-tools changed');
});

it('tells what of a file does nothing, and which files are none', async () => {
  const { say } = await place({
    'work/.claude/commands/odd.md': '---\nagent: x\nallowed-tools: Bash(\n---\nOdd.',
    'work/.claude/commands/help.md': 'Help.',
    'work/.claude/commands/none.md': '---\n---\n',
  });
  const { messages } = await say('hello', { settingSources: ['project'] });
  const told = messages.flatMap((message) =>
    message.type === 'system' && message.subtype === 'notice' && message.code === 'command_problem'
      ? [message.message]
      : [],
  );
  expect(told.join('\n')).toMatch(/help\.md: there is a command \/help already/);
  expect(told.join('\n')).toMatch(/none\.md: it has no text/);
  expect(told.join('\n')).toMatch(/without effect in this version: agent/);
});
