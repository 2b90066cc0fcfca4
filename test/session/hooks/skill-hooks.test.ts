// Hooks that the front matter of a skill brings along: they run from its call on and not before, hold in agents and after a
// resume, and end with its text. On the real disk.
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { findSkills } from '../../../src/context/skills/find-skills.js';
import { addTrust, trustRoot } from '../../../src/context/trust.js';
import type { SDKUserMessage } from '../../../src/protocol/messages.js';
import type { Options } from '../../../src/sdk/options/options.js';
import { query } from '../../../src/sdk/query.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { agent, delegate, modelOfAgents } from '../../support/agents.js';
import { callSkill, lastResults, type SkillsPlace, skillsPlace, talk } from '../../support/skills.js';

const GUARD = `---
name: careful
description: Works with care.
hooks:
  PreToolUse:
    - matcher: "Glob|Bash"
      hooks:
        - type: command
          command: echo "$CLAUDE_SKILL_DIR" >> "$CLAUDE_PROJECT_DIR/heard"; echo 'not like this' >&2; exit 2
  Stop:
    - hooks:
        - type: command
          command: echo stop >> heard
          once: true
---
Be careful.
`;
const glob = toolCall('Glob', { pattern: '*' });
const heard = async ({ cwd }: SkillsPlace) =>
  (await readFile(path.join(cwd, 'heard'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
const typed = (...texts: readonly string[]) =>
  (async function* (): AsyncGenerator<SDKUserMessage> {
    for (const said of texts)
      yield { type: 'user', parent_tool_use_id: null, message: { role: 'user', content: said } } as SDKUserMessage;
  })();

async function place(file = GUARD): Promise<SkillsPlace> {
  const made = await skillsPlace();
  await made.write({ 'user/.claude/skills/careful/SKILL.md': file });
  return made;
}

const refused = (results: readonly { readonly isError: boolean; readonly text: string }[] | undefined) =>
  results?.map(({ isError, text: said }) => (isError ? said.includes('not like this') : false));

it('run from the call of the skill on, also in later prompts, agents and a resumed session; `once` is once; /clear ends them', async () => {
  const here = await place();
  const folder = path.join(here.homedir, '.claude/skills/careful');
  const model = modelOfAgents({
    main: [
      glob,
      callSkill('careful'),
      glob,
      delegate('looker', 'Look.'),
      text('one'),
      glob,
      text('two'),
      glob,
      text('three'),
    ],
    looker: [glob, text('seen')],
  });
  const { name: _, ...looker } = agent('looker');
  const options: Options = { ...here.options, provider: model, agents: { looker }, allowedTools: ['Agent'] };
  const messages = await collect(query({ prompt: typed('go', 'on', '/clear', 'again'), options }));
  const asked = model.asked['main'] ?? [];
  expect(asked.map((request) => refused(lastResults(request)))).toEqual([
    [],
    [false],
    [false],
    [true],
    [false],
    [],
    [true],
    [],
    [false],
  ]);
  expect(refused(lastResults(model.asked['looker']?.[1] as never))).toEqual([true]);
  expect(await heard(here)).toEqual([folder, folder, 'stop', folder]);
  expect(messages.filter((each) => each.type === 'system' && each.subtype === 'notice')).toEqual([]);
  // What is resumed has the text of the skill, and so its hooks.
  const first = await talk(here, ['go', 'more'], [callSkill('careful'), text('ok'), glob, text('ok')]);
  expect(refused(first.results.at(-1))).toEqual([true]);
});

it('run too if the user names the skill, and within an agent alone if it is called or preloaded there', async () => {
  const here = await place();
  const byUser = await talk(here, '/careful now', [glob, text('ok')]);
  expect(refused(byUser.results[1])).toEqual([true]);
  const model = modelOfAgents({
    main: [delegate('caller', 'a'), delegate('knower', 'b'), glob, text('ok')],
    caller: [glob, callSkill('careful'), glob, text('ok')],
    knower: [glob, text('ok')],
  });
  const agents = Object.fromEntries(
    ['caller', 'knower'].map((name) => {
      const { name: _, ...definition } = agent(name, name === 'knower' ? { skills: ['careful'] } : {});
      return [name, definition];
    }),
  );
  await collect(
    query({ prompt: 'go', options: { ...here.options, provider: model, agents, allowedTools: ['Agent'] } }),
  );
  const results = (who: string) => model.asked[who]?.map((request) => refused(lastResults(request)));
  expect(results('caller')).toEqual([[], [false], [false], [true]]);
  expect(results('knower')).toEqual([[], [true]]);
  expect(results('main')?.[3]).toEqual([false]);
  // Their end is that of an agent.
  expect((await heard(here)).filter((line) => line === 'stop')).toHaveLength(3);
});

it('of a folder that must be trusted run as they were trusted, with the files that they name', async () => {
  const here = await skillsPlace();
  const check = GUARD.replace("echo 'not like this' >&2; exit 2", 'sh ./check.sh');
  await here.write({
    'repo/.claude/skills/careful/SKILL.md': check,
    'repo/check.sh': "echo 'not like this' >&2; exit 2\n",
  });
  const root = await trustRoot(here.host, here.cwd);
  const trust = { isGranted: false, root, home: here.home, cwd: here.cwd };
  const find = async () =>
    findSkills(here.host, [{ scope: 'project', folder: path.join(here.cwd, '.claude/skills') }], trust);
  const [item] = (await find()).refused.flatMap((each) => each.item ?? []);
  expect(item?.files).toHaveProperty('check.sh');
  expect(JSON.stringify(item?.leaf.value)).toContain('sh ./check.sh');
  await addTrust(here.host, here.home, root, item === undefined ? [] : [item]);
  const changed = async () => {
    await appendFile(path.join(here.cwd, 'check.sh'), 'touch evil\n');
    return glob;
  };
  const { results, notices } = await talk(here, 'go', [callSkill('careful'), glob, changed, text('ok')]);
  expect(refused(results[2])).toEqual([true]);
  expect(refused(results[3])).toEqual([false]);
  expect(notices.filter(({ code }) => code === 'hook_failed')[0]?.message).toContain('is not as it was trusted');
  await expect(readFile(path.join(here.cwd, 'evil'))).rejects.toThrow();
});

it('of a folder below run once the agent came there and called the skill, in that folder alone with trust', async () => {
  const run = async (options: Options) => {
    const here = await skillsPlace();
    await here.write({
      'repo/packages/web/.claude/skills/careful/SKILL.md': GUARD,
      'repo/packages/web/a.ts': 'export const a = 1;\n',
    });
    const read = toolCall('Read', { file_path: path.join(here.cwd, 'packages/web/a.ts') });
    const steps = [glob, read, glob, callSkill('careful'), glob, text('one'), glob, text('two')];
    return { here, ...(await talk(here, ['go', 'more'], steps, options)) };
  };
  const { here, results, notices } = await run({ settingSources: ['user', 'project'] });
  expect(results.map(refused)).toEqual([[], [false], [false], [false], [false], [true], [], [true]]);
  const folder = path.join(here.cwd, 'packages/web/.claude/skills/careful');
  expect(await heard(here)).toEqual([folder, 'stop', folder, 'stop']);
  expect(notices.filter(({ level }) => level !== 'info')).toEqual([]);
  const untrusted = await run({});
  expect(untrusted.results.flatMap((each) => refused(each) ?? [])).not.toContain(true);
  expect(untrusted.results[4]).toEqual([expect.objectContaining({ isError: true })]);
  expect(await heard(untrusted.here)).toEqual([]);
  expect(untrusted.notices.map(({ code }) => code)).toContain('folder_not_trusted');
});

it.each<[string, string, RegExp]>([
  ['no events', 'hooks: all', /hooks must be events/],
  ['anchors that grow', 'hooks:\n  Stop: &a [*a, *a]', /hooks (?:refers to parts of itself|cannot be read)/],
  ['a depth that nobody can read', `hooks: ${'['.repeat(5_000)}`, /nested too deep/],
])('that are %s refuse the skill, and the reason is told', async (_, hooks, why) => {
  const here = await place(`---\nname: careful\ndescription: x\n${hooks}\n---\nBe careful.\n`);
  const { notices } = await talk(here, 'go', [text('ok')]);
  expect(notices.find(({ code }) => code === 'skill_refused')?.message).toMatch(why);
});

it('that cannot be used are told, and those beside them run; none run if settings allow no others', async () => {
  const odd = GUARD.replace('hooks:\n', 'hooks:\n  Stopp: [{ hooks: [{ command: "true" }] }]\n  PostToolUse: [7]\n');
  const here = await place(odd);
  const { results, notices } = await talk(here, 'go', [callSkill('careful'), glob, text('ok')]);
  expect(refused(results[2])).toEqual([true]);
  const said = notices.map(({ message }) => message).join('\n');
  expect(said).toContain('no objects with a list of hooks: hooks.PostToolUse');
  expect(said).toContain('Stopp');
  await writeFile(path.join(here.homedir, '.claude/settings.json'), '{"disableAllHooks": true}');
  const off = await talk(here, 'go', [callSkill('careful'), glob, text('ok')]);
  expect(refused(off.results[2])).toEqual([false]);
  expect(off.notices.map(({ message }) => message).join()).toContain('The hooks of the skill careful do not run');
});
