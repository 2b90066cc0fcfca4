// The tools of a session without those of MCP servers: those it was given, and the model's way to ask the user where
// somebody can answer. What most sessions do not need is loaded for those that do.
import type { Tools } from '../../tools/tool.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { OpenedTools } from './opened-tools.js';

export async function openTools(config: QueryEngineConfig): Promise<OpenedTools> {
  return firstOfEachName(await inNewWords(await withQuestions(config)));
}

/** No API takes two tools of one name. */
function firstOfEachName(tools: Tools): Pick<OpenedTools, 'tools' | 'notices'> {
  const names = new Set<string>();
  const kept = tools.filter(({ name }) => !names.has(name) && names.add(name));
  if (kept.length === tools.length) return { tools, notices: [] };
  const taken = new Set(tools.filter((tool) => !kept.includes(tool)).map(({ name }) => name));
  const notices = [...taken].map((name) => ({
    code: 'tool_name_taken' as const,
    message: `More than one tool is named ${name}: the first of them counts, the others are left out.`,
    remedy: 'Give each tool a name of its own.',
  }));
  return { tools: kept, notices };
}

async function withQuestions({ tools, handleElicitation }: QueryEngineConfig): Promise<Tools> {
  if (handleElicitation === undefined || tools.some((tool) => tool.asksUser === true)) return tools;
  const { createAskUserQuestion } = await import('../../tools/ask-user-question.js');
  return [...tools, createAskUserQuestion()];
}

/** Model APIs know no draft before 4. */
async function inNewWords(tools: Tools): Promise<Tools> {
  if (!tools.some(({ inputSchema }) => /draft-0[0-3]/.test(String(inputSchema.$schema ?? '')))) return tools;
  const { modernSchema } = await import('../../util/old-json-schema.js');
  return tools.map((tool) => ({ ...tool, inputSchema: modernSchema(tool.inputSchema) as typeof tool.inputSchema }));
}
