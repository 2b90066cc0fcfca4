import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../../src/protocol/options.js';
import { builtInAgents } from '../../src/subagents/built-in-agents.js';
import {
  type DefinitionRules,
  type NamedDefinition,
  namedDefinitions,
  readAgents,
} from '../../src/subagents/definition.js';

const RULES: DefinitionRules = { allowBypass: false, toolNames: ['Agent', 'Read', 'Write'], mayNest: false };
const fine: NamedDefinition = { name: 'reviewer', description: 'Reviews.', prompt: 'You review.' };
const read = (more: object, rules: Partial<DefinitionRules> = {}) =>
  readAgents([{ ...fine, ...more }], { ...RULES, ...rules });

describe('readAgents', () => {
  it('has the built-in agents that the session has tools for, all or those that are named', () => {
    const names = (...asked: Parameters<typeof builtInAgents>) => builtInAgents(...asked).map(({ name }) => name);
    expect(names(true, ['Agent', 'Read'])).toEqual(['general-purpose', 'Explore', 'Plan']);
    expect(names(true, ['Agent', 'Write'])).toEqual(['general-purpose']);
    expect(names(['Plan'], ['Agent', 'Read'])).toEqual(['Plan']);
    expect(names(false, ['Agent', 'Read'])).toEqual([]);
  });

  it('keeps what a definition says; absent means all tools and the model of the caller', () => {
    const whole = { tools: ['Read', 'Task'], disallowedTools: ['Write'], model: 'lite', maxTurns: 3, effort: 'max' };
    expect(read({ ...whole, permissionMode: 'plan', initialPrompt: 'Begin.' }, { mayNest: true })).toMatchObject({
      agents: [{ ...whole, tools: ['Read', 'Agent'], permissionMode: 'plan', initialPrompt: 'Begin.' }],
      notices: [],
    });
    expect(read({ model: 'inherit' }).agents[0]).toEqual({
      name: 'reviewer',
      description: 'Reviews.',
      prompt: 'You review.',
      tools: null,
      disallowedTools: [],
      model: null,
      source: { scope: 'option', file: null },
    });
  });

  it.each<[given: object, problem: RegExp]>([
    [{ prompt: '  ' }, /agents\.reviewer\.prompt must be a text that is not empty/],
    [{ description: undefined }, /agents\.reviewer\.description must be a text/],
    [{ name: 'a/b' }, /cannot be named "a\/b"/],
    [{ name: '../x' }, /cannot be named/],
    [{ name: '' }, /cannot be named/],
    [{ name: 'x'.repeat(65) }, /cannot be named/],
    [{ name: undefined }, /agents\[0\] has no name/],
    [{ tools: 'Read' }, /agents\.reviewer\.tools must be a list/],
    [{ disallowedTools: [1] }, /disallowedTools must be a list/],
    [{ model: '' }, /agents\.reviewer\.model/],
    [{ maxTurns: 0 }, /maxTurns is 0/],
    [{ maxTurns: 1.5 }, /maxTurns is 1\.5/],
    [{ effort: 'huge' }, /effort is "huge"/],
    [{ permissionMode: 'free' }, /permissionMode is "free"/],
    [{ memory: 'mine' }, /memory is "mine"\. It is one of user, project, local/],
    [{ isolation: 'vm' }, /isolation is "vm"/],
    [{ background: 'yes' }, /background is "yes"\. It is true or false/],
    [{ mcpServers: [{ a: 1 }] }, /mcpServers must be a list/],
    [{ hooks: { Nonsense: [] } }, /hooks names "Nonsense"/],
    [{ permissionMode: 'yolo' }, /allowDangerouslySkipPermissions/],
    [{ permissionMode: 'bypassPermissions' }, /allowDangerouslySkipPermissions/],
  ])('refuses %j', (given, problem) => {
    expect(() => read(given)).toThrow(problem);
  });

  it('refuses what is no definition, and two of one name', () => {
    expect(() => readAgents([null as never], RULES)).toThrow(/agents\[0\] must be an object/);
    expect(() => readAgents([fine, fine], RULES)).toThrow(/Two agents are named "reviewer"/);
    expect(() => namedDefinitions({ reviewer: 'You review.' as unknown as AgentDefinition })).toThrow(
      /agents\.reviewer must be an object/,
    );
    expect(() => namedDefinitions([] as never)).toThrow(/agents must be an object/);
  });

  it('lets an agent skip questions if the host allowed that', () => {
    expect(read({ permissionMode: 'yolo' }, { allowBypass: true }).agents[0]).toMatchObject({ permissionMode: 'yolo' });
  });

  it('tells what has no effect: fields of later versions, unknown fields and tools, the tool it may not use', () => {
    const { notices } = read({
      memories: 'user',
      tools: ['Read', 'Frob', 'Agent', 'mcp__math__add'],
    });
    expect(notices.map(({ code, message }) => [code, message])).toEqual([
      ['option_without_effect', 'agents.reviewer: there is no field memories, so it has no effect.'],
      ['unknown_tool_name', 'agents.reviewer: this session has no tool Frob, so naming it has no effect.'],
      ['option_without_effect', expect.stringMatching(/names Agent, but as a subagent it may start no agents/)],
    ]);
    expect(read({ mcpServers: [], skills: [] }).notices).toEqual([]);
    expect(read({ skills: ['a', 'b'] }, { skillNames: ['b'] }).notices.map(({ message }) => message)).toEqual([
      'agents.reviewer: this session has no skill a, so naming it has no effect.',
    ]);
    expect(() => read({ skills: 'a' as never })).toThrow('agents.reviewer.skills must be a list of skill names.');
  });
});

describe('namedDefinitions', () => {
  it('takes the key as the name', () => {
    const { name: _name, ...definition } = fine;
    expect(namedDefinitions({ reviewer: definition })).toEqual([fine]);
  });
});
