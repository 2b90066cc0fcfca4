// Which skills there are, in many layouts of folders, against the written algorithm (docs/skills.md). One rule: what is
// listed can be called, by whomever it is listed for, and nothing else can.
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { SettingSource } from '../../src/protocol/options.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';
import { query } from '../../src/sdk/query.js';
import { listSkills } from '../../src/sdk/skills/skills.js';
import { collect } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { SEED } from '../support/figures.js';
import { lastResults, offeredSkills, skillFile, skillsPlace } from '../support/skills.js';
import { createRandom, type Random } from '../support/soak/random.js';

const LAYOUTS = 60;
const NAMES = ['review', 'Review', 'deploy', 'a', '2fa', 'pdf_tools', 'help'];
const DEFECTS = [
  '',
  '',
  '',
  '',
  'odd name',
  'no description',
  'no file',
  'bad name',
  'nobody',
  'broken',
  'too large',
] as const;
const SOURCES: readonly (readonly SettingSource[] | undefined)[] = [
  undefined,
  ['user'],
  ['project'],
  ['user', 'project'],
  ['user', 'project', 'local'],
  ['local'],
  [],
];

interface Placed {
  readonly scope: 'user' | 'project';
  /** The folder of skills, and in it the folder of the skill. */
  readonly place: string;
  readonly base: string;
  readonly name: string;
  readonly defect: (typeof DEFECTS)[number];
  readonly isForModel: boolean;
  readonly isForUser: boolean;
}

/** Skills in folders of the user, of the working directory, of those above it, and of one beside it. */
function layoutOf(random: Random): { readonly cwd: string; readonly placed: readonly Placed[] } {
  const cwd = random.pick(['repo', 'repo/sub', 'repo/sub/deep', 'outside/sub']);
  const tops = ['user', 'repo', 'repo/sub', 'repo/sub/deep', 'repo/other', 'outside', 'outside/sub'];
  const placed: Placed[] = [];
  for (let n = random.int(0, 9); n > 0; n--) {
    const top = random.pick(tops);
    const folder = random.pick(['.turnwright', '.claude', '.qoder']);
    const name = random.pick(NAMES);
    const defect = random.pick(DEFECTS);
    const plain = random.chance(0.3) ? `${name}-${n}` : name;
    // Where it calls itself what nothing can be called, its folder names it, if that can be a name.
    const base = defect === 'bad name' ? `${plain} folder` : plain;
    const place = `${top}/${folder}/skills`;
    if (placed.some((each) => each.place === place && each.base === base)) continue;
    const [isForModel, isForUser] = random.pick([
      [true, true],
      [true, true],
      [false, true],
      [true, false],
    ] as const);
    const scope = top === 'user' ? 'user' : 'project';
    placed.push({ scope, place, base, name: defect === 'odd name' ? base : name, defect, isForModel, isForUser });
  }
  return { cwd, placed };
}

function filesOf({ place, base, name, defect, isForModel, isForUser }: Placed): Record<string, string> {
  const file = `${place}/${base}/SKILL.md`;
  const head = {
    name: defect === 'bad name' || defect === 'odd name' ? 'not a name' : name,
    ...(isForModel && defect !== 'nobody' ? {} : { 'disable-model-invocation': 'true' }),
    ...(isForUser && defect !== 'nobody' ? {} : { 'user-invocable': 'false' }),
  };
  if (defect === 'no file') return { [`${place}/${base}/skill.txt`]: '' };
  if (defect === 'broken') return { [file]: '---\nname\n---\n' };
  if (defect === 'too large') return { [file]: skillFile(head, 'x'.repeat(300_000)) };
  return {
    [file]: defect === 'no description' ? `---\nname: ${name}\n---\n` : skillFile(head, `The body at ${file}.`),
  };
}

/** The written algorithm, once more. */
function expected(cwd: string, placed: readonly Placed[], sources: readonly SettingSource[] | undefined) {
  const up: string[] = [];
  for (let at = cwd; at.startsWith('repo'); at = path.dirname(at)) up.push(at);
  const tops = [...(up.length === 0 ? [cwd] : up), 'user'];
  const order = tops.flatMap((top) => ['.turnwright', '.claude', '.qoder'].map((folder) => `${top}/${folder}/skills`));
  const isRead = ({ scope }: Placed) => sources === undefined || sources.includes(scope);
  const isTrusted = ({ scope }: Placed) => scope === 'user' || (sources ?? []).some((each) => each !== 'user');
  const found = placed
    .filter((each) => order.includes(each.place) && isRead(each))
    .sort((a, b) => order.indexOf(a.place) - order.indexOf(b.place) || (a.base < b.base ? -1 : 1));
  const counted = new Map<string, Placed>();
  for (const each of found)
    if ((each.defect === '' || each.defect === 'odd name') && isTrusted(each) && !counted.has(each.name.toLowerCase()))
      counted.set(each.name.toLowerCase(), each);
  const skills = [...counted.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { skills, refused: found.filter((each) => !skills.includes(each)) };
}

it.each(Array.from({ length: LAYOUTS }, (_, at) => at))('layout %i', async (at) => {
  const random = createRandom(SEED * 7_001 + at);
  const { cwd, placed } = layoutOf(random);
  const sources = SOURCES[at % SOURCES.length];
  const { host, write, options, home } = await skillsPlace();
  const top = path.dirname(options.cwd ?? '');
  await mkdir(path.join(top, cwd), { recursive: true });
  for (const each of placed) await write(filesOf(each));
  // `$TURNWRIGHT_HOME` is the folder of ours in the user's home.
  expect(home).toBe(path.join(top, 'user', '.turnwright'));
  const { skills, refused } = expected(cwd, placed, sources);
  const forModel = skills.filter(({ isForModel }) => isForModel).map(({ name }) => name);

  const called = [...new Set(NAMES)];
  const model = scriptedModel([reply(...called.map((skill) => toolCall('Skill', { skill }))), text('done')]);
  const own = {
    ...options,
    cwd: path.join(top, cwd),
    provider: model,
    ...(sources === undefined ? {} : { settingSources: [...sources] }),
  };
  const [init, ...messages] = await collect(query({ prompt: 'Go.', options: own }));
  // Listed for the session, for the model and for the user.
  const usable = skills.filter(({ isForUser }) => isForUser || forModel.length > 0).map(({ name }) => name);
  expect(init).toMatchObject({ type: 'system', subtype: 'init', skills: usable });
  const [first, second] = model.requests as [ModelRequest, ModelRequest];
  expect(offeredSkills(first)).toEqual(forModel.length === 0 ? null : forModel);
  const forUser = skills.filter(({ name, isForUser }) => isForUser && name !== 'help').map(({ name }) => name);
  expect(
    init?.type === 'system' && init.subtype === 'init' && init.slash_commands.slice(4, 4 + forUser.length),
  ).toEqual(forUser);
  // Each that is listed can be called, with the text of the file that counts; no other can.
  for (const [n, result] of lastResults(second).entries()) {
    const skill = skills.find(({ name, isForModel }) => name === called[n] && isForModel);
    expect(result.isError, called[n]).toBe(skill === undefined);
    if (skill !== undefined) expect(result.text).toContain(`The body at ${skill.place}/${skill.base}/SKILL.md.`);
  }
  for (const name of forUser) {
    const asked = scriptedModel([text('done')]);
    await collect(query({ prompt: `/${name} now`, options: { ...own, provider: asked } }));
    const skill = skills.find((each) => each.name === name);
    expect(JSON.stringify(asked.requests[0]?.messages)).toContain(
      `The body at ${skill?.place}/${skill?.base}/SKILL.md.`,
    );
  }
  // Every candidate is in the list or among the refused, with a reason.
  const listed = await listSkills(host, own.cwd, sources === undefined ? {} : { settingSources: [...sources] });
  expect(listed.skills.map(({ name, file }) => [name, path.relative(top, file)])).toEqual(
    skills.map(({ name, place, base }) => [name, `${place}/${base}/SKILL.md`]),
  );
  expect(listed.refused.map(({ file }) => path.relative(top, file)).sort()).toEqual(
    refused.map(({ place, base }) => `${place}/${base}/SKILL.md`).sort(),
  );
  const told = JSON.stringify(messages.filter((message) => message.type === 'system' && message.subtype === 'notice'));
  for (const { file, name, why, needsTrust } of listed.refused) {
    expect(why.length).toBeGreaterThan(10);
    expect(told).toContain(needsTrust ? name : file);
  }
});

it('links count if they stay in the repository; hidden folders and files are no skills', async () => {
  const { host, cwd, write } = await skillsPlace();
  const top = path.dirname(cwd);
  await write({
    'repo/shared/inside/SKILL.md': skillFile({}),
    'elsewhere/outside/SKILL.md': skillFile({}),
    'elsewhere/mine/SKILL.md': skillFile({}),
    'repo/.claude/skills/.hidden/SKILL.md': skillFile({}),
    'repo/.claude/skills/README.md': '# Skills',
    'repo/.claude/skills/leaky/SKILL.md': skillFile({}),
    'repo/.claude/skills/linked/notes.md': skillFile({}),
    'user/.claude/skills/x': '',
  });
  const links = {
    'repo/.claude/skills/inside': '../../shared/inside',
    'repo/.claude/skills/outside': '../../../elsewhere/outside',
    'repo/.claude/skills/gone': '../nowhere',
    'repo/.claude/skills/leaky/passwd': '/etc/passwd',
    'repo/.claude/skills/linked/SKILL.md': '/etc/hostname',
    'user/.claude/skills/mine': path.join(top, 'elsewhere/mine'),
  };
  for (const [at, target] of Object.entries(links)) await symlink(target, path.join(top, at));
  const settingSources: SettingSource[] = ['user', 'project'];
  const granted = await listSkills(host, cwd, { settingSources });
  expect(granted.skills.map(({ name }) => name)).toEqual(['inside', 'leaky', 'mine']);
  expect(granted.refused.map(({ name, why }) => [name, why])).toEqual([
    ['linked', 'its SKILL.md is a link out of its folder'],
    ['outside', 'its folder is a link that leads out of the repository'],
  ]);
  // Nobody can vouch for what is not in the folder.
  const untrusted = await listSkills(host, cwd, {});
  expect(untrusted.skills.map(({ name }) => name)).toEqual(['mine']);
  expect(untrusted.refused.map(({ name, why, needsTrust }) => [name, needsTrust, why])).toEqual([
    ['inside', true, 'nobody vouches for it as it stands'],
    ['leaky', false, '"passwd" is a link that leads out of its folder'],
    ['linked', false, expect.stringMatching(/link|not a file/)],
    ['outside', false, 'its folder is a link that leads out of the repository'],
  ]);
});

it('no more than 500 count, and the others are told', async () => {
  const { host, cwd, write } = await skillsPlace();
  const names = Array.from({ length: 503 }, (_, at) => `s${String(at).padStart(3, '0')}`);
  await write(Object.fromEntries(names.map((name) => [`user/.claude/skills/${name}/SKILL.md`, skillFile({})])));
  const { skills, refused } = await listSkills(host, cwd, {});
  expect(skills.map(({ name }) => name)).toEqual(names.slice(0, 500));
  expect(refused.map(({ name, why }) => [name, why])).toEqual(
    names.slice(500).map((name) => [name, 'there are more than 500']),
  );
});
