// A question of the model or of an MCP server to the user of the editor: as a form if the client has forms, else each
// choice as a question with buttons. One rule: what cannot be asked is declined, and never answered by a guess.
import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type ElicitationPropertySchema,
  type ElicitationSchema,
  methods,
  type PermissionOption,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type {
  CanUseTool,
  CanUseToolOptions,
  ElicitationRequest,
  ElicitationResult,
  OnElicitation,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
} from '../../protocol/permissions.js';
import type { Options } from '../../sdk/options/index.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { INTERRUPTED, offerOf } from '../../view/permission-question.js';
import type { CallFacts } from './content.js';

export interface QuestionsOptions {
  readonly sessionId: string;
  readonly capabilities: ClientCapabilities;
  readonly client: () => AgentContext;
}

type Ask = (request: ElicitationRequest, signal: AbortSignal, requestId: string) => Promise<ElicitationResult>;

const FIELD_TYPES = ['string', 'number', 'integer', 'boolean', 'array'];

/** Contract: a failure of the client is a rejection, whose text the model reads. */
export function createQuestions(parts: QuestionsOptions): OnElicitation {
  const { elicitation } = parts.capabilities;
  const asForm = elicitation?.form == null ? byButtons(parts) : byForm(parts);
  return async (request, { signal, requestId }) => {
    if (request.mode === 'url')
      return elicitation?.url == null ? { action: 'decline' } : byUrl(parts)(request, signal, requestId);
    return asForm(request, signal, requestId);
  };
}

function byForm({ sessionId, client }: QuestionsOptions): Ask {
  return async ({ message, requestedSchema }, signal) => {
    const schema = formOf(requestedSchema);
    if (schema === null) return { action: 'decline' };
    return elicit(client(), { mode: 'form', sessionId, message, requestedSchema: schema }, signal);
  };
}

function byUrl({ sessionId, client }: QuestionsOptions): Ask {
  return async ({ message, url, elicitationId }, signal, requestId) => {
    if (url === undefined) return { action: 'decline' };
    return elicit(
      client(),
      { mode: 'url', sessionId, message, url, elicitationId: elicitationId ?? requestId },
      signal,
    );
  };
}

async function elicit(
  client: AgentContext,
  request: CreateElicitationRequest,
  signal: AbortSignal,
): Promise<ElicitationResult> {
  const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
  const answer = await client.request(methods.client.elicitation.create, request, options);
  if (answer.action === 'accept') {
    const { content } = answer;
    return { action: 'accept', content: isRecord(content) ? content : {} };
  }
  return { action: answer.action === 'decline' ? 'decline' : 'cancel' };
}

/** The form in the types that the protocol has; null if a question is of none of them. */
function formOf(schema: Record<string, unknown> | undefined): ElicitationSchema | null {
  const given = isRecord(schema?.['properties']) ? schema['properties'] : {};
  const properties: Record<string, ElicitationPropertySchema> = {};
  for (const [name, property] of Object.entries(given)) {
    if (!isRecord(property) || !FIELD_TYPES.includes(String(property['type']))) return null;
    properties[name] = property as ElicitationPropertySchema;
  }
  const required = Array.isArray(schema?.['required']) ? schema['required'].map(String) : [];
  return { type: 'object', properties, required };
}

/** The protocol has buttons for permissions only; a question with two to a few choices fits them. */
function byButtons({ sessionId, client }: QuestionsOptions): Ask {
  return async ({ message, requestedSchema }, signal, requestId) => {
    const questions = choicesOf(requestedSchema, message);
    if (questions === null) return { action: 'decline' };
    const content: Record<string, unknown> = {};
    for (const { name, question, labels, isList } of questions) {
      const toolCall = { toolCallId: requestId, title: question, kind: 'other', status: 'pending' } as const;
      const options = labels.map((label, at) => ({ optionId: `${at}`, name: label, kind: 'allow_once' as const }));
      const no = { optionId: 'skip', name: 'Skip the question', kind: 'reject_once' as const };
      const params: RequestPermissionRequest = { sessionId, toolCall, options: [...options, no] };
      const { outcome } = await client().request(methods.client.session.requestPermission, params, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      });
      if (outcome.outcome === 'cancelled') return { action: 'cancel' };
      const label = labels[Number(outcome.optionId)];
      if (label !== undefined) content[name] = isList ? [label] : label;
    }
    return Object.keys(content).length === 0 ? { action: 'cancel' } : { action: 'accept', content };
  };
}

interface ButtonQuestion {
  readonly name: string;
  readonly question: string;
  readonly labels: readonly string[];
  readonly isList: boolean;
}

/** Null if one of the questions has no choices. */
function choicesOf(schema: Record<string, unknown> | undefined, message: string): ButtonQuestion[] | null {
  const properties = isRecord(schema?.['properties']) ? Object.entries(schema['properties']) : [];
  const questions: ButtonQuestion[] = [];
  for (const [name, property] of properties) {
    if (!isRecord(property)) return null;
    const items = isRecord(property['items']) ? property['items'] : {};
    const labels = property['enum'] ?? items['enum'];
    if (!Array.isArray(labels) || labels.length === 0) return null;
    const { description } = property;
    const question = typeof description === 'string' && description !== '' ? description : message;
    questions.push({ name, question, labels: labels.map(String), isList: property['type'] === 'array' });
  }
  return questions.length === 0 ? null : questions;
}

// Asks the user of the editor whether a call may run. One rule: anything but a clear yes is a denial.

interface PermissionsOptions {
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
