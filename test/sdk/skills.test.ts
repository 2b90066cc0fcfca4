// Skills in sessions: who may call one, what it allows and for how long, whose word it needs, and what is told. On the real
// disk, with the scripted model.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { callSkill, offeredSkills, skillFile, skillsPlace, talk } from '../support/skills.js';

const touch = (name: string) => toolCall('Bash', { command: `touch ${name}` });

describe('a skill', () => {
  it('comes with its folder and its arguments, and nothing of it is run', async () => {
    const place = await skillsPlace();
    const body =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as skills of others have it
      'Work on $ARGUMENTS[0], then $ARGUMENTS[1]: $ARGUMENTS. $1 !`touch evil` ${CLAUDE_SKILL_DIR}/x.md $(touch evil)';
    await place.write({ 'user/.claude/skills/fix/SKILL.md': skillFile({}, body) });
    const { results, messages } = await talk(place, 'Go.', [callSkill('fix', '"a b" $& c'), text('done')]);
    const folder = path.join(place.homedir, '.claude/skills/fix');
    expect(JSON.parse(results[1]?.[0]?.text ?? '')).toBe(
      `The skill "fix" is in use. Paths in it start from its folder, ${folder}\n\nWork on a b, then $&: "a b" $& c. $1 !\`touch evil\` ${folder}/x.md $(touch evil)`,
    );
    expect(messages.find((each) => each.type === 'user')).toMatchObject({ tool_use_result: { skill: 'fix', folder } });
    // Without a place for them they stand behind it; without any nothing does.
    await place.write({ 'user/.claude/skills/fix/SKILL.md': skillFile({}, 'Fix it.') });
    const steps = [callSkill('fix', 'now'), callSkill('/fix'), text('done')];
    const again = await talk(place, 'Go.', steps);
    expect(JSON.parse(again.results[1]?.[0]?.text ?? '')).toMatch(/\n\nFix it\.\n\nArguments: now$/);
    expect(JSON.parse(again.results[2]?.[0]?.text ?? '')).toMatch(/\n\nFix it\.$/);
  });

  it('is run by the user as a command, which approves what it allows and names its model', async () => {
    const place = await skillsPlace();
    const head = { 'allowed-tools': 'Bash(touch *)', model: 'claude-haiku-4-5', 'argument-hint': '[file] [how]' };
    await place.write({
      'user/.claude/skills/fix/SKILL.md': skillFile(head, 'Fix $ARGUMENTS.'),
      'user/.claude/skills/own/SKILL.md': skillFile({ 'user-invocable': 'false' }),
    });
    const { model, messages, results, notices } = await talk(
      place,
      ['/fix a.ts', 'And now?', '/own x'],
      [touch('made'), text('done'), touch('more'), text('done')],
    );
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Fix a.ts.');
    expect(model.requests.map((request) => request.model)).toEqual([
      'claude-haiku-4-5',
      'claude-haiku-4-5',
      'claude-sonnet-4-5',
      'claude-sonnet-4-5',
    ]);
    expect([results[1]?.[0]?.isError, results[3]?.[0]?.isError]).toEqual([false, true]);
    expect(messages.at(-1)).toMatchObject({ is_error: true, result: expect.stringMatching(/no command \/own/) });
    expect(notices).toEqual([]);
  });

  it.each([
    ['of a provider that there is not', 'nobody/model', /The command \/fix .*"nobody\/model".* no provider "nobody"/],
    ['that there is no key for', 'openai/gpt-5', /The command \/fix .*"openai\/gpt-5".* needs a key/],
  ])('that names a model %s is run with that of the session, which is told', async (_, named, why) => {
    const place = await skillsPlace();
    await place.write({ 'user/.claude/skills/fix/SKILL.md': skillFile({ model: named }, 'Fix $ARGUMENTS.') });
    const server = await startMockProvider();
    const options: Options = {
      ...place.options,
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-mock-1' },
    };
    const messages = await collect(query({ prompt: '/fix a.ts', options }));
    expect(lastResult(messages).subtype).toBe('success');
    expect(messages.find((each) => each.type === 'system' && each.subtype === 'init')).toMatchObject({
      model: 'claude-sonnet-4-5',
    });
    expect(messages).toContainEqual(
      expect.objectContaining({ code: 'command_model_unusable', message: expect.stringMatching(why) }),
    );
    expect(server.requests.map(({ body }) => (body as { model: string }).model)).toEqual(['claude-sonnet-4-5']);
    await server.close();
  });

  it('names its model as people do, and another provider if it has a key', async () => {
    const place = await skillsPlace();
    await place.write({ 'user/.claude/skills/fix/SKILL.md': skillFile({ model: 'openai/gpt-5' }, 'Fix $ARGUMENTS.') });
    const [server, other] = [await startMockProvider(), await startMockProvider({ api: 'openai-responses' })];
    const env = {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'sk-mock-1',
      OPENAI_BASE_URL: other.url,
      OPENAI_API_KEY: 'sk-mock-2',
    };
    const messages = await collect(query({ prompt: '/fix a.ts', options: { ...place.options, env } }));
    expect(lastResult(messages).subtype).toBe('success');
    expect(other.requests.map(({ body }) => (body as { model: string }).model)).toEqual(['gpt-5']);
    expect(server.requests).toEqual([]);
    await Promise.all([server.close(), other.close()]);
  });

  it('keeps what a command of ours is called, and that is told', async () => {
    const place = await skillsPlace();
    await place.write({ 'user/.claude/skills/cost/SKILL.md': skillFile({}) });
    const { messages, notices } = await talk(place, '/cost', []);
    expect(lastResult(messages).result).toBe('No model request was made yet.');
    expect(notices.map(({ code, level, message }) => [code, level, message])).toEqual([
      [
        'skill_problem',
        'info',
        'The commands of these names are other ones, so the skills can be called by the model alone: cost.',
      ],
    ]);
  });

  it('that is not there, or not for the model, is no skill', async () => {
    const place = await skillsPlace();
    await place.write({
      'user/.claude/skills/fix/SKILL.md': skillFile({}),
      'user/.claude/skills/mine/SKILL.md': skillFile({ 'disable-model-invocation': 'true' }),
    });
    const { model, results } = await talk(place, 'Go.', [
      reply(callSkill('mine'), callSkill('nope'), callSkill('FIX')),
      text('done'),
    ]);
    expect(offeredSkills(model.requests[0])).toEqual(['fix']);
    expect(results[1]?.map(({ text: said }) => JSON.parse(said))).toEqual(
      ['mine', 'nope', 'FIX'].map((name) => `There is no skill "${name}". Skills: fix.`),
    );
  });

  it('whose file is gone, or is another by now, is not loaded', async () => {
    const place = await skillsPlace();
    const file = 'user/.claude/skills/fix/SKILL.md';
    const changed: readonly (readonly [string, () => Promise<void>])[] = [
      ['it has no SKILL.md', () => rm(path.join(place.homedir, '.claude/skills/fix/SKILL.md'))],
      ['its file calls it other now', () => place.write({ [file]: skillFile({ name: 'other' }) })],
      ['only the user may call it', () => place.write({ [file]: skillFile({ 'disable-model-invocation': 'true' }) })],
      [
        'its allowed-tools changed since the session began',
        () => place.write({ [file]: skillFile({ 'allowed-tools': 'Bash' }) }),
      ],
      ['it has no description', () => place.write({ [file]: 'Fix it.' })],
    ];
    for (const [why, change] of changed) {
      await place.write({ [file]: skillFile({}) });
      let isChanged = false;
      const canUseTool: Options['canUseTool'] = async () => ({ behavior: 'deny', message: 'no' });
      const hooks: Options['hooks'] = {
        PreToolUse: [
          {
            hooks: [
              async () => {
                if (!isChanged) await change();
                isChanged = true;
                return {};
              },
            ],
          },
        ],
      };
      const { results } = await talk(place, 'Go.', [callSkill('fix'), text('done')], { canUseTool, hooks });
      expect(results[1]).toEqual([
        { text: expect.stringContaining(`The skill fix was not loaded: ${why}`), isError: true },
      ]);
    }
  });
});

describe('which there are', () => {
  it('the option names; each that is named may be called, and what is not there is told', async () => {
    const place = await skillsPlace();
    for (const name of ['one', 'two', 'bad'])
      await place.write({
        [`user/.claude/skills/${name}/SKILL.md`]:
          name === 'bad' ? 'x' : skillFile({ 'allowed-tools': 'Bash(touch *)' }),
      });
    const steps = [callSkill('two', 'now'), touch('x'), text('done')];
    const named = await talk(place, 'Go.', steps, { skills: ['two', 'three'] });
    expect(named.messages[0]).toMatchObject({ skills: ['two'] });
    expect(named.results.slice(1).map((each) => each[0]?.isError)).toEqual([false, false]);
    expect(named.notices.map(({ code, message }) => [code, message])).toEqual([
      ['skill_problem', 'The skills that are asked for by name are not all there. Missing: three.'],
    ]);
    const all = await talk(place, 'Go.', [callSkill('one'), text('done')], { skills: 'all' });
    expect(all.messages[0]).toMatchObject({ skills: ['one', 'two'] });
    expect(all.results[1]?.[0]?.isError).toBe(false);
    expect(all.notices.map(({ code }) => code)).toEqual(['skill_refused']);
    const none = await talk(place, 'Go.', [text('done')], { skills: [] });
    expect(none.messages[0]).toMatchObject({ skills: [] });
    expect(offeredSkills(none.model.requests[0] as never)).toBeNull();
    expect(none.notices).toEqual([]);
    await expect(talk(place, 'Go.', [], { skills: 'two' as never })).rejects.toThrow(
      'skills is "all", or a list of names',
    );
    await expect(talk(place, 'Go.', [], { skills: ['a b'] })).rejects.toThrow('skills is "all", or a list of names');
  });

  it('the setting names; it allows nothing, an option beats it, a managed one beats that', async () => {
    const place = await skillsPlace();
    for (const name of ['one', 'two'])
      await place.write({ [`user/.claude/skills/${name}/SKILL.md`]: skillFile({ 'allowed-tools': 'Bash(touch *)' }) });
    const settings = { skills: ['one'] };
    const set = await talk(place, 'Go.', [callSkill('one'), text('done')], { settings });
    expect(set.messages[0]).toMatchObject({ skills: ['one'] });
    expect(set.results[1]?.[0]?.isError).toBe(true);
    const given = await talk(place, 'Go.', [text('done')], { settings, skills: ['two'] });
    expect(given.messages[0]).toMatchObject({ skills: ['two'] });
    const managedSettings = { skills: ['one'], allowManagedPermissionRulesOnly: true };
    const managed = await talk(place, '/one', [touch('x'), text('done')], { managedSettings, skills: ['two'] });
    expect(managed.messages[0]).toMatchObject({ skills: ['one'] });
    expect(managed.results[1]?.[0]?.isError).toBe(true);
    expect(JSON.stringify(managed.notices)).toContain('Bash(touch *)');
  });

  it('the tool is one that can be left out, and that rules can name', async () => {
    const place = await skillsPlace();
    await place.write({
      'user/.claude/skills/fix/SKILL.md': skillFile({}),
      'user/.claude/skills/own/SKILL.md': skillFile({ 'user-invocable': 'false' }),
    });
    for (const options of [{ tools: ['Read'] }, { disallowedTools: ['Skill'] }] satisfies Options[]) {
      const { model, messages, notices } = await talk(place, 'Go.', [text('done')], options);
      expect(offeredSkills(model.requests[0])).toBeNull();
      expect(messages[0]).toMatchObject({ skills: ['fix'] });
      expect(notices).toEqual([]);
    }
    const { model } = await talk(place, 'Go.', [text('done')], { tools: ['Skill'] });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['Skill']);
  });

  it('fields and rules that do nothing are told once', async () => {
    const place = await skillsPlace();
    const head = { license: 'MIT', agent: '{}', context: 'fork', 'allowed-tools': '[Read, "Bash()", "Read(x"]' };
    await place.write({ 'user/.claude/skills/fix/SKILL.md': skillFile(head) });
    const { notices } = await talk(place, 'Go.', [text('done')]);
    const file = path.join(place.homedir, '.claude/skills/fix/SKILL.md');
    expect(notices.map(({ level, message }) => [level, message])).toEqual([
      ['warning', expect.stringMatching(/^Rules of allowed-tools that allow nothing: Bash\(\) .*; Read\(x /)],
      ['info', `Fields of skills without effect in this version: agent (${file}); context (${file}).`],
    ]);
  });
});
