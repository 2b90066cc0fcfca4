// EnterPlanMode: asks the user whether to plan first. It changes nothing itself: the gate asks, and begins the mode where
// somebody says yes.
import type { JsonSchema } from '../protocol/json.js';
import type { EnterPlanModeInput, EnterPlanModeOutput } from '../protocol/tool-io.js';
import { defineTool } from './tool.js';

const DESCRIPTION = `Asks the user whether you should plan first. If they agree, you only read until they approve a plan that you present with ExitPlanMode.
- Use it if there are several sensible ways to do a task and the user would want to choose, or if it touches many parts. Do not use it for small or clear tasks, or for questions.`;

const inputSchema = { type: 'object', properties: {}, additionalProperties: false } as const satisfies JsonSchema;

/** For sessions whose user can be asked. Contract: runs only if somebody said yes. */
export const enterPlanModeTool = defineTool<EnterPlanModeInput, EnterPlanModeOutput>({
  name: 'EnterPlanMode',
  description: DESCRIPTION,
  inputSchema,
  acceptedInput: { type: 'object' },
  entersPlan: true,
  forModelOnly: true,
  deferrable: 'rare',
  readOnly: true,
  concurrencySafe: false,
  title: () => 'Plan first',
  subject: () => ({ kind: 'none' }),
  async run(_input, { openPlan }) {
    const plan = await openPlan?.();
    const message = 'The user agreed: the session is in plan mode now.';
    return { model: plan === undefined ? message : `${message}\n\n${plan.workflow}`, data: { success: true, message } };
  },
});
