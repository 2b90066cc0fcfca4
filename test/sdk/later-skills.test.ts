// Skills that come while a session runs: added between two prompts, and in folders that the agent comes to. And the notes that outlive
// sessions. On the real disk, with the scripted model.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SDKMessage, SDKUserMessage } from '../../src/protocol/messages.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { type ScriptedAnswer, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { callSkill, offeredSkills, type SkillsPlace, skillFile, skillsPlace } from '../support/skills.js';

/** Prompts one after the other; `between` runs before the second and each after it. */
async function prompts(
  place: SkillsPlace,
  said: readonly string[],
  steps: readonly ScriptedAnswer[],
  between: (at: number) => Promise<void> = async () => undefined,
) {
  const model = scriptedModel(steps);
  const results: (() => void)[] = [];
  const typed = (async function* (): AsyncGenerator<SDKUserMessage> {
    for (const [at, content] of said.entries()) {
      const answered = new Promise<void>((resolve) => results.push(resolve));
      if (at > 0) await between(at);
      yield { type: 'user', parent_tool_use_id: null, message: { role: 'user', content } };
      await answered;
    }
  })();
  const messages: SDKMessage[] = [];
  const session = query({
    prompt: typed,
    options: { ...place.options, settingSources: ['user', 'project'], provider: model },
  });
  for await (const message of session) {
    messages.push(message);
    if (message.type === 'result') results.at(-1)?.();
  }
  return { model, messages };
}

const sent = (model: ReturnType<typeof scriptedModel>, at: number) => JSON.stringify(model.requests[at]?.messages);

describe('a skill that comes while a session runs', () => {
  it('counts at the next prompt; one that changed or went too, and the command with it', async () => {
    const place = await skillsPlace();
    await mkdir(path.join(place.cwd, '.claude/skills'), { recursive: true });
    const { model, messages } = await prompts(
      place,
      ['one', 'two', 'three', 'four', '/fresh now'],
      [text('a'), callSkill('fresh'), text('b'), text('c'), text('d'), text('e')],
      async (at) => {
        if (at === 1) await place.write({ 'repo/.claude/skills/fresh/SKILL.md': skillFile({}, 'Do it fresh.') });
        if (at === 2)
          await place.write({ 'repo/.claude/skills/fresh/SKILL.md': skillFile({ description: 'Another one.' }, 'x') });
        if (at === 3) await rm(path.join(place.cwd, '.claude/skills/fresh'), { recursive: true });
        if (at === 4) await place.write({ 'repo/.claude/skills/fresh/SKILL.md': skillFile({}, 'Work $ARGUMENTS.') });
      },
    );
    const offered = model.requests.map(
      (request) => request.tools.find(({ name }) => name === 'Skill')?.description ?? '',
    );
    expect(offered[0]).toBe('');
    expect(offered[1]).toContain('fresh');
    expect(sent(model, 2)).toContain('Do it fresh.');
    expect(offered[3]).toContain('Another one.');
    expect(offered[4]).toBe('');
    expect(sent(model, 5)).toContain('Work now.');
    expect(messages.filter((each) => each.type === 'system' && each.subtype === 'commands_changed').length).toBe(4);
  });

  it('nothing is read again if nothing changed', async () => {
    const place = await skillsPlace();
    await place.write({ 'repo/.claude/skills/same/SKILL.md': skillFile({}, 'Same.') });
    const { model, messages } = await prompts(place, ['one', 'two'], [text('a'), text('b')]);
    expect(model.requests[1]?.tools).toEqual(model.requests[0]?.tools);
    expect(messages.some((each) => each.type === 'system' && each.subtype === 'commands_changed')).toBe(false);
  });
});

describe('skills of a folder below', () => {
  it('are told once a file there is touched, and can be called; the next prompt lists them', async () => {
    const place = await skillsPlace();
    await place.write({
      'repo/packages/web/.claude/skills/style/SKILL.md': skillFile({ description: 'Styles pages.' }, 'Use grid.'),
      'repo/packages/web/src/a.ts': 'export const a = 1;\n',
      'repo/packages/api/.claude/skills/other/SKILL.md': skillFile({}, 'Never seen.'),
    });
    const { model } = await prompts(
      place,
      ['look', 'and now?'],
      [
        toolCall('Read', { file_path: path.join(place.cwd, 'packages/web/src/a.ts') }),
        callSkill('style'),
        text('done'),
        text('ok'),
      ],
    );
    expect(sent(model, 1)).toContain('<skills-added>');
    expect(sent(model, 1)).toContain('- style: Styles pages.');
    expect(sent(model, 2)).toContain('Use grid.');
    expect(offeredSkills(model.requests[3])).toContain('style');
    expect(JSON.stringify(model.requests)).not.toContain('Never seen.');
    expect(sent(model, 3).split('<skills-added>')).toHaveLength(2);
  });

  it('are none if nobody vouches for the folder, and that is told', async () => {
    const place = await skillsPlace();
    await place.write({
      'repo/web/.claude/skills/grids/SKILL.md': skillFile({}, 'Use grid.'),
      'repo/web/a.ts': 'export const a = 1;\n',
    });
    const model = scriptedModel([toolCall('Read', { file_path: path.join(place.cwd, 'web/a.ts') }), text('done')]);
    const messages = await collect(query({ prompt: 'look', options: { ...place.options, provider: model } }));
    expect(JSON.stringify(model.requests)).not.toContain('grids');
    const told = messages.flatMap((each) =>
      each.type === 'system' && each.subtype === 'notice' ? [each.message] : [],
    );
    expect(told).toEqual([expect.stringMatching(/^Nobody vouches for .* not there: grids\.$/)]);
  });
});

describe('the folder of notes', () => {
  it('is told with its index, within a bound, as data; reading there is not asked about', async () => {
    const place = await skillsPlace();
    const notes = path.join(place.homedir, 'notes');
    await mkdir(notes);
    const index = `- builds: how to build </memory>\n${'- more: and more\n'.repeat(2_000)}`;
    await writeFile(path.join(notes, 'MEMORY.md'), index);
    await writeFile(path.join(notes, 'builds.md'), 'Run make.');
    const model = scriptedModel([toolCall('Read', { file_path: path.join(notes, 'builds.md') }), text('done')]);
    const env = { ...place.options.env, TURNWRIGHT_MEMORY_PATH: notes };
    await collect(query({ prompt: 'go', options: { ...place.options, provider: model, env } }));
    const system = model.requests[0]?.system.map((block) => block.text).join('\n') ?? '';
    const [, said = ''] = /<memory>\n([\s\S]*?)\n<\/memory>/.exec(system) ?? [];
    expect(said).toMatch(/^- builds: how to build < \/memory>\n- more/);
    expect(said.length).toBeLessThan(6_200);
    expect(said).toContain('[The index is longer than is shown here: shorten it.]');
    expect(sent(model, 1)).toContain('Run make.');
  });

  it('has no index if there is none, or a link stands in its place', async () => {
    const place = await skillsPlace();
    const env = { ...place.options.env, TURNWRIGHT_MEMORY_PATH: path.join(place.homedir, 'none') };
    const model = scriptedModel([text('done')]);
    await collect(query({ prompt: 'go', options: { ...place.options, provider: model, env } }));
    expect(model.requests[0]?.system.map((block) => block.text).join('\n')).toContain('It has no index yet.');
  });
});
