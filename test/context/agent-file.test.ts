// What files of agents say: the layouts in public use, and what is hostile. One rule: a field that confines and is not
// understood refuses its file.
import { describe, expect, it } from 'vitest';
import { readAgent } from '../../src/context/find-agents.js';

const file = (head: string, body = 'You review.') => `---\n${head}\n---\n\n${body}\n`;
const read = (head: string, body?: string) => readAgent(file(head, body), 'from-file');

async function fieldsOf(head: string) {
  const found = await read(head);
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

describe('the file of an agent', () => {
  it('is a definition with all its fields', async () => {
    const head = `name: reviewer
description: Reviews code: worst first. "Quoted" and 100 %.
tools: Read, Grep, Task, mcp__math__add
disallowedTools:
  - Write
  - Edit
model: sonnet
effort: high
permissionMode: plan
skills: lint, style
mcpServers:
  - github
  - tester:
      type: stdio
      command: npx
      args: ["-y", "tester"]
hooks:
  PreToolUse:
    - matcher: "Bash"
      hooks:
        - type: command
          command: "./check.sh"
memory: project
color: blue
background: true
isolation: worktree
initialPrompt: Begin.
maxTurns: 12
version: 1.0.0`;
    expect(await read(head)).toEqual({
      definition: {
        name: 'reviewer',
        description: 'Reviews code: worst first. "Quoted" and 100 %.',
        prompt: 'You review.',
        tools: ['Read', 'Grep', 'Agent', 'mcp__math__add'],
        disallowedTools: ['Write', 'Edit'],
        model: 'sonnet',
        effort: 'high',
        permissionMode: 'plan',
        skills: ['lint', 'style'],
        mcpServers: ['github', { tester: { type: 'stdio', command: 'npx', args: ['-y', 'tester'] } }],
        hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './check.sh' }] }] },
        memory: 'project',
        color: 'blue',
        background: true,
        isolation: 'worktree',
        initialPrompt: 'Begin.',
        maxTurns: 12,
      },
      idle: [],
    });
  });

  it('takes its name from the file if it has none', async () => {
    expect((await fieldsOf('description: Does it')).definition.name).toBe('from-file');
  });

  it.each([
    ['all tools', 'tools: "*"', undefined],
    ['all tools in words', 'tools: All tools', undefined],
    ['nothing said', 'tools:', undefined],
    ['none', 'tools: []', []],
    ['a flow list', 'tools: [Read, "Grep"]', ['Read', 'Grep']],
    ['rules in parentheses', 'tools: Bash(git log:*, git diff), Read', ['Bash', 'Read']],
  ])('understands tools: %s', async (_, line, tools) => {
    expect((await fieldsOf(`description: d\n${line}`)).definition['tools']).toEqual(tools);
  });

  it('tells what has no effect', async () => {
    const { idle } = await fieldsOf('description: d\ntools: Bash(git log:*)\nfrobnicate: {a: 1}\nmodel: [a');
    expect(idle).toEqual([
      'tools takes names alone, so what stands in parentheses is left out: Bash(git log:*)',
      'there is no field frobnicate',
      'line 5 of it: model begins with [: put it in quotes',
    ]);
  });

  it('keeps long descriptions with examples, as assistants write them', async () => {
    const description = String.raw`Use this agent when code was written.\n\n<example>\nuser: "Write it"\nassistant: "Now the reviewer."\n</example>`;
    expect((await fieldsOf(`description: ${description}`)).definition['description']).toBe(description);
    expect((await fieldsOf('description: |\n  Reviews.\n  <example>\n  user: "x"')).definition['description']).toBe(
      'Reviews. <example> user: "x"',
    );
  });

  it.each([
    ['no front matter', '# Notes', 'it has no front matter, so it is no agent'],
    ['no description', file('name: a'), 'it has no description: write one between --- lines at its beginning'],
    ['no text', file('description: d', ''), 'it has no text below its front matter, which would be its system prompt'],
    [
      'turns that are none',
      file('description: d\nmaxTurns: many'),
      'line 3 of it: maxTurns must be a whole number of at least 1',
    ],
    [
      'tools that are none',
      file('description: d\ntools: {a: 1}'),
      'line 3 of it: tools begins with {: put it in quotes',
    ],
    [
      'a list that is not closed',
      file('description: d\ndisallowedTools: [Write'),
      /disallowedTools is a list that is not closed/,
    ],
    [
      'a flag that is none',
      file('description: d\nbackground: maybe'),
      'line 3 of it: background must be true or false',
    ],
    [
      'a bomb of brackets',
      file(`description: d\nhooks: ${'['.repeat(9_000)}`),
      'line 3 of it: hooks is nested too deep',
    ],
    [
      'a bomb of dashes',
      file(`description: d\nmcpServers:\n  ${'- '.repeat(3_000)}a`),
      'line 3 of it: mcpServers is nested too deep',
    ],
    ['aliases', file('description: d\nhooks:\n  a: &a [1]\n  b: *a'), 'line 3 of it: hooks refers to parts of itself'],
    ['16 KB', file(`description: ${'a'.repeat(17_000)}`), 'its front matter has more than 16 KB'],
  ])('is refused for %s', async (_, text, problem) => {
    expect(await readAgent(text, 'a')).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('gives nothing to a prototype', async () => {
    const found = await fieldsOf('description: d\n__proto__: {a: 1}\nconstructor: x');
    expect(Object.keys(found.definition)).toEqual(['name', 'description', 'prompt']);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });
});
