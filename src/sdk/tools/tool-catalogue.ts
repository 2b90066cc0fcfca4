// Every built-in tool there is: what it does, what decides about its calls, and when a session has it. For people; made of
// the tools' own definitions.

import { createResourceTools } from '../../mcp/resource-tools.js';
import type { JsonSchema } from '../../protocol/json.js';
import { createAskUserQuestion } from '../../tools/ask-user-question.js';
import { getTools } from '../../tools/builtin.js';
import { createConfigTool } from '../../tools/config.js';
import { enterPlanModeTool, exitPlanModeTool } from '../../tools/plan-mode.js';
import { createRunScript } from '../../tools/run-script.js';
import { createSkillTool } from '../../tools/skill.js';
import { TASK_LIST_TOOLS } from '../../tools/task-list.js';
import type { AnyTool, ToolSubject } from '../../tools/tool.js';
import { createToolSearch } from '../../tools/tool-search.js';
import { createUpdateGoal } from '../../tools/update-goal.js';
import { webSearchTool } from '../../tools/web-search.js';

export interface ListedTool {
  readonly name: string;
  /** As the model is told. */
  readonly description: string;
  /** What decides about a call, in one clause. */
  readonly permission: string;
  /** When a session has it; null: always. */
  readonly offered: string | null;
  /** True for one that is found by search if tools are deferred. */
  readonly isRare: boolean;
  readonly inputSchema: JsonSchema;
}

const unused = async (): Promise<never> => {
  throw new Error('A tool of the catalogue does not run.');
};

/** Those that not every session has, with when. */
const SOMETIMES: readonly (readonly [tool: AnyTool, offered: string])[] = [
  [
    createAskUserQuestion(undefined),
    'somebody can answer: at a terminal, `onElicitation`, `canUseTool`, or `tools` names it',
  ],
  [createSkillTool({ skills: [], load: unused }), 'there are skills'],
  [enterPlanModeTool, 'a person follows the session (`isNonInteractiveSession: false`), or `tools` names it'],
  [exitPlanModeTool, 'the session is in mode plan and somebody can approve a plan, or `tools` names it'],
  [
    createConfigTool({ fileOf: (scope) => scope, read: unused, valueOf: unused, change: unused }),
    '`tools` or `allowedTools` names it',
  ],
  ...TASK_LIST_TOOLS.map((tool) => [tool, '`taskTools` is on, or `tools` names it'] as const),
  [createUpdateGoal(() => false), 'the session has, or had, a goal'],
  ...createResourceTools({ names: () => [], list: unused, read: unused }).map(
    (tool) => [tool, 'an MCP server has resources'] as const,
  ),
  [webSearchTool, 'somebody is set who searches: `web.search` or a variable, or `tools` names it'],
  [createToolSearch({ tools: [], listing: '', isLoaded: () => false }), 'tools are deferred: `toolSearch`'],
  [
    createRunScript({ tools: [], declarations: '', limits: { runMs: 0, memoryBytes: 0, outputBytes: 0 } }),
    'code mode is on: `codeMode`',
  ],
];

/** In the order in which models are told of them; then those that not every session has. */
export async function listTools(): Promise<ListedTool[]> {
  const always = (await getTools()).map((tool) => [tool, null] as const);
  return [...always, ...SOMETIMES].map(([tool, offered]) => ({
    name: tool.name,
    description: tool.description.trim(),
    permission: permissionOf(tool),
    offered,
    isRare: tool.deferrable === 'rare',
    inputSchema: tool.inputSchema,
  }));
}

/** A value for every field by which a tool may say what a call is about. */
const SAMPLE = {
  action: 'set',
  agent: 'a',
  args: '',
  command: 'ls',
  description: 'x',
  file_path: 'a',
  notebook_path: 'a',
  path: 'a',
  pattern: 'a',
  plan: 'a',
  prompt: 'a',
  query: 'a',
  questions: [],
  skill: 'a',
  subject: 'a',
  taskId: 'a',
  task_id: 'a',
  todos: [],
  url: 'https://example.com/',
};

function permissionOf(tool: AnyTool): string {
  if (tool.exitsPlan === true) return 'the user approves each plan';
  if (tool.entersPlan === true) return 'the user is asked about each call';
  if (tool.confines !== undefined) return 'a look is free; each change is asked about, in every mode';
  if (tool.asksUser === true) return 'it is itself a question to the user';
  const subject: ToolSubject = tool.subject(SAMPLE as never, '/');
  switch (subject.kind) {
    case 'command':
      return 'by what the command would do: reading is free, the rest is asked about';
    case 'path':
      return subject.access === 'read'
        ? 'free inside the workspace, asked about outside'
        : 'asked about; free in the workspace with `acceptEdits`';
    case 'url':
      return 'by the address: asked about unless a rule allows its domain';
    case 'name':
      return 'free unless a rule speaks of the name';
    case 'external':
      return 'asked about';
    case 'none':
      if (tool.onlyReads !== undefined) return 'free if the call only reads, else asked about';
      return tool.readOnly ? 'free' : 'asked about';
    default:
      return subject satisfies never;
  }
}
