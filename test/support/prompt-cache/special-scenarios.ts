// More sessions for the simulated prompt cache: what hosts add, tools that come and go, agents, budgets, media, values. The
// rule is that of `scenarios.ts`.

import type { Options } from '../../../src/sdk/options/options.js';
import { createSdkMcpServer, tool } from '../../../src/sdk/tools/tool.js';
import { reply, text, thinking, toolCall } from '../../../src/testing/model/script.js';
import type { ScriptedFunction } from '../../../src/testing/model/scripted-model.js';
import { imageOf, pngBytes } from '../media.js';
import { endsWithResult, prompts, readFile, reading, type Scenario, summarising } from './scenarios.js';
import { rounds, type Stage } from './stage.js';

const resume = (stage: Stage): Options => ({ resume: stage.last.sessionId });
const adding = (additionalContext: string) => async () => ({
  hookSpecificOutput: { hookEventName: 'UserPromptSubmit' as const, additionalContext },
});

/** A server in this process with tools of these names. */
function server(name: string, tools: readonly string[]) {
  const made = tools.map((one) =>
    tool(one, `${one} of ${name}. ${'It does what its name says. '.repeat(12)}`, {}, async () => ({
      content: [{ type: 'text' as const, text: `${one} was done` }],
    })),
  );
  return createSdkMcpServer({ name, tools: made });
}

const skillOf = (what: string) => `---\ndescription: ${what} the code\n---\n${`${what} it with care. `.repeat(60)}\n`;

async function writeSkills({ host }: Stage): Promise<void> {
  for (const name of ['review', 'deploy'])
    await host.fs.writeFileAtomic(`/home/user/.turnwright/skills/${name}/SKILL.md`, skillOf(name));
}

const ADDED: readonly Scenario[] = [
  {
    name: 'texts looked up for each prompt',
    run: async (stage, scale) => {
      const prefetch = async ({ text: asked }: { text: string }) => [`Of use for "${asked}": ${'a note. '.repeat(40)}`];
      await stage.talk(Array(scale).fill(prompts(3)).flat(), reading(2), { prefetch });
      await stage.talk(['Go on.'], reading(2), { ...resume(stage), prefetch });
    },
  },
  {
    name: 'skills that the model and the user call, also when resumed',
    run: async (stage, scale) => {
      await writeSkills(stage);
      const calling = () => rounds(3, (n) => (n === 1 ? toolCall('Skill', { skill: 'review' }) : readFile(n)));
      await stage.talk([...Array(scale).fill(prompts(2)).flat(), '/deploy now', 'And?'], calling());
      await stage.talk(['Go on.', '/review it'], calling(), resume(stage));
    },
  },
  {
    name: 'a skill more when resumed',
    breaks: ['tools'],
    run: async (stage) => {
      await writeSkills(stage);
      await stage.talk(prompts(2), reading(1));
      await stage.host.fs.writeFileAtomic('/home/user/.turnwright/skills/more/SKILL.md', skillOf('More'));
      await stage.talk(prompts(2), reading(1), resume(stage));
    },
  },
  {
    name: 'texts looked up only now and then',
    run: (stage) =>
      stage.talk(prompts(5), reading(1), {
        prefetch: async ({ text: asked }) => (asked.includes('3') ? ['A note.'] : []),
      }),
  },
  {
    name: 'a hook adds to each prompt',
    run: async (stage) => {
      let n = 0;
      const hooks: Options['hooks'] = { UserPromptSubmit: [{ hooks: [() => adding(`The time is ${n++}.`)()] }] };
      await stage.talk(prompts(3), reading(2), { hooks });
      await stage.talk(prompts(2), reading(2), { ...resume(stage), hooks });
    },
  },
  {
    name: 'a hook adds to the start, also when resumed',
    run: async (stage) => {
      let n = 0;
      const start = async () => ({
        hookSpecificOutput: { hookEventName: 'SessionStart' as const, additionalContext: `Start ${n++}.` },
      });
      const hooks: Options['hooks'] = { SessionStart: [{ hooks: [start] }] };
      await stage.talk(prompts(2), reading(2), { hooks });
      await stage.talk(prompts(2), reading(2), { ...resume(stage), hooks });
    },
  },
  {
    name: 'a hook adds to results of tools',
    run: (stage) => {
      const after = async () => ({
        hookSpecificOutput: { hookEventName: 'PostToolUse' as const, additionalContext: 'Mind the gap.' },
      });
      return stage.talk(prompts(2), reading(4), { hooks: { PostToolUse: [{ hooks: [after] }] } });
    },
  },
  {
    name: 'a hook lets the model go on',
    run: (stage) => {
      let n = 0;
      const stop = async () => (n++ % 2 === 0 ? { decision: 'block' as const, reason: `Not done, ${n}.` } : {});
      return stage.talk(prompts(3), reading(1), { hooks: { Stop: [{ hooks: [stop] }] } });
    },
  },
  {
    name: 'another mode between prompts',
    run: (stage) =>
      stage.talk(
        [
          'One?',
          (session) => session.setPermissionMode('plan'),
          'Two?',
          (session) => session.setPermissionMode('acceptEdits'),
          'Three?',
        ],
        reading(2),
      ),
  },
  {
    name: 'another mode when resumed',
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1), { permissionMode: 'plan' });
      await stage.talk(prompts(2), reading(1), { ...resume(stage), permissionMode: 'acceptEdits' });
    },
  },
  {
    name: 'the branch changes between prompts',
    run: (stage) => {
      stage.host.fs.addFile('/project/.git/HEAD', 'ref: refs/heads/main\n');
      const change = (branch: string) => () =>
        stage.host.fs.writeFileAtomic('/project/.git/HEAD', `ref: refs/heads/${branch}\n`);
      return stage.talk(['One?', change('next'), 'Two?', change('main'), 'Three?'], reading(1));
    },
  },
  {
    name: 'the instructions of the project change',
    run: (stage) => {
      stage.host.fs.addFile('/project/AGENTS.md', 'Write tests.\n');
      const change = () => stage.host.fs.writeFileAtomic('/project/AGENTS.md', 'Write tests, and run them.\n');
      return stage.talk(['One?', change, 'Two?', 'Three?'], reading(1));
    },
  },
  {
    name: 'a file appears beside the others',
    run: (stage) =>
      stage.talk(['One?', () => stage.host.fs.writeFileAtomic('/project/new.txt', 'x'), 'Two?'], reading(1)),
  },
];

const TOOLS: readonly Scenario[] = [
  {
    name: 'servers whose tools stay',
    run: async (stage) => {
      const mcpServers = { notes: server('notes', ['list', 'add']) };
      await stage.talk(
        prompts(2),
        rounds(1, () => toolCall('mcp__notes__list', {})),
        { mcpServers },
      );
      await stage.talk(prompts(2), reading(1), { ...resume(stage), mcpServers });
    },
  },
  {
    name: 'servers named in another order when resumed',
    run: async (stage) => {
      const [a, b] = [server('alpha', ['one', 'two']), server('beta', ['three'])];
      await stage.talk(prompts(2), reading(1), { mcpServers: { alpha: a, beta: b } });
      await stage.talk(prompts(2), reading(1), { ...resume(stage), mcpServers: { beta: b, alpha: a } });
    },
  },
  {
    name: 'a server with one tool more when resumed',
    breaks: ['tools'],
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1), { mcpServers: { notes: server('notes', ['list']) } });
      await stage.talk(prompts(2), reading(1), {
        ...resume(stage),
        mcpServers: { notes: server('notes', ['list', 'more']) },
      });
    },
  },
  {
    name: 'a server that is gone when resumed',
    breaks: ['tools'],
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1), { mcpServers: { notes: server('notes', ['list', 'add']) } });
      await stage.talk(prompts(2), reading(1), resume(stage));
    },
  },
  {
    name: 'built-in tools named in another order when resumed',
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1), { tools: ['Read', 'Bash', 'Edit'] });
      await stage.talk(prompts(2), reading(1), { ...resume(stage), tools: ['Edit', 'Read', 'Bash'] });
    },
  },
];

/** The session's own agent delegates in its first rounds; whoever has no such tool looks into a file and is done. */
const delegating = (width: number, times: number, what = 'part'): ScriptedFunction => {
  let left = times;
  return (request) => {
    if (!request.tools.some(({ name }) => name === 'Agent')) {
      return endsWithResult(request) ? text('Found.') : readFile(request.messages.length);
    }
    if (left-- <= 0) return text('All is done.');
    const calls = Array.from({ length: width }, (_, at) =>
      toolCall('Agent', { description: 'look', prompt: `Look into ${what} ${left}.${at}, and say what is there.` }),
    );
    return reply(...calls);
  };
};

const AGENTS: readonly Scenario[] = [
  { name: 'a subagent', begins: 2, run: (stage) => stage.talk(['Find it.', 'And?'], delegating(1, 1)) },
  { name: 'subagents one after another', begins: 4, run: (stage) => stage.talk(['Find it.'], delegating(1, 3)) },
  { name: 'three subagents at once', begins: 4, run: (stage) => stage.talk(['Find it.', 'And?'], delegating(3, 1)) },
  {
    name: 'a session with subagents is resumed',
    begins: 3,
    run: async (stage) => {
      await stage.talk(['Find it.'], delegating(1, 1));
      await stage.talk(['Find more.'], delegating(1, 1, 'page'), resume(stage));
    },
  },
  {
    name: 'a title by the model',
    begins: 2,
    run: (stage) => stage.talk(prompts(3), reading(1), { titles: 'model' }),
  },
];

const LIMITS: readonly Scenario[] = [
  {
    name: 'a task budget: the last summary may call nothing',
    breaks: ['tool_choice'],
    run: (stage) => {
      const answer: ScriptedFunction = (request) =>
        request.toolChoice === 'none'
          ? text('That far.')
          : { ...reply(readFile(request.messages.length)), usage: { output_tokens: 900 } };
      return stage.talk(['Look at all.'], answer, { taskBudget: { total: 3_000 } });
    },
  },
  {
    name: 'a budget in dollars that lasts',
    run: (stage) => stage.talk(prompts(3), reading(3), { maxBudgetUsd: 20 }),
  },
  {
    name: 'a limit of turns, then more',
    run: async (stage) => {
      await stage.talk(['Look at all.'], reading(9), { maxTurns: 3 });
      await stage.talk(['Go on.'], reading(1), resume(stage));
    },
  },
];

const image = () => imageOf(pngBytes(8, 8));

const SCHEMA = {
  type: 'object',
  properties: { count: { type: 'integer' } },
  required: ['count'],
  additionalProperties: false,
} as const;

const CONTENT: readonly Scenario[] = [
  {
    name: 'an image in the first prompt',
    run: (stage) => stage.talk([[image(), { type: 'text', text: 'What is this?' }], 'And this?', 'Why?'], reading(2)),
  },
  {
    name: 'an image in a later prompt',
    breaks: ['images'],
    run: (stage) => stage.talk(['Hello.', [image(), { type: 'text', text: 'What is this?' }], 'Why?'], reading(2)),
  },
  {
    name: 'images in every prompt, then resumed',
    run: async (stage) => {
      const shown = () => [image(), { type: 'text' as const, text: 'And this?' }];
      await stage.talk([shown(), shown(), shown()], reading(1));
      await stage.talk([shown()], reading(1), resume(stage));
    },
  },
  {
    name: 'a value through the tool',
    run: (stage) =>
      stage.talk(
        prompts(3),
        rounds(2, (n) => (n === 0 ? readFile(n) : toolCall('StructuredOutput', { count: n }))),
        {
          outputFormat: { type: 'json_schema', schema: SCHEMA },
        },
      ),
  },
  {
    name: 'values that do not fit at first',
    run: (stage) => {
      let n = 0;
      return stage.talk(prompts(2), () => toolCall('StructuredOutput', { count: n++ % 2 === 0 ? 'many' : n }), {
        outputFormat: { type: 'json_schema', schema: SCHEMA },
      });
    },
  },
  {
    name: 'a value that the API holds to the schema',
    model: { outputSchema: (_model, schema) => schema },
    run: (stage) =>
      stage.talk(prompts(3), (request) => (endsWithResult(request) ? text('{"count":1}') : readFile(0)), {
        outputFormat: { type: 'json_schema', schema: SCHEMA },
      }),
  },
  {
    name: 'a schema only when resumed',
    model: { outputSchema: (_model, schema) => schema },
    breaks: ['output_format'],
    run: async (stage) => {
      await stage.talk(prompts(2), reading(1));
      await stage.talk(['How many?'], () => text('{"count":3}'), {
        ...resume(stage),
        outputFormat: { type: 'json_schema', schema: SCHEMA },
      });
    },
  },
  {
    name: 'a long session of everything',
    breaks: ['compacted'],
    run: async (stage, scale) => {
      const options: Options = {
        thinking: { type: 'adaptive' },
        mcpServers: { notes: server('notes', ['list', 'add']) },
        prefetch: async () => ['A note that may help.'],
      };
      const answer = () =>
        summarising(rounds(4, (n) => reply(thinking(`Hm ${n}.`, `sig-${n}`), readFile(n), readFile(n + 1))));
      await stage.talk(Array(scale).fill(prompts(4)).flat(), answer(), options);
      await stage.talk(['/compact', 'Go on.', 'And?'], answer(), { ...resume(stage), ...options });
      await stage.talk(prompts(3), answer(), { ...resume(stage), ...options });
    },
  },
];

export const SPECIAL_SCENARIOS: readonly Scenario[] = [...ADDED, ...TOOLS, ...AGENTS, ...LIMITS, ...CONTENT];
