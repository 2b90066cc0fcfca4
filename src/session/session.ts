// What lasts from prompt to prompt, and the two ways a message leaves a session: kept and shown, or shown only.
import type { ChangingFacts } from '../context/environment.js';
import type {
  AgentCall,
  AgentOutcome,
  DeliveredMessage,
  Draft,
  HistoryReplaced,
  LoopState,
  MessageDraft,
} from '../engine/loop-state.js';
import type { Host } from '../host/host.js';
import type { MessageParam } from '../protocol/content.js';
import type { SDKDeferredToolUse, SDKMessage } from '../protocol/messages.js';
import type { SDKCompactBoundaryMessage } from '../protocol/system-messages.js';
import type { FileStateCache } from '../tools/file-state-cache.js';
import type { AgentRequest } from '../tools/tool.js';
import type { Runtime, SessionRuntime } from './assemble.js';
import type { Checkpoints } from './checkpoints/checkpoints.js';
import type { LiveSettings, QueryEngineConfig } from './config.js';
import type { Stamp } from './envelope.js';
import type { History } from './history.js';
import type { Message } from './message.js';
import type { MessageQueue } from './message-queue.js';
import { noticeDraft, replayDraft } from './prompt-drafts.js';
import type { UsageLedger } from './usage-ledger.js';

/** One agent at work on a prompt. */
export interface AgentRun {
  /** Null: the session's own agent. */
  readonly agentId: string | null;
  readonly session: Session;
  readonly runtime: Runtime;
  /** The model it has where `setModel` names none. */
  readonly model: string;
  /** True where `setModel` does not change the model: it was named for this run. */
  readonly isModelNamed: boolean;
  /** Tokens of all agents of the prompt. */
  readonly tokens: { total: number };
  /** Ids of the user messages that were delivered meanwhile. */
  readonly answered: string[];
}

/** What the model was told of instruction files: texts by the names of the files. */
export interface ToldInstructions {
  /** As they stand in the system prompt. */
  readonly texts: Readonly<Record<string, string>>;
  /** What they said when a change was told last, and the message that told it. */
  readonly since: { readonly texts: Readonly<Record<string, string>>; readonly by: MessageParam } | null;
}

/** Contract: `facts` stay, so that the system prompt is the same in each request and a prompt cache can hold it. */
export interface ToldEnvironment {
  readonly facts: ChangingFacts;
  /** A later state, and the message that told it: it counts for as long as the model still sees that message. */
  readonly since: { readonly facts: ChangingFacts; readonly by: MessageParam } | null;
}

/** Owned by `QueryEngine`; a subagent has one of its own while it runs. */
export interface Session {
  readonly config: QueryEngineConfig;
  readonly host: Host;
  readonly sessionId: string;
  readonly stamp: Stamp;
  readonly ledger: UsageLedger;
  readonly history: History;
  /** Messages that wait for the place between two turns, or to be prompts of their own. */
  readonly queue: MessageQueue;
  /** What the loop remembers from prompt to prompt. */
  readonly memory: {
    compaction: LoopState['compaction'];
    turns: number;
    isStarted: boolean;
    wasCleared: boolean;
    isOrphanAsked: boolean;
    /** True once `snipReplay` was asked about a resumed conversation. */
    isSnipped: boolean;
    /** What the system prompt says of what may change, and what the model was told since; null before the first prompt. */
    environment: ToldEnvironment | null;
    /** What the system prompt says of instruction files, and what the model was told since; null before the first prompt. */
    instructions: ToldInstructions | null;
    /** The model that the host named last, where it names the model of each request. */
    decidedModel?: string;
    /** What the caller must hear as a throw, beside the result. */
    toThrow?: Error | null;
    /** The model that the last prompt ended with, where that was not its own. */
    fellBackTo?: string | null;
    /** True where the session has a title of its own, or one was asked for. */
    isTitled: boolean;
    /** Calls that wait for a decision, by id, as long as they are open in the conversation. */
    readonly deferred: Map<string, SDKDeferredToolUse>;
    /** What changed settings say, since there was a change. */
    settings?: LiveSettings;
    /** Where the transcript goes on, once something was written while the session did not run. */
    leafUuid?: string | null | undefined;
  };
  /** The model that `setModel` named since this one was chosen; else this one. */
  modelOverride(chosen: string): string;
  /** Null for a session whose files cannot be set back. @throws ConfigError */
  checkpoints(): Promise<Checkpoints | null>;
  /** Puts the session together at the first call. @throws ConfigError */
  runtime(): Promise<SessionRuntime>;
  /** A prompt has done all it does: only its result is still to be told. */
  onSettled?(): void;
  /** 0 for the session's own agent, 1 for the agents it starts. */
  readonly depth: number;
  /** Runs a subagent for a call of `parent`. */
  spawnAgent(parent: AgentRun, request: AgentRequest, call: AgentCall): AsyncGenerator<Draft, AgentOutcome>;
}

/** Written before it is sent: the transcript has the message when this resolves. */
export async function keep(session: Session, runtime: Runtime, message: Message, param?: MessageParam): Promise<void> {
  session.history.append(message, param);
  await runtime.transcript.record(message);
}

/** Keeps what is part of the conversation, then shows it. */
export async function* publish(session: Session, runtime: Runtime, draft: Draft): AsyncGenerator<SDKMessage> {
  if (draft.type === 'history_replaced') yield* replaceHistory(session, runtime, draft);
  else for (const message of await keepShown(session, runtime, draft)) yield message;
  for (const pending of runtime.takeDrafts()) yield session.stamp(pending);
}

/** As `publish`, in one step: what is to be shown, once it is kept. */
export async function keepShown(
  session: Session,
  runtime: Runtime,
  draft: Exclude<Draft, HistoryReplaced>,
): Promise<readonly SDKMessage[]> {
  switch (draft.type) {
    case 'reply': {
      const { request_id: requestId } = draft.message;
      const shown = {
        type: 'assistant',
        message: draft.message,
        ...(requestId === undefined ? {} : { request_id: requestId }),
      } as const;
      const message = draftToMessage(shown, session.host);
      await keep(session, runtime, message, draft.param);
      return [...transcriptNotices(session, runtime), session.stamp(shown, message.uuid)];
    }
    case 'delivered': {
      await keep(session, runtime, deliveredMessage(draft, session.host));
      await runtime.checkpoints?.beginPrompt(draft.uuid);
      const notices = transcriptNotices(session, runtime);
      if (!session.config.replayUserMessages) return notices;
      return [...notices, session.stamp(replayDraft(draft.message), draft.uuid)];
    }
    case 'assistant':
    case 'user': {
      const message = draftToMessage(draft, session.host);
      await keep(session, runtime, message);
      return [...transcriptNotices(session, runtime), session.stamp(draft, message.uuid)];
    }
    case 'shown':
      return [draft.message];
    default:
      return [session.stamp(draft)];
  }
}

/**
 * What the model no longer has it must be able to read again. With a boundary, the transcript starts over with the
 * shorter conversation, and so does a session that is resumed.
 */
async function* replaceHistory(
  session: Session,
  runtime: Runtime,
  { messages, boundary }: HistoryReplaced,
): AsyncGenerator<SDKMessage> {
  const { history, host, config } = session;
  const store = [...history.messages];
  history.replace(messages, (param) => newMessage(param, host));
  forgetFiles(config.readFileCache);
  if (boundary === null) return;
  const { summary, metadata } = boundary;
  const draft = { type: 'system', subtype: 'compact_boundary', summary, compact_metadata: metadata } as const;
  const told = session.stamp(draft) as SDKCompactBoundaryMessage;
  const other = config.snipReplay === undefined ? null : await messagesOfHost(session, runtime, told, store);
  if (other !== null) {
    const params = other.map((message) => message.message as MessageParam);
    history.replace(params, (param) => newMessage(param, host));
    boundary.goOnWith(params);
  }
  await runtime.transcript.startOver(boundary.metadata);
  const kept = history.messages.map(({ uuid }) => uuid);
  history.renew(() => host.ids.uuid(), other === null ? 0 : null);
  for (const message of history.messages) await runtime.transcript.record(message);
  await runtime.transcript.sync();
  const { preservedMessages } = await import('./preserved-messages.js');
  const anchor = other === null ? history.messages[0]?.uuid : undefined;
  const preserved = anchor === undefined ? {} : preservedMessages(store, kept, anchor);
  yield { ...told, compact_metadata: { ...metadata, ...preserved } };
}

/** Few hosts take part in compaction. Null where the summary stands. */
async function messagesOfHost(
  { config }: Session,
  runtime: Runtime,
  boundary: SDKCompactBoundaryMessage,
  store: readonly Message[],
): Promise<readonly Message[] | null> {
  const { askSnipReplay } = await import('./ask-snip-replay.js');
  const { messages, notice } = askSnipReplay(config, boundary, store);
  if (notice !== null) runtime.tell(noticeDraft(notice));
  return messages;
}

/** A host's own cache may not tell files that were seen from those that are. */
function forgetFiles(cache: FileStateCache): void {
  if (cache.forget === undefined) cache.clear();
  else cache.forget();
}

/** What is to be told of the transcript since the last call. */
export function transcriptNotices(session: Session, runtime: Runtime): readonly SDKMessage[] {
  return runtime.transcript.takeDrafts().map((draft) => session.stamp(draft));
}

function newMessage(param: MessageParam, host: Host): Message {
  const uuid = host.ids.uuid();
  const timestamp = new Date(host.clock.now()).toISOString();
  // No spread: V8 gives each object that begins with one a shape of its own, 190 bytes for every message kept.
  if (param.role === 'user') return { uuid, timestamp, type: 'user', message: param };
  return { uuid, timestamp, type: 'assistant', message: syntheticAssistant(uuid, param.content) };
}

function deliveredMessage({ uuid, message, isMeta }: DeliveredMessage, host: Host): Message {
  const timestamp = new Date(host.clock.now()).toISOString();
  return isMeta ? { uuid, timestamp, type: 'user', message, isMeta } : { uuid, timestamp, type: 'user', message };
}

function draftToMessage(draft: Extract<MessageDraft, { type: 'assistant' | 'user' }>, host: Host): Message {
  const uuid = host.ids.uuid();
  const timestamp = new Date(host.clock.now()).toISOString();
  if (draft.type === 'assistant') return { uuid, timestamp, type: 'assistant', message: draft.message };
  const { message, tool_use_result: toolUseResult } = draft;
  if (toolUseResult !== undefined) return { uuid, timestamp, type: 'user', message, toolUseResult };
  return isNote(draft)
    ? { uuid, timestamp, type: 'user', message, isMeta: true }
    : { uuid, timestamp, type: 'user', message };
}

/** What the engine itself said: nobody typed it, so no reader of the transcript may take it for a prompt. */
function isNote({ isSynthetic, message: { content } }: Extract<MessageDraft, { type: 'user' }>): boolean {
  if (!isSynthetic) return false;
  return typeof content === 'string' || content.every((block) => block.type !== 'tool_result');
}

/** A reply that no model gave in this form: the text of a command, or a reply that was cut. */
export function syntheticAssistant(id: string, content: Extract<MessageParam, { role: 'assistant' }>['content']) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  } as const;
}
