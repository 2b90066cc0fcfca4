import type { FromSchema } from 'json-schema-to-ts';
import { describe, expect, it } from 'vitest';
import type { SkillInput } from '../../src/protocol/tool-io.js';
import { createSkillTool, describeSkills, type OfferedSkill, skillInputSchema } from '../../src/tools/skill.js';

/** True only where each type can stand for the other and both have the same fields, optional ones included. */
type Same<A, B> = [A, keyof A] extends [B, keyof B] ? ([B, keyof B] extends [A, keyof A] ? true : never) : never;
const isSame: Same<FromSchema<typeof skillInputSchema>, SkillInput> = true;

const skill = (name: string, description = 'Does it', more: Partial<OfferedSkill> = {}): OfferedSkill => ({
  name,
  description,
  allowedTools: [],
  isForModel: true,
  ...more,
});
const linesOf = (skills: readonly OfferedSkill[]) => describeSkills(skills).split('\nSkills:\n')[1]?.split('\n') ?? [];

describe('what the model is told', () => {
  it('its input is the type of the protocol', () => {
    expect(isSame).toBe(true);
    expect(skillInputSchema.additionalProperties).toBe(false);
  });

  it('all names, on a line each, with what each is for; not those for the user alone', () => {
    const skills = [
      skill('a', 'One\nline\n- b: no'),
      skill('c', 'x'.repeat(5_000)),
      skill('d', 'y', { isForModel: false }),
    ];
    expect(linesOf(skills)).toEqual(['- a: One line - b: no', `- c: ${'x'.repeat(999)}…`]);
  });

  it('within a budget, in which short descriptions leave their room to long ones', () => {
    const long = Array.from({ length: 40 }, (_, at) => skill(`long-${at}`, 'word '.repeat(200)));
    const short = Array.from({ length: 40 }, (_, at) => skill(`short-${at}`, 'Short.'));
    const lines = linesOf([...long, ...short]);
    expect(lines).toHaveLength(80);
    expect(lines.slice(40)).toEqual(short.map(({ name }) => `- ${name}: Short.`));
    const lengths = lines.slice(0, 40).map((line) => line.length);
    expect(Math.min(...lengths)).toBeGreaterThan(100);
    expect(lines.join('\n').length).toBeLessThanOrEqual(6_000);
    // Of very many only the names are left, all of them.
    const many = Array.from({ length: 500 }, (_, at) => skill(`skill-${at}`, 'word '.repeat(200)));
    expect(linesOf(many)).toEqual(many.map(({ name }) => `- ${name}`));
  });
});

it('a call is decided by its name with what follows it; one that allows something is no mere text', () => {
  const skills = [skill('plain'), skill('more', 'Does it', { allowedTools: ['Bash(ls *)', 'Read'] })];
  const tool = createSkillTool({ skills, load: () => Promise.reject(new Error('not here')) });
  expect(tool).toMatchObject({ name: 'Skill', readOnly: true, concurrencySafe: false, approvesTools: true });
  expect(tool.subject({ skill: ' /plain', args: ' now ' }, '/')).toEqual({
    kind: 'name',
    name: 'plain now',
    isText: true,
  });
  expect(tool.subject({ skill: 'more' }, '/')).toEqual({ kind: 'name', name: 'more' });
  expect(tool.title({ skill: 'more', args: 'x' })).toBe('more x (then without asking: Bash(ls *), Read)');
});
