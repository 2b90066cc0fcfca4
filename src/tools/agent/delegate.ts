// Calls of Agent and SendMessage: what was asked for becomes a request, and what becomes of it a result.
import { ToolError } from '../../protocol/errors.js';
import type { AgentInput, AgentOutput, SendMessageInput, SendMessageOutput } from '../../protocol/tool-io.js';
import { shorten } from '../../util/text.js';
import type { AgentReport, AgentRequest, ToolContext, ToolOutcome } from '../tool.js';

export async function delegate(input: AgentInput, context: ToolContext): Promise<ToolOutcome<AgentOutput>> {
  const report = await spawner(context)(toRequest(input));
  const { text, agent, error, background } = report;
  if (background !== undefined) {
    const { taskId, outputFile } = background;
    const data = { result: '', agent, backgroundTaskId: taskId, ...(outputFile === null ? {} : { outputFile }) };
    return { model: startedText(report), data };
  }
  if (error === null) return { model: text, data: { result: text, agent } };
  const data = { result: text, agent, error } satisfies AgentOutput;
  const told = explain(report);
  // After an interrupt, what is told of the call begins with that.
  if (context.signal.aborted) throw new ToolError(told, data);
  return { model: told, data, isError: true };
}

/** To an agent that works, or that ended and goes on with it. */
export async function sendMessage(
  { to, message }: SendMessageInput,
  context: ToolContext,
): Promise<ToolOutcome<SendMessageOutput>> {
  if (message.trim() === '') throw new ToolError('The message is empty. Say what the agent should know or do.');
  const report = await spawner(context)({ ...plainRequest(message), to, background: true });
  if (report.isHeard === true)
    return { model: `The agent ${report.agentId} hears it at its next turn.`, data: { success: true, to } };
  return {
    model: `It had ended, and goes on with your message. ${startedText(report)}`,
    data: { success: true, to, resumed: true },
  };
}

function spawner({ spawnAgent }: ToolContext): NonNullable<ToolContext['spawnAgent']> {
  if (spawnAgent !== undefined) return spawnAgent;
  throw new ToolError('No more agents can be started here. Do the task yourself, with the tools you have.');
}

/** How it begins is what a resumed session finds its tasks by. */
function startedText({ agent, background }: AgentReport): string {
  const { taskId = '', outputFile = null } = background ?? {};
  const where = outputFile === null ? 'TaskOutput' : `TaskOutput, or the file ${outputFile}`;
  return `Started in the background as task ${taskId}. It is the agent ${agent}. You are told when it ends, with its report, so go on with other work. What it says meanwhile: ${where}. SendMessage tells it more; TaskStop stops it.`;
}

function plainRequest(prompt: string): AgentRequest {
  return { agent: null, prompt, description: shorten(prompt, 60) };
}

function toRequest(input: AgentInput): AgentRequest {
  const { prompt, description, model, effort, timeout_ms: timeoutMs, run_in_background: background } = input;
  const { name, isolation, resume: to } = input;
  if (prompt.trim() === '') throw new ToolError('The prompt is empty. Say what the agent is to do.');
  return {
    agent: nameOf(input),
    prompt,
    description: shorten(description ?? '', 200) || shorten(prompt, 60),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(name === undefined ? {} : { name }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(to === undefined ? {} : { to }),
    // A definition may say so itself, so only a true one counts.
    ...(background === true ? { background } : to === undefined ? {} : { background: false }),
  };
}

/** Null if no agent is named. @throws ToolError if two are */
function nameOf({ subagent_type: type, agent }: AgentInput): string | null {
  if (type !== undefined && agent !== undefined && type !== agent)
    throw new ToolError(`subagent_type says "${type}" and agent says "${agent}". Name one agent.`);
  return type ?? agent ?? null;
}

function explain({ agent, text, error }: AgentReport): string {
  const heading = `The agent ${agent} did not finish. ${error ?? ''}`;
  return text === '' ? `${heading} It said nothing.` : `${heading} What it said last:\n\n${text}`;
}
