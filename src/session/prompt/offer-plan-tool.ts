// A session that comes to mode plan while it lasts: from its next request on it offers the tool that shows a plan. One
// rule: it stays, since a list of tools that changes to and fro would be read anew each time.
import { inheritTools } from '../../subagents/inherit.js';
import { exitPlanModeTool } from '../../tools/plan-mode.js';
import type { FeatureParts, Runtime, Session } from '../core/index.js';
import { configureRequests } from './prepare-prompt.js';

export const parts: FeatureParts = {
  toolsAreOffered: ({ session, runtime }) => offerPlanTool(session, runtime),
  async turnBegins({ run: { session, runtime } }) {
    await configureRequests(session, runtime);
  },
};

/** Adds the tool to what the session's agent has, if its definition does not keep it out. */
function offerPlanTool({ config }: Session, runtime: Runtime): void {
  const type = runtime.agents.types.find(({ name }) => name === config.agent);
  const added = type === undefined ? [exitPlanModeTool] : inheritTools([exitPlanModeTool], type, true);
  if (added.length > 0) runtime.setup = { ...runtime.setup, tools: [...runtime.setup.tools, ...added] };
}
