// Asks the user of the editor whether a call may run. One rule: anything but a clear yes is a denial.
import {
  type AgentContext,
  methods,
  type PermissionOption,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type {
  CanUseTool,
  CanUseToolOptions,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
} from '../../protocol/permissions.js';
import type { Options } from '../../sdk/options/index.js';
import { errorText } from '../../util/text.js';
import { offerOf } from '../../view/offer.js';
import type { CallFacts } from './tool-call.js';

export interface PermissionsOptions {
  readonly sessionId: string;
  readonly client: () => AgentContext;
  /** The call as the client is shown it. */
  readonly describe: (call: CallFacts) => ToolCallUpdate;
  readonly starts: (callId: string) => void;
  /** The user allowed more than the call with the answer. */
  readonly changes: (update: PermissionUpdate) => void;
}

/** One way to answer. */
interface Choice {
  readonly option: PermissionOption;
  readonly result: PermissionResult;
  /** What this answer covers from now on, also for calls that already wait. */
  readonly covers?: string;
}

/** Asks by itself, through `onElicitation`; whether it may ask would be one question too many. */
const QUESTION_TOOL = 'AskUserQuestion';
const INTERRUPTED = 'The call was interrupted before it was approved.';

/** Contract: questions may wait side by side; a question whose call is interrupted is withdrawn. */
export function createPermissions(parts: PermissionsOptions): CanUseTool {
  /** What was allowed so far: calls that already wait were decided before it was. */
  const given = new Set<string>();

  return async (name, input, options) => {
    if (name === QUESTION_TOOL) return { behavior: 'allow' };
    const choices = options.exitPlanMode === undefined ? choicesFor(options.suggestions) : PLAN_CHOICES;
    if (choices.some(({ covers }) => covers !== undefined && given.has(covers)))
      return { behavior: 'allow', decisionClassification: 'user_permanent' };
    const toolCall = parts.describe({ id: options.toolUseID, name, input });
    const asked = await ask(parts, toolCall, choices, options.signal);
    if (options.signal.aborted) return deny(INTERRUPTED);
    if ('message' in asked) return deny(asked.message);
    if (asked.outcome === 'cancelled') return { ...deny('The user cancelled the prompt.'), interrupt: true };
    const chosen = choices.find(({ option }) => option.optionId === asked.optionId);
    if (chosen === undefined) return deny('The client gave an answer that was not offered, which counts as no.');
    const { result, covers } = chosen;
    if (result.behavior === 'deny') return result;
    if (covers !== undefined) given.add(covers);
    for (const update of result.updatedPermissions ?? []) parts.changes(update);
    parts.starts(options.toolUseID);
    return result;
  };
}

/** The options with what was allowed since, for a query that goes on with the session. */
export function withGrants(options: Options, updates: readonly PermissionUpdate[]): Options {
  if (updates.length === 0) return options;
  const rules = updates.flatMap((update) => (update.type === 'addRules' ? update.rules : []));
  const folders = updates.flatMap((update) => (update.type === 'addDirectories' ? update.directories : []));
  const allowed = rules.map(({ toolName, ruleContent }) =>
    ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
  );
  return {
    ...options,
    allowedTools: [...(options.allowedTools ?? []), ...allowed],
    additionalDirectories: [...(options.additionalDirectories ?? []), ...folders],
  };
}

/** Or why nobody could be asked. */
async function ask(
  { sessionId, client }: PermissionsOptions,
  toolCall: ToolCallUpdate,
  choices: readonly Choice[],
  signal: AbortSignal,
): Promise<RequestPermissionOutcome | { readonly message: string }> {
  try {
    const params: RequestPermissionRequest = { sessionId, toolCall, options: choices.map(({ option }) => option) };
    const { outcome } = await client().request(methods.client.session.requestPermission, params, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    return outcome;
  } catch (error) {
    return { message: `The user could not be asked: ${errorText(error)}` };
  }
}

/** In the order in which people read them: once, from now on, no. */
function choicesFor(suggestions: CanUseToolOptions['suggestions']): Choice[] {
  const offer = offerOf(suggestions);
  const once: Choice = {
    option: { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
    result: { behavior: 'allow', decisionClassification: 'user_temporary' },
  };
  const no: Choice = {
    option: { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
    result: {
      ...deny('The user said no. Ask what to do instead, or take another way.'),
      decisionClassification: 'user_reject',
    },
  };
  if (offer === null) return [once, no];
  const always = (optionId: string, where: string, updates: PermissionUpdate[]): Choice => ({
    option: { optionId, name: `Always allow ${offer.words} ${where}`, kind: 'allow_always' },
    result: { behavior: 'allow', updatedPermissions: updates, decisionClassification: 'user_permanent' },
    covers: offer.key,
  });
  const session = always('allow_session', 'in this session', offer.until('session'));
  const project = always('allow_project', 'in this project', offer.until('localSettings'));
  return [once, session, ...(offer.isKeepable ? [project] : []), no];
}

function deny(message: string) {
  return { behavior: 'deny', message } as const;
}

function mode(next: PermissionMode): PermissionUpdate[] {
  return [{ type: 'setMode', mode: next, destination: 'session' }];
}

/** Of a plan: work begins, or it is planned on. */
const PLAN_CHOICES: readonly Choice[] = [
  {
    option: { optionId: 'approve', name: 'Yes, in the mode from before the plan', kind: 'allow_once' },
    result: { behavior: 'allow', decisionClassification: 'user_temporary' },
  },
  {
    option: { optionId: 'acceptEdits', name: 'Yes, and accept edits', kind: 'allow_always' },
    result: { behavior: 'allow', updatedPermissions: mode('acceptEdits'), decisionClassification: 'user_temporary' },
  },
  {
    option: { optionId: 'plan', name: 'No, plan on', kind: 'reject_once' },
    result: { ...deny('The user wants to plan on. Ask what to change.'), decisionClassification: 'user_reject' },
  },
];
