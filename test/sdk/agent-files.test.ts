// Agents in files of the project and of the user: which count, who vouches, what is told, and what changes meanwhile.
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SDKMessage, SDKUserMessage } from '../../src/protocol/messages.js';
import { listAgents } from '../../src/sdk/agents/agents.js';
import { untrustedFolder } from '../../src/sdk/faces/folder-trust.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { delegate, modelOfAgents, resultOf } from '../support/agents.js';
import { skillsPlace } from '../support/skills.js';

const agentFile = (head: Readonly<Record<string, string>>, body = 'reviewer') =>
  `---\n${Object.entries({ description: 'Does it', ...head })
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n')}\n---\n${body}\n`;

const TRUSTED: Options = { settingSources: ['user', 'project', 'local'] };
const BUILT_IN = ['general-purpose', 'Explore', 'Plan'];

const initOf = (messages: readonly SDKMessage[]) =>
  messages.find((m) => m.type === 'system' && m.subtype === 'init') as { readonly agents?: readonly string[] };
const noticesOf = (messages: readonly SDKMessage[]) =>
  messages.flatMap((m) => (m.type === 'system' && m.subtype === 'notice' ? [m] : []));

async function ask(options: Options) {
  const model = scriptedModel([text('Hi.')]);
  const messages = await collect(query({ prompt: 'go', options: { ...options, provider: model } }));
  return { messages, agents: initOf(messages).agents ?? [], notices: noticesOf(messages), model };
}

describe('agents of files', () => {
  it('work: prompt, tools and model are those of the file, whatever folder below agents it stands in', async () => {
    const place = await skillsPlace();
    await place.write({
      'repo/.claude/agents/team/deep/reviewer.md': agentFile({ name: 'reviewer', tools: 'Read, Grep', model: 'haiku' }),
    });
    const model = modelOfAgents({
      main: [delegate('reviewer', 'Look.', {}, 'toolu_1'), text('Done.')],
      reviewer: text('Fine.'),
    });
    const messages = await collect(query({ prompt: 'go', options: { ...place.options, ...TRUSTED, provider: model } }));
    expect(resultOf(messages, 'toolu_1')).toMatchObject({ text: 'Fine.', isError: false });
    expect(model.asked['reviewer']?.[0]?.tools.map(({ name }) => name)).toEqual(['Grep', 'Read']);
    expect(model.asked['reviewer']?.[0]?.model).toBe('haiku');
    expect(initOf(messages).agents).toEqual([...BUILT_IN, 'reviewer']);
  });

  it('of one name: options beat the project, the nearer file the farther, the user is last, and files beat built-in ones', async () => {
    const place = await skillsPlace();
    await place.write({
      'repo/.turnwright/agents/a.md': agentFile({ name: 'a', description: 'ours' }),
      'repo/.claude/agents/a.md': agentFile({ name: 'a', description: 'theirs' }),
      'repo/.qoder/agents/b.md': agentFile({ name: 'b', description: 'project' }),
      'user/.claude/agents/b.md': agentFile({ name: 'b', description: 'user' }),
      'user/.turnwright/agents/c.md': agentFile({ name: 'c', description: 'user' }),
      'user/.turnwright/agents/plan.md': agentFile({ name: 'Plan', description: 'my plan' }),
    });
    const given = { c: { description: 'given', prompt: 'c' } };
    const { model, agents, notices } = await ask({ ...place.options, ...TRUSTED, agents: given });
    expect([...agents].sort()).toEqual(['Explore', 'Plan', 'a', 'b', 'c', 'general-purpose']);
    const listed = model.requests[0]?.tools.find(({ name }) => name === 'Agent')?.description ?? '';
    for (const line of ['- a: ours', '- b: project', '- c: given', '- Plan: my plan']) expect(listed).toContain(line);
    expect(notices.map(({ code, message }) => `${code} ${message}`).join('\n')).toMatch(
      /agent_refused 2 agents cannot be used\. .*\.claude\/agents\/a\.md: .*\.turnwright\/agents\/a\.md has that name and is nearer/,
    );
    expect(notices.some(({ message }) => message.includes('take the place of files of the same name: c ('))).toBe(true);
  });

  it('of a folder that nobody vouches for are not there, until the user trusts them as they stand', async () => {
    const place = await skillsPlace();
    await place.write({
      'repo/.claude/agents/evil.md': agentFile({ name: 'evil', permissionMode: 'bypassPermissions' }),
    });
    const before = await ask(place.options);
    expect(before.agents).toEqual(BUILT_IN);
    expect(before.notices).toMatchObject([{ code: 'folder_not_trusted', message: expect.stringContaining('evil') }]);
    const folder = await untrustedFolder(place.host, place.cwd, {});
    expect(folder?.agents).toMatchObject([{ key: 'agent evil', value: { permissionMode: 'bypassPermissions' } }]);
    await folder?.trust();
    expect((await ask(place.options)).agents).toEqual([...BUILT_IN, 'evil']);
    await place.write({ 'repo/.claude/agents/evil.md': agentFile({ name: 'evil' }, 'Now do something else.') });
    expect((await ask(place.options)).agents).toEqual(BUILT_IN);
  });

  it('never allow more than the session, whatever mode they name', async () => {
    const place = await skillsPlace();
    await place.write({
      'user/.claude/agents/free.md': agentFile({ name: 'free', permissionMode: 'bypassPermissions' }, 'free'),
    });
    const call = toolCall('Write', { file_path: path.join(place.cwd, 'x.txt'), content: 'x' }, 'toolu_w');
    const model = modelOfAgents({ main: [delegate('free', 'Write.'), text('Done.')], free: [call, text('ok')] });
    const messages = await collect(query({ prompt: 'go', options: { ...place.options, provider: model } }));
    expect(resultOf(messages, 'toolu_w').isError).toBe(true);
  });

  it('that cannot be used are told with the reason, and the others are there', async () => {
    const place = await skillsPlace();
    await place.write({
      'user/.claude/agents/README.md': '# Our agents',
      'user/.claude/agents/good.md': agentFile({ name: 'good' }),
      'user/.claude/agents/bad.md': agentFile({ name: 'not a name!' }),
      'user/.claude/agents/empty.md': '',
      'user/.claude/agents/turns.md': agentFile({ maxTurns: 'x' }),
      'user/.claude/agents/unknown.md': agentFile({ name: 'unknown', frob: '1' }),
    });
    const { agents, notices } = await ask(place.options);
    expect(agents).toEqual([...BUILT_IN, 'unknown', 'good']);
    const told = notices.map(({ code, message }) => `${code}: ${message}`).join('\n');
    expect(told).toMatch(
      /agent_refused: 2 agents cannot be used\. .*turns\.md: line 3 of it: maxTurns .*bad\.md: An agent cannot be named "not a name!"/,
    );
    expect(told).toMatch(/agent_problem: .*unknown\.md: there is no field frob/);
    const listed = await listAgents(place.host, place.cwd, {});
    expect(listed.refused.map(({ file }) => path.basename(file)).sort()).toEqual([
      'README.md',
      'bad.md',
      'empty.md',
      'turns.md',
    ]);
    expect(listed.agents.map(({ name, scope }) => `${name} ${scope}`)).toContain('good user');
  });

  it('do not leave the repository by links, and links in a circle end', async () => {
    const place = await skillsPlace();
    await place.write({
      'out/secret.md': agentFile({ name: 'secret' }),
      'repo/.claude/agents/a.md': agentFile({ name: 'a' }),
    });
    const folder = path.join(place.cwd, '.claude/agents');
    await symlink(path.join(place.cwd, '../out/secret.md'), path.join(folder, 'link.md'));
    await symlink(path.join(place.cwd, '../out'), path.join(folder, 'linked'));
    await symlink(folder, path.join(folder, 'circle'));
    const { agents } = await ask({ ...place.options, ...TRUSTED });
    expect(agents).toEqual([...BUILT_IN, 'a']);
    const { refused } = await listAgents(place.host, place.cwd, TRUSTED as never);
    expect(refused.map(({ why }) => why)).toEqual(Array(2).fill('it is a link that leads out of the repository'));
  });

  it('that change, come or go count from the next prompt on, and the model is told of what there is', async () => {
    const place = await skillsPlace();
    const model = scriptedModel([text('1'), text('2'), text('3'), text('4')]);
    const steps = [
      async () => place.write({ 'user/.claude/agents/late.md': agentFile({ name: 'late', description: 'late' }) }),
      async () => undefined,
      async () => rm(path.join(place.homedir, '.claude/agents/late.md')),
    ];
    let next: () => void = () => undefined;
    async function* prompts(): AsyncGenerator<SDKUserMessage> {
      for (const at of [0, 1, 2, 3]) {
        const answered = new Promise<void>((resolve) => {
          next = resolve;
        });
        yield { type: 'user', message: { role: 'user', content: `${at}` }, parent_tool_use_id: null };
        await answered;
        await steps[at]?.();
      }
    }
    const agents: (readonly string[])[] = [];
    const notices: string[] = [];
    for await (const message of query({ prompt: prompts(), options: { ...place.options, provider: model } })) {
      if (message.type === 'system' && message.subtype === 'init') agents.push(message.agents ?? []);
      if (message.type === 'system' && message.subtype === 'notice') notices.push(message.message);
      if (message.type === 'result') next();
    }
    expect(agents).toEqual([BUILT_IN, [...BUILT_IN, 'late'], [...BUILT_IN, 'late'], BUILT_IN]);
    const told = model.requests.map(({ tools }) =>
      tools.find(({ name }) => name === 'Agent')?.description.includes('- late: late'),
    );
    expect(told).toEqual([false, true, true, false]);
    expect(notices).toEqual([
      'Files of agents changed (new: late); they count from this prompt on.',
      'Files of agents changed (gone: late); they count from this prompt on.',
    ]);
  });

  it('can be what the session runs as, by option or by setting; a setting that names none is told', async () => {
    const place = await skillsPlace();
    await place.write({
      'user/.claude/agents/planner.md': agentFile({ name: 'planner', tools: 'Read' }, 'You plan.'),
      'user/.turnwright/settings.json': JSON.stringify({ agent: 'planner' }),
    });
    const { model } = await ask(place.options);
    expect(model.requests[0]?.system[0]?.text).toBe('You plan.');
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['Read']);
    await rm(path.join(place.homedir, '.claude/agents/planner.md'));
    const { notices } = await ask(place.options);
    expect(notices).toMatchObject([{ code: 'settings_problem', message: expect.stringContaining('"planner"') }]);
  });

  it('cost 50 of them at most a thousand tokens, and each is named', async () => {
    const place = await skillsPlace();
    const folder = path.join(place.homedir, '.claude/agents');
    await mkdir(folder, { recursive: true });
    for (let at = 0; at < 50; at++)
      await writeFile(
        path.join(folder, `a${at}.md`),
        agentFile({ name: `agent-number-${at}`, description: 'What it does. '.repeat(40) }),
      );
    const plain = await ask({ ...place.options, settingSources: [] });
    const { model } = await ask(place.options);
    const lengthOf = (asked: typeof model) =>
      asked.requests[0]?.tools.find(({ name }) => name === 'Agent')?.description.length ?? 0;
    expect(lengthOf(model) - lengthOf(plain.model)).toBeLessThan(4_000);
    for (let at = 0; at < 50; at++)
      expect(model.requests[0]?.tools.find(({ name }) => name === 'Agent')?.description).toContain(
        `- agent-number-${at}: What`,
      );
  });
});

describe('built-in agents', () => {
  it('only read, but for the one of all trades, and can be switched off by option, setting and rule', async () => {
    const place = await skillsPlace();
    const main = [delegate('Explore', 'Look.'), delegate('Plan', 'Plan.'), text('Done.')];
    const model = scriptedModel(({ system }) =>
      system[0]?.text.startsWith('You are a coding agent') ? (main.shift() ?? text('?')) : text('ok'),
    );
    await collect(query({ prompt: 'go', options: { ...place.options, provider: model } }));
    const asked = model.requests.filter(({ system }) => /^You (?:explore|work out)/.test(system[0]?.text ?? ''));
    expect(asked.length).toBe(2);
    for (const { tools } of asked) expect(tools.map(({ name }) => name)).toEqual(['Glob', 'Grep', 'Read', 'WebFetch']);
    expect((await ask({ ...place.options, builtInAgents: false })).agents).toEqual([]);
    expect((await ask({ ...place.options, builtInAgents: ['Plan'] })).agents).toEqual(['Plan']);
    expect((await ask({ ...place.options, disallowedTools: ['Agent(Explore)'] })).agents).toEqual([
      'general-purpose',
      'Plan',
    ]);
    await place.write({ 'user/.turnwright/settings.json': JSON.stringify({ builtInAgents: false }) });
    expect((await ask(place.options)).agents).toEqual([]);
  });
});
