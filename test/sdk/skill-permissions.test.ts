// What a skill may, and whose word it needs: rules and modes, trust in its files, agents.
import { chmod, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { untrustedFolder } from '../../src/sdk/faces/folder-trust.js';
import type { Options } from '../../src/sdk/options/options.js';
import { resolveOptions } from '../../src/sdk/resolve-options.js';
import { QueryEngine } from '../../src/session/query-engine.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { callSkill, lastResults, offeredSkills, skillFile, skillsPlace, talk } from '../support/skills.js';

const GRANTED: Options = { settingSources: ['user', 'project', 'local'] };

const touch = (name: string) => toolCall('Bash', { command: `touch ${name}` });

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk'] as const;

describe('permissions', () => {
  it.each(MODES)(
    'in mode %s a skill without allowed-tools is read, one with them is asked for',
    async (permissionMode) => {
      const place = await skillsPlace();
      await place.write({
        'user/.claude/skills/plain/SKILL.md': skillFile({}),
        'user/.claude/skills/more/SKILL.md': skillFile({ 'allowed-tools': 'Bash(touch *)' }),
      });
      const asked: string[] = [];
      const canUseTool: Options['canUseTool'] = async (tool, input, { suggestions }) => {
        asked.push(`${tool} ${String(input['skill'] ?? input['command'])} ${JSON.stringify(suggestions)}`);
        return { behavior: 'deny', message: 'no' };
      };
      const steps = [reply(callSkill('plain'), callSkill('more', 'x')), text('done')];
      const { results } = await talk(place, 'Go.', steps, { permissionMode, canUseTool });
      expect(results[1]?.map(({ isError }) => isError)).toEqual([false, true]);
      expect(asked.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual(
        permissionMode === 'dontAsk' ? [] : ['Skill more'],
      );
      if (permissionMode !== 'dontAsk') expect(asked[0]).toContain('"ruleContent":"more *"');
    },
  );

  it.each([
    [{ disallowedTools: ['Skill(more)'] }, 'more', true],
    [{ disallowedTools: ['Skill(more)'] }, 'more now', true],
    [{ disallowedTools: ['Skill(more *)'] }, 'more', true],
    [{ disallowedTools: ['Skill(plain)'] }, 'plain now', true],
    [{ disallowedTools: ['Skill(plai)'] }, 'plain now', false],
    [{ disallowedTools: ['Skill(more)'], allowedTools: ['Skill'] }, 'more', true],
    [{ allowedTools: ['Skill(more)'] }, 'more', false],
    [{ allowedTools: ['Skill(more)'] }, 'more now', true],
    [{ allowedTools: ['Skill(more *)'] }, 'more now', false],
    [{ allowedTools: ['Skill(more *)'] }, 'more', false],
    [{ allowedTools: ['Skill'] }, 'more now', false],
    [{ settings: { permissions: { ask: ['Skill(plain)'] } } }, 'plain', true],
    [{ settings: { permissions: { ask: ['Skill'] } }, allowedTools: ['Skill'] }, 'plain', true],
    [{ permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }, 'more', false],
    [
      { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, disallowedTools: ['Skill(more)'] },
      'more x',
      true,
    ],
  ] satisfies readonly [Options, string, boolean][])('%j: %s is refused: %s', async (options, call, isRefused) => {
    const place = await skillsPlace();
    await place.write({
      'user/.claude/skills/plain/SKILL.md': skillFile({}),
      'user/.claude/skills/more/SKILL.md': skillFile({ 'allowed-tools': 'Bash(touch *)' }),
    });
    const [skill = '', args] = call.split(' ');
    const { results } = await talk(place, 'Go.', [callSkill(skill, args), text('done')], options);
    expect(results[1]?.[0]?.isError).toBe(isRefused);
  });

  it('what a skill allows counts behind its call, until the prompt ends, and under all that denies or asks', async () => {
    const place = await skillsPlace();
    await place.write({
      'user/.claude/skills/more/SKILL.md': skillFile({ 'allowed-tools': 'Bash(touch *) Bash(mkdir *)' }),
    });
    const write = toolCall('Bash', { command: 'touch .git/config' });
    const both = reply(touch('before'), callSkill('more'), touch('after'));
    const steps = [
      both,
      reply(toolCall('Bash', { command: 'touch deny.me' }), write, toolCall('Bash', { command: 'mkdir d; id -u > x' })),
      text('done'),
      touch('later'),
      text('done'),
    ];
    const { results } = await talk(place, ['Go.', 'Again.'], steps, {
      allowedTools: ['Skill'],
      disallowedTools: ['Bash(touch deny*)'],
    });
    expect(results[1]?.map(({ isError }) => isError)).toEqual([true, false, false]);
    expect(results[2]?.map(({ isError }) => isError)).toEqual([true, true, true]);
    expect(results[4]?.map(({ isError }) => isError)).toEqual([true]);
  });

  it('not in the next prompt of the same session', async () => {
    const place = await skillsPlace();
    await place.write({ 'user/.claude/skills/more/SKILL.md': skillFile({ 'allowed-tools': 'Bash(touch *)' }) });
    const model = scriptedModel([callSkill('more'), touch('a'), text('ok'), touch('b'), text('ok')]);
    const options: Options = { ...place.options, provider: model, allowedTools: ['Skill'] };
    const engine = new QueryEngine(await resolveOptions(options, place.host));
    onTestFinished(() => engine.close());
    for (const prompt of ['Go.', 'Again.']) await collect(engine.submitMessage(prompt));
    expect(model.requests.map((request) => lastResults(request)[0]?.isError ?? null)).toEqual([
      null,
      false,
      false,
      null,
      true,
    ]);
  });

  it('a person who allows the call sees what it allows', async () => {
    const place = await skillsPlace();
    await place.write({ 'user/.claude/skills/more/SKILL.md': skillFile({ 'allowed-tools': 'Bash(touch *)' }) });
    const titles: (string | undefined)[] = [];
    const canUseTool: Options['canUseTool'] = async (tool, input, { title }) => {
      titles.push(title);
      return tool === 'Skill' ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: 'no' };
    };
    const { results } = await talk(place, 'Go.', [callSkill('more', 'x'), touch('a'), text('done')], { canUseTool });
    expect(results.slice(1).map((each) => each[0]?.isError)).toEqual([false, false]);
    expect(JSON.stringify(titles)).toContain('more x (then without asking: Bash(touch *))');
  });

  it('what a skill allows a subagent ends with the subagent, and what it allows the session is not the subagent’s', async () => {
    const place = await skillsPlace();
    await place.write({ 'user/.claude/skills/more/SKILL.md': skillFile({ 'allowed-tools': 'Bash(touch *)' }) });
    const agent = (prompt: string) => toolCall('Agent', { description: 'help', prompt });
    const canUseTool: Options['canUseTool'] = async (tool, input) =>
      tool === 'Skill' ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: 'no' };
    const steps = [
      agent('One.'),
      callSkill('more'),
      touch('a'),
      text('ok'),
      touch('b'),
      callSkill('more'),
      agent('Two.'),
      touch('c'),
      text('ok'),
      touch('d'),
      text('done'),
    ];
    const { results } = await talk(place, 'Go.', steps, { canUseTool });
    expect(results.map((each) => each[0]?.isError ?? null)).toEqual([
      null,
      null,
      false,
      false,
      false,
      true,
      false,
      null,
      true,
      false,
      false,
    ]);
  });
});

describe('trust', () => {
  const FILES = {
    'repo/.claude/skills/fix/SKILL.md': skillFile({ 'allowed-tools': 'Bash(touch *)' }, 'Fix it.'),
    'repo/.claude/skills/fix/scripts/run.sh': 'echo 1\n',
  };

  it('a skill of a folder that nobody vouches for is not there, and that is told', async () => {
    const place = await skillsPlace();
    await place.write(FILES);
    const { model, messages, notices } = await talk(place, 'Go.', [text('ok')]);
    expect(messages[0]).toMatchObject({ skills: [] });
    expect(offeredSkills(model.requests[0])).toBeNull();
    expect(JSON.stringify(model.requests)).not.toContain('Fix it.');
    expect(notices.map(({ code, message, remedy }) => [code, message, remedy])).toEqual([
      [
        'folder_not_trusted',
        `Nobody vouches for ${place.cwd}, so these skills of it are not there: fix.`,
        expect.stringContaining('--trust'),
      ],
    ]);
    expect(lastResult((await talk(place, '/fix', [])).messages).result).toMatch(/no command \/fix/);
    expect((await talk(place, 'Go.', [text('ok')], { settingSources: ['user'] })).notices).toEqual([]);
  });

  it('is given to every file as it stands: one byte, one file more or less, asks again', async () => {
    const place = await skillsPlace();
    await place.write(FILES);
    const isThere = async () => {
      const { messages } = await talk(place, 'Go.', [text('ok')]);
      const [init] = messages;
      return init?.type === 'system' && init.subtype === 'init' && init.skills.length === 1;
    };
    const trust = async () => (await untrustedFolder(place.host, place.cwd, {}))?.trust();
    const folder = path.join(place.cwd, '.claude/skills/fix');
    const changes: readonly (() => Promise<unknown>)[] = [
      () => writeFile(path.join(folder, 'scripts/run.sh'), 'echo 2\n'),
      () => writeFile(path.join(folder, 'SKILL.md'), `${FILES['repo/.claude/skills/fix/SKILL.md']} `),
      () => writeFile(path.join(folder, 'more.md'), ''),
      () => rm(path.join(folder, 'scripts/run.sh')),
    ];
    expect(await isThere()).toBe(false);
    for (const change of changes) {
      await trust();
      expect(await isThere()).toBe(true);
      await change();
      expect(await isThere()).toBe(false);
      // What it was before is not trusted for good: what it is now has to be asked about.
      expect((await untrustedFolder(place.host, place.cwd, {}))?.skills).toHaveLength(1);
    }
  });

  it('whoever is asked sees what the skill is for, what it allows, and which files', async () => {
    const place = await skillsPlace();
    await place.write(FILES);
    const folder = await untrustedFolder(place.host, place.cwd, {});
    expect(folder).toMatchObject({ root: place.cwd, settings: [], git: [] });
    expect(folder?.skills).toEqual([
      {
        file: path.join(place.cwd, '.claude/skills/fix/SKILL.md'),
        key: 'skill fix',
        value: {
          name: 'fix',
          description: 'Does it',
          allowedTools: ['Bash(touch *)'],
          files: 2,
          bytes: expect.any(Number),
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        files: [],
      },
    ]);
    expect(await untrustedFolder(place.host, place.cwd, { settingSources: ['project'] })).toBeNull();
  });

  it('a skill that changes while the session runs is not loaded, unless the host vouches for the folder', async () => {
    const place = await skillsPlace();
    await place.write(FILES);
    await (await untrustedFolder(place.host, place.cwd, {}))?.trust();
    const script = path.join(place.cwd, '.claude/skills/fix/scripts/run.sh');
    const changing = (isChanged: boolean): Options => ({
      allowedTools: ['Skill'],
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async () => {
                await writeFile(script, isChanged ? 'rm -rf /\n' : 'echo 1\n');
                return {};
              },
            ],
          },
        ],
      },
    });
    const kept = await talk(place, 'Go.', [callSkill('fix'), touch('a'), text('ok')], changing(false));
    expect(kept.results.slice(1).map((each) => each[0]?.isError)).toEqual([false, false]);
    const changed = await talk(place, 'Go.', [callSkill('fix'), touch('b'), text('ok')], changing(true));
    expect(changed.results.slice(1).map((each) => each[0]?.isError)).toEqual([true, true]);
    expect(changed.results[1]?.[0]?.text).toContain('a file of it is not as somebody vouched for it');
    await writeFile(script, 'echo 1\n');
    const granted = await talk(place, 'Go.', [callSkill('fix'), text('ok')], { ...changing(true), ...GRANTED });
    expect(granted.results[1]?.[0]?.isError).toBe(false);
  });

  it('if trust cannot be read, nobody is trusted', async () => {
    const place = await skillsPlace();
    await place.write(FILES);
    await (await untrustedFolder(place.host, place.cwd, {}))?.trust();
    await chmod(path.join(place.home, 'trust.json'), 0o666);
    const { messages } = await talk(place, 'Go.', [text('ok')]);
    expect(messages[0]).toMatchObject({ skills: [] });
  });
});

describe('agents', () => {
  const agents = { fixer: { description: 'Fixes', prompt: 'You fix.', skills: ['fix', 'nope'], tools: ['Read'] } };

  it('work by the skills of their definition, and have the tool if it says so', async () => {
    const place = await skillsPlace();
    await place.write({ 'user/.claude/skills/fix/SKILL.md': skillFile({ 'allowed-tools': 'Bash' }, 'Fix it so.') });
    const call = toolCall('Agent', { description: 'fix', prompt: 'Fix a.', subagent_type: 'fixer' });
    const { model, notices } = await talk(place, 'Go.', [call, text('fixed'), text('done')], { agents });
    expect(model.requests.slice(0, 2).map(offeredSkills)).toEqual([['fix'], null]);
    expect(JSON.stringify(model.requests[1]?.system)).toContain('Fix it so.');
    expect(notices.map(({ code, message }) => [code, message])).toEqual([
      ['skill_problem', 'agents.fixer: this session has no skill nope, so naming it has no effect.'],
    ]);
  });

  it('the session’s own agent works by its skills too', async () => {
    const place = await skillsPlace();
    await place.write({ 'user/.claude/skills/fix/SKILL.md': skillFile({}, 'Fix it so.') });
    const { model } = await talk(place, 'Go.', [text('done')], { agents, agent: 'fixer' });
    expect(JSON.stringify(model.requests[0]?.system)).toContain('Fix it so.');
  });

  it('an agent whose skill is not to be had any more is told so, and so is who watches', async () => {
    const place = await skillsPlace();
    await place.write({ 'user/.claude/skills/fix/SKILL.md': skillFile({}, 'Fix it so.') });
    const call = toolCall('Agent', { description: 'fix', prompt: 'Fix a.', subagent_type: 'fixer' });
    const hooks: Options['hooks'] = {
      PreToolUse: [
        {
          hooks: [
            async () => {
              await rm(path.join(place.homedir, '.claude'), { recursive: true });
              return {};
            },
          ],
        },
      ],
    };
    const { model, notices } = await talk(place, 'Go.', [call, text('fixed'), text('done')], { agents, hooks });
    expect(JSON.stringify(model.requests[1]?.system)).toContain('The skill fix was not loaded: it has no SKILL.md.');
    expect(notices.map(({ message }) => message)).toContainEqual(
      'The agent fixer works without a skill. The skill fix was not loaded: it has no SKILL.md.',
    );
  });
});
