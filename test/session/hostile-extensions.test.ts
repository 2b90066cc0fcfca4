// A folder whose extensions are out to break the session: hooks, agents, skills, commands, instructions. Each is bounded and told,
// and the session goes on.
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { SDKMessage, SDKUserMessage } from '../../src/protocol/messages.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { agent, delegate, modelOfAgents } from '../support/agents.js';
import { temporaryFolder } from '../support/engine.js';
import { findProcesses } from '../support/process-scan.js';

async function place(files: Readonly<Record<string, string>>): Promise<{ cwd: string; options: Options }> {
  const top = await temporaryFolder();
  const cwd = path.join(top, 'repo');
  for (const [name, content] of Object.entries({ '.git/HEAD': 'ref: refs/heads/main\n', ...files })) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), content);
  }
  return { cwd, options: { cwd, env: { TURNWRIGHT_HOME: path.join(top, 'home') }, settingSources: ['project'] } };
}

const told = (messages: readonly SDKMessage[]) =>
  messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each] : []));

it('hooks that crash, hang, print garbage, flood, fork and never read cost their time and are told, and nothing of them is left', async () => {
  const mark = `tw-${randomUUID()}`;
  const commands = [
    'kill -SEGV $$',
    'exit 77',
    'sleep 600',
    "head -c 3000000 /dev/zero | tr '\\0' '{'",
    'printf \'\\377\\376{"decision": \\000\'',
    'echo \'{"decision": {"__proto__": []}, "hookSpecificOutput": "x", "continue": "maybe"}\'',
    `for i in 1 2 3 4 5; do (exec -a ${mark} sleep 600) & done; exit 1`,
    `nohup sh -c 'exec -a ${mark} sleep 600' > /dev/null 2>&1 & echo '{}'`,
    'exec 0<&-; echo "{}"',
  ];
  const { options } = await place({});
  const hooks = commands.map((command) => ({ type: 'command' as const, command, timeout: 1 }));
  const model = scriptedModel([toolCall('Glob', { pattern: '*' }), text('done')]);
  const settings = { hooks: { PreToolUse: [{ hooks }] } };
  const messages = await collect(query({ prompt: 'go', options: { ...options, provider: model, settings } }));
  expect(lastResult(messages)).toMatchObject({ subtype: 'success', result: 'done' });
  const failed = told(messages).filter(({ code }) => code === 'hook_failed');
  // The fourth is a text that means nothing, and no JSON.
  for (const at of [0, 1, 2, 3, 5, 6])
    expect(
      failed.filter(({ message }) => message.includes(`PreToolUse[0].hooks[${at}]`)),
      String(at),
    ).toHaveLength(1);
  expect(findProcesses(mark)).toEqual([]);
  for (const { message } of failed) expect(message.length).toBeLessThan(1_500);
});

it('an agent that calls itself for ever ends at the depth that there is, and its callers go on', async () => {
  const model = modelOfAgents({
    main: [delegate('loop', 'Go down.', {}, 'toolu_top'), text('Up again.')],
    loop: (request) => {
      const isBack = request.messages.some(({ role }) => role === 'assistant');
      const hasTool = request.tools.some(({ name }) => name === 'Agent');
      return isBack || !hasTool ? text('bottom') : delegate('loop', 'Go down.');
    },
  });
  const { options } = await place({});
  const { name: _name, ...loop } = agent('loop');
  const all: Options = { ...options, provider: model, agents: { loop }, allowedTools: ['Agent'] };
  const messages = await collect(query({ prompt: 'go', options: all }));
  expect(lastResult(messages).result).toBe('Up again.');
  expect(messages.filter((each) => each.type === 'system' && each.subtype === 'task_started').length).toBeLessThan(10);
});

it('hostile front matter, circular and huge imports, and ten thousand files in a skill are left out with a word, and the rest works', async () => {
  const heads = [
    `---\n${'a: b\n'.repeat(20_000)}---\n`,
    '---\nname: never closed\n',
    `---\nname: &a [*a, *a, *a]\ndescription: ${'&x '.repeat(500)}\n---\n`,
    `---\nname: x\ndescription: ${'['.repeat(10_000)}\n---\n`,
    '---\n__proto__: {polluted: true}\nconstructor: x\ndescription: ok\nname: "../../etc"\n---\n',
    '---\nname: "a\\u0000b\\u202e"\ndescription: "\\u001b[2J hides"\n---\n',
    '\0\0\0\xff',
    '',
  ];
  const files: Record<string, string> = {};
  for (const [at, head] of heads.entries()) {
    files[`.claude/skills/bad${at}/SKILL.md`] = head;
    files[`.claude/agents/bad${at}.md`] = head;
    files[`.claude/commands/bad${at}.md`] = head;
  }
  const { cwd, options } = await place({
    ...files,
    '.claude/skills/good/SKILL.md': '---\ndescription: Works.\n---\nBe good.\n',
    '.claude/agents/good.md': '---\nname: good\ndescription: Works.\n---\nBe good.\n',
    '.claude/commands/good-one.md': 'Say hello.',
    '.claude/skills/huge/SKILL.md': '---\ndescription: Has much beside it.\n---\nx\n',
    'AGENTS.md': 'See @a.md and @huge.md and @AGENTS.md.\nUse tabs.\n',
    'a.md': 'See @b.md.',
    'b.md': 'See @a.md and @AGENTS.md.',
    'huge.md': `${'word '.repeat(400_000)}`,
  });
  for (let at = 0; at < 10_000; at++) writeFileSync(path.join(cwd, '.claude/skills/huge', `f${at}`), '');
  const began = performance.now();
  const run = async (more: Options) => {
    const model = scriptedModel([text('done')]);
    const messages = await collect(query({ prompt: 'go', options: { ...options, ...more, provider: model } }));
    expect(lastResult(messages)).toMatchObject({ subtype: 'success' });
    return { init: JSON.stringify(messages[0]), notices: told(messages), request: model.requests[0] };
  };
  const vouched = await run({});
  expect(performance.now() - began).toBeLessThan(60_000);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(vouched.init).toContain('"good"');
  expect(vouched.init).toContain('good-one');
  const system = vouched.request?.system.map((block) => block.text).join('\n') ?? '';
  expect(system).toContain('Use tabs.');
  expect(system.length).toBeLessThan(400_000);
  for (const code of ['skill_refused', 'instructions_left_out'])
    expect(
      vouched.notices.map((notice) => notice.code),
      code,
    ).toContain(code);
  for (const { message } of vouched.notices) expect(message.length).toBeLessThan(8_000);
  expect(vouched.init).not.toMatch(/\\u202e|\\u001b\[2J/);
  // To vouch for a skill as it stands somebody would have to look at all of it: of so many files nobody can.
  const asked = await run({ settingSources: undefined as never });
  expect(JSON.stringify(asked.notices)).toContain('more than 500 files');
});

it('plugins that collide, vanish or change under a session are told, and the session goes on', async () => {
  const kit = {
    '.claude-plugin/plugin.json': '{"name": "kit"}',
    'hooks/hooks.json': JSON.stringify({
      hooks: {
        PreToolUse: [{ matcher: 'Glob', hooks: [{ type: 'command', command: 'bash "$CLAUDE_PLUGIN_ROOT"/check.sh' }] }],
      },
    }),
    'check.sh': 'exit 0\n',
    'skills/tidy/SKILL.md': '---\ndescription: Tidies.\n---\nTidy up.\n',
    'agents/looker.md': '---\nname: looker\ndescription: Looks.\n---\nlooker\n',
    'commands/hello.md': 'Say hello.',
  };
  const under = (folder: string) =>
    Object.fromEntries(Object.entries(kit).map(([name, text_]) => [`${folder}/${name}`, text_]));
  const { cwd, options } = await place({ ...under('kit'), ...under('other') });
  const folder = path.join(cwd, 'kit');
  const glob = toolCall('Glob', { pattern: '*' });
  const skill = toolCall('Skill', { skill: 'kit:tidy' });
  const model = modelOfAgents({
    main: [
      glob,
      skill,
      () => {
        // Another text, and another name.
        writeFileSync(path.join(folder, 'skills/tidy/SKILL.md'), '---\nname: evil\ndescription: x\n---\nx\n');
        return skill;
      },
      () => {
        rmSync(folder, { recursive: true });
        return glob;
      },
      skill,
      delegate('kit:looker', 'Look.'),
      text('done'),
      text('hello'),
      text('still here'),
    ],
    looker: text('seen'),
  });
  const prompts = async function* (): AsyncGenerator<SDKUserMessage> {
    for (const content of ['go', '/kit:hello', 'on'])
      yield { type: 'user', parent_tool_use_id: null, message: { role: 'user', content } } as SDKUserMessage;
  };
  const settings = { plugins: [folder, path.join(cwd, 'other')] };
  const all: Options = { ...options, provider: model, settings, allowedTools: ['Agent', 'Skill'] };
  const messages = await collect(query({ prompt: prompts(), options: all }));
  const [init] = messages;
  expect(init).toMatchObject({
    plugins: [{ name: 'kit', path: folder }],
    rejected: expect.arrayContaining([
      { kind: 'plugin', name: 'kit@local', source: path.join(cwd, 'other'), reason: expect.stringContaining('kit') },
    ]),
  });
  const failures = (model.asked['main'] ?? []).map(({ messages: said }) => {
    const content = said.at(-1)?.content;
    const blocks = Array.isArray(content) ? content : [];
    return blocks.flatMap((block) =>
      block.type === 'tool_result' && block.is_error === true ? [String(block.content)] : [],
    );
  });
  expect(failures.slice(0, 7).map((each) => each.length)).toEqual([0, 0, 0, 1, 0, 1, 0]);
  expect(failures[3]?.[0]).toContain('its file calls it evil now');
  expect(failures[5]?.[0]).toContain('was not loaded');
  const hooks = told(messages).filter(({ code }) => code === 'hook_failed');
  expect(hooks).toHaveLength(1);
  const results = messages.flatMap((each) => (each.type === 'result' ? [each] : []));
  expect(results).toHaveLength(3);
  expect(results.at(-1)).toMatchObject({ subtype: 'success', result: expect.stringMatching(/still here|hello/) });
});
