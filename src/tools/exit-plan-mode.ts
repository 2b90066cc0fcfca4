// ExitPlanMode: shows the user the plan that was made in mode plan. It approves nothing itself: the gate asks, and ends the
// mode where somebody says yes.
import type { JsonSchema } from '../protocol/json.js';
import type { ExitPlanModeInput, ExitPlanModeOutput } from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { defineTool, type Tool } from './tool.js';

/** The input of the specification, and the plan that other SDKs have in it. */
export type ExitPlanModeCall = ExitPlanModeInput & { readonly plan?: string; readonly allowedPrompts?: unknown };

/** What the model reads, and the plan behind it. */
export const PLAN_APPROVED = 'The user approved this plan. Plan mode is over: begin with it.';

/** Other SDKs let a plan ask for commands beforehand. */
const NOTHING_ALLOWED = '(allowedPrompts has no effect: each command is decided when you call it.)';

const MAX_TITLE_LENGTH = 80;

const DESCRIPTION = `Shows the user your plan and asks to begin. The session is in plan mode: you may read, but change nothing, until the user approves a plan.
- Use it once the plan is complete: what you would change, where, in which order, and how you would check it.
- Do not use it for a question that needs no change. If the user says no, stay in plan mode and improve the plan as they say.`;

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    plan: { type: 'string', minLength: 1, description: 'The plan, in Markdown.' },
  },
  required: ['plan'],
  additionalProperties: false,
};

/** More is accepted than is offered: the shapes of the specification and of other SDKs. */
const acceptedInput: JsonSchema = {
  type: 'object',
  properties: { plan: { type: 'string' }, confirm: { type: 'boolean' } },
};

/** For sessions that may be in mode plan. Contract: runs only where somebody approved the plan. */
export const exitPlanModeTool: Tool<ExitPlanModeCall, ExitPlanModeOutput> = defineTool<
  ExitPlanModeCall,
  ExitPlanModeOutput
>({
  name: 'ExitPlanMode',
  description: DESCRIPTION,
  inputSchema,
  acceptedInput,
  approvedInput: acceptedInput,
  exitsPlan: true,
  readOnly: true,
  concurrencySafe: false,
  title: ({ plan }) => shorten((plan ?? 'Begin with the plan').split('\n', 1)[0] ?? '', MAX_TITLE_LENGTH),
  subject: () => ({ kind: 'none' }),
  // With the plan, which whoever approved it may have changed.
  run: async ({ plan = '', allowedPrompts }) => {
    const approved = plan === '' ? PLAN_APPROVED : `${PLAN_APPROVED}\n\n${plan}`;
    const wants = Array.isArray(allowedPrompts) && allowedPrompts.length > 0;
    return { model: wants ? `${approved}\n\n${NOTHING_ALLOWED}` : approved, data: { success: true } };
  },
});
