// A question of the model or of an MCP server to the user of the editor: as a form if the client has forms, else each
// choice as a question with buttons. One rule: what cannot be asked is declined, and never answered by a guess.
import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type ElicitationPropertySchema,
  type ElicitationSchema,
  methods,
  type RequestPermissionRequest,
} from '@agentclientprotocol/sdk';
import type { ElicitationRequest, ElicitationResult, OnElicitation } from '../../protocol/elicitation.js';
import { isRecord } from '../../util/is-record.js';

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
