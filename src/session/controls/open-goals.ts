// The goals of one session, opened with the first word about one: its state, the tool by which the model says that it is
// reached, and the line that a resume reads.
import { inheritTools } from '../../subagents/inherit.js';
import { createUpdateGoal, UPDATE_GOAL_TOOL } from '../../tools/update-goal.js';
import type { Session, SessionRuntime } from '../core/index.js';
import { createSessionGoals, type SessionGoals } from '../goals/index.js';
import { stateLine } from '../prompt/index.js';

/** Once for a session. @throws ConfigError where `goalMaxTurns` is no number of turns */
export function openGoals(session: Session, runtime: SessionRuntime): SessionGoals {
  const { memory, config, host } = session;
  const { transcript, provenance } = runtime;
  memory.goals ??= createSessionGoals({
    host,
    maxTurns: config.goalMaxTurns,
    restored: config.resumedState?.goal,
    tell: runtime.tell,
    changed: () => {
      session.queue.nudge();
      if (memory.isPromptRunning !== true)
        transcript.annotate(stateLine(session, transcript, provenance?.sources)).catch(() => undefined); // the next prompt tells
    },
  });
  offerTool(session, runtime, memory.goals);
  return memory.goals;
}

/** It stays, since a list of tools that changes to and fro would be read anew each time. */
function offerTool({ config, depth }: Session, runtime: SessionRuntime, goals: SessionGoals): void {
  if (depth > 0 || runtime.setup.tools.some(({ name }) => name === UPDATE_GOAL_TOOL)) return;
  const tool = createUpdateGoal((status, reason) => goals.report(status, reason));
  const type = runtime.agents.types.find(({ name }) => name === config.agent);
  const added = type === undefined ? [tool] : inheritTools([tool], type, true);
  if (added.length > 0) runtime.setup = { ...runtime.setup, tools: [...runtime.setup.tools, ...added] };
}
