// Fields that models and clients send by habit: taken, or refused in words that say which and what to do instead.
import { describe, expect, it } from 'vitest';
import { describeProblems } from '../../../src/engine/calls/execute-tool.js';
import { createJsonValidator } from '../../../src/engine/output/validate-json.js';
import { collect } from '../../../src/testing/model/collect.js';
import { text, toolCall } from '../../../src/testing/model/script.js';
import { scriptedModel } from '../../../src/testing/model/scripted-model.js';
import { createAskUserQuestion } from '../../../src/tools/ask-user-question.js';
import { getTools } from '../../../src/tools/builtin.js';
import { exitPlanModeTool } from '../../../src/tools/plan-mode.js';
import { createSkillTool } from '../../../src/tools/skill.js';
import type { AnyTool } from '../../../src/tools/tool.js';
import { testEngine } from '../../support/engine.js';
import { createToolContext } from '../../support/tool-context.js';

const library = { skills: [], load: async () => ({ text: '', folder: '', allowedTools: [], hooks: null }) };
const TOOLS: readonly AnyTool[] = [
  ...(await getTools()),
  createAskUserQuestion(),
  exitPlanModeTool,
  createSkillTool(library),
];
const toolOf = (name: string) => TOOLS.find((tool) => tool.name === name) as AnyTool;
const validate = createJsonValidator();

async function problemOf(name: string, input: unknown): Promise<string | null> {
  const tool = toolOf(name);
  const schema = tool.acceptedInput ?? tool.inputSchema;
  const problems = await validate(input, schema);
  return problems.length === 0 ? null : describeProblems(input, tool, schema, problems, validate);
}

const QUESTION = { question: 'Which?', header: 'A', options: [{ label: 'a', description: 'b' }], multiSelect: false };

describe('fields that published clients send', () => {
  it.each([
    [
      'Bash',
      { command: 'ls', description: 'List', timeout: 1, run_in_background: false, dangerouslyDisableSandbox: false },
    ],
    ['Read', { file_path: 'a', offset: 1, limit: 2, pages: '1-2' }],
    ['Write', { file_path: 'a', content: '' }],
    ['Edit', { file_path: 'a', old_string: 'a', new_string: 'b', replace_all: false }],
    ['Glob', { pattern: '*', path: '.' }],
    ['Grep', { pattern: 'a', path: '.', glob: '*', type: 'ts', output_mode: 'content', multiline: true }],
    ['Grep', { pattern: 'a', '-A': 1, '-B': 1, '-C': 1, context: 1, '-n': true, '-i': true, head_limit: 1, offset: 0 }],
    ['NotebookEdit', { notebook_path: 'a', cell_id: 'a', cell_type: 'code', new_source: '', edit_mode: 'replace' }],
    ['TodoWrite', { todos: [{ content: 'a', status: 'in_progress', activeForm: 'b' }] }],
    ['TodoWrite', { todos: [{ id: '1', content: 'a', status: 'pending', priority: 'high' }] }],
    [
      'Agent',
      { description: 'a', prompt: 'b', subagent_type: 'c', model: 'opus', effort: 'low', run_in_background: false },
    ],
    ['AskUserQuestion', { questions: [QUESTION], metadata: { source: 'a' } }],
    ['ExitPlanMode', { plan: 'a', allowedPrompts: [{ tool: 'Bash', prompt: 'run tests' }] }],
    ['ExitPlanMode', {}],
    ['TaskOutput', { task_id: 'b1', block: true, timeout: 5 }],
    ['TaskOutput', { bash_id: 'b1' }],
    ['TaskStop', { shell_id: 'b1' }],
    ['Skill', { skill: 'a', args: 'b' }],
  ])('are taken by %s: %o', async (name, input) => {
    expect(await problemOf(name, input)).toBeNull();
  });

  const refused = TOOLS.flatMap(({ name, otherFields = {} }) =>
    Object.entries(otherFields).map(([field, hint]) => [name, field, hint] as const),
  );
  it.each(refused)('or refused by %s in words: %s', async (name, field, hint) => {
    const valid: Readonly<Record<string, object>> = {
      Bash: { command: 'ls' },
      Read: { file_path: 'a' },
      Write: { file_path: 'a', content: '' },
      Edit: { file_path: 'a', old_string: 'a', new_string: 'b' },
      Grep: { pattern: 'a' },
      NotebookEdit: { notebook_path: 'a', new_source: '' },
      Agent: { description: 'a', prompt: 'b' },
      AskUserQuestion: { questions: [QUESTION] },
      TaskOutput: { task_id: 'b1' },
      Skill: { skill: 'a' },
    };
    expect(await problemOf(name, { ...valid[name], [field]: {} })).toBe(
      `The input of ${name} is not valid, so nothing ran: there is no field "${field}" here: ${hint}.`,
    );
  });

  it('cover every tool that other packages have more fields of', () => {
    const names = new Set(refused.map(([name]) => name));
    for (const name of ['Agent', 'Bash', 'Grep', 'NotebookEdit', 'Read', 'TaskOutput']) expect(names).toContain(name);
  });
});

describe('what is wrong with an input', () => {
  it('names a field that is not there, and those that are', async () => {
    const text = await problemOf('Glob', { pattern: '*', recursive: true });
    expect(text).toBe(
      'The input of Glob is not valid, so nothing ran: there is no field "recursive" here. Fields of Glob: pattern, path.',
    );
    expect(await problemOf('TodoWrite', { todos: [{ text: 'a', status: 'pending' }] })).toMatch(
      /todos\.0: there is no field "text" here.*todos\.0: "content" is missing|todos\.0: "content" is missing.*todos\.0: there is no field "text" here/,
    );
  });

  it('names a field that is missing beside one that is refused', async () => {
    const text = await problemOf('Agent', { team_name: 'a1' });
    expect(text).toContain('there is no field "team_name" here: there are no teams');
    expect(text).toContain('"prompt" is missing');
  });
});

it('a plan that asks for commands beforehand is told that none is allowed', async () => {
  const input = { plan: 'Do it.', allowedPrompts: [{ tool: 'Bash', prompt: 'run tests' }] };
  const { model } = await exitPlanModeTool.run(input, createToolContext());
  expect(model).toMatch(/Do it\.\n\n\(allowedPrompts has no effect/);
});

it('a tool that is called by the name of other packages is named', async () => {
  const model = scriptedModel([toolCall('BashOutput', { bash_id: 'b1' }), toolCall('Odd', {}), text('ok')]);
  const { engine } = await testEngine(model, { tools: await getTools() });
  await collect(engine.submitMessage('go'));
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain(
    'There is no tool BashOutput. Here it is called TaskOutput.',
  );
  expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain('There is no tool Odd. Available: ');
});
