// One call of Agent: what was asked for becomes a request, and the agent's report a result.
import { ToolError } from '../../protocol/errors.js';
import type { AgentInput, AgentOutput } from '../../protocol/tool-io.js';
import { shorten } from '../../util/text.js';
import type { AgentReport, AgentRequest, ToolContext, ToolOutcome } from '../tool.js';

export async function delegate(input: AgentInput, context: ToolContext): Promise<ToolOutcome<AgentOutput>> {
  if (context.spawnAgent === undefined)
    throw new ToolError('No more agents can be started here. Do the task yourself, with the tools you have.');
  const report = await context.spawnAgent(toRequest(input));
  const { text, agent, error } = report;
  if (error === null) return { model: text, data: { result: text, agent } };
  const data = { result: text, agent, error } satisfies AgentOutput;
  const told = explain(report);
  // After an interrupt, what is told of the call begins with that.
  if (context.signal.aborted) throw new ToolError(told, data);
  return { model: told, data, isError: true };
}

function toRequest(input: AgentInput): AgentRequest {
  const { prompt, description, model, effort, timeout_ms: timeoutMs } = input;
  if (input.run_in_background === true)
    throw new ToolError(
      'Agents cannot run in the background. Leave run_in_background out; several calls in one reply run at the same time.',
    );
  if (prompt.trim() === '') throw new ToolError('The prompt is empty. Say what the agent is to do.');
  return {
    agent: nameOf(input),
    prompt,
    description: shorten(description ?? '', 200) || shorten(prompt, 60),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** Null where no agent is named. @throws ToolError where two are */
function nameOf({ subagent_type: type, agent }: AgentInput): string | null {
  if (type !== undefined && agent !== undefined && type !== agent)
    throw new ToolError(`subagent_type says "${type}" and agent says "${agent}". Name one agent.`);
  return type ?? agent ?? null;
}

function explain({ agent, text, error }: AgentReport): string {
  const heading = `The agent ${agent} did not finish. ${error ?? ''}`;
  return text === '' ? `${heading} It said nothing.` : `${heading} What it said last:\n\n${text}`;
}
