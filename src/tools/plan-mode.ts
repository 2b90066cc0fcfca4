// EnterPlanMode and ExitPlanMode: the model asks whether to plan first, and shows its plan. Neither changes anything
// itself: the gate asks, and begins or ends the mode if somebody says yes.
import type { JsonSchema } from '../protocol/json.js';
import type {
  EnterPlanModeInput,
  EnterPlanModeOutput,
  ExitPlanModeInput,
  ExitPlanModeOutput,
} from '../protocol/tool-io.js';
import { shorten } from '../util/text.js';
import { defineTool, type Tool } from './tool.js';

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

// ExitPlanMode: shows the user the plan that was made in mode plan. It approves nothing itself: the gate asks, and ends the
// mode if somebody says yes.

/** The input of the specification, and the plan that other SDKs have in it. */
type ExitPlanModeCall = ExitPlanModeInput & { readonly plan?: string; readonly allowedPrompts?: unknown };

/** What the model reads, and the plan behind it. */
export const PLAN_APPROVED = 'The user approved this plan. Plan mode is over: begin with it.';

/** Other SDKs let a plan ask for commands beforehand. */
const NOTHING_ALLOWED = '(allowedPrompts has no effect: each command is decided when you call it.)';

const MAX_TITLE_LENGTH = 80;

const EXIT_DESCRIPTION = `Shows the user your plan and asks for approval to begin. The session is in plan mode: you may read, but change nothing, until the user approves a plan.
- Use it once the plan is complete: what you will change, where, in which order, and how you will verify it.
- Do not use it for a question that needs no change. If the user rejects the plan, stay in plan mode and revise it as they say.`;

const exitInputSchema: JsonSchema = {
  type: 'object',
  properties: {
    plan: { type: 'string', description: 'The plan, in Markdown. Default: the content of the plan file.' },
  },
  additionalProperties: false,
};

/** More is accepted than is offered: the shapes of the specification and of other SDKs. */
const exitAcceptedInput: JsonSchema = {
  type: 'object',
  properties: { plan: { type: 'string' }, confirm: { type: 'boolean' } },
};

/** For sessions that may be in mode plan. Contract: runs only if somebody approved the plan. */
export const exitPlanModeTool: Tool<ExitPlanModeCall, ExitPlanModeOutput> = defineTool<
  ExitPlanModeCall,
  ExitPlanModeOutput
>({
  name: 'ExitPlanMode',
  description: EXIT_DESCRIPTION,
  inputSchema: exitInputSchema,
  acceptedInput: exitAcceptedInput,
  approvedInput: exitAcceptedInput,
  forModelOnly: true,
  exitsPlan: true,
  readOnly: true,
  concurrencySafe: false,
  title: ({ plan }) => shorten((plan ?? 'Begin with the plan').split('\n', 1)[0] ?? '', MAX_TITLE_LENGTH),
  subject: () => ({ kind: 'none' }),
  async run({ plan: given = '', allowedPrompts }, { openPlan }) {
    const plan = await openPlan?.();
    const kept = (await plan?.read()) ?? '';
    // Whoever approved it may have changed it, in their answer or in its file.
    const shown = given.trim();
    const approved = shown === '' ? kept : shown;
    const isEdited = kept !== '' && approved !== kept;
    if (approved !== '' && approved !== kept) await plan?.write(approved);
    plan?.approved();
    const file = approved === '' ? null : (plan?.file ?? null);
    const notes = [
      PLAN_APPROVED,
      ...(isEdited ? ['They changed it first: what follows is what they approved.'] : []),
      ...(file === null ? [] : [`It is kept in ${file}.`]),
    ];
    const wants = Array.isArray(allowedPrompts) && allowedPrompts.length > 0;
    const model = [notes.join(' '), ...(approved === '' ? [] : [approved]), ...(wants ? [NOTHING_ALLOWED] : [])];
    const about = {
      ...(approved === '' ? {} : { plan: approved }),
      ...(file === null ? {} : { filePath: file }),
      ...(isEdited ? { planWasEdited: true } : {}),
    };
    return { model: model.join('\n\n'), data: { success: true, ...about } };
  },
});
