// What a message tells a person, as items in the order in which they are read. Every face shows these; how they look is the
// face's matter. One rule: a message that somebody has to know of gives an item, whatever the face.
import type { ToolResultBlock } from '../protocol/content.js';
import type { SDKDeferredToolUse, SDKMessage, SDKRateLimitInfo, SDKResultMessage } from '../protocol/messages.js';
import type {
  SDKGoalUpdatedMessage,
  SDKHistoryRepairedMessage,
  SDKPermissionDeniedMessage,
  SDKSystemEventMessage,
  SDKSystemMessage,
  SDKTaskStartedMessage,
} from '../protocol/system-messages.js';
import { describeInput, escapeHidden, oneLine } from './escape-text.js';
import { formatDuration, formatMoment, formatZone } from './figures.js';

/** Of what may be cut to a line, columns. */
const LONGEST_SHORT = 400;

export type Item = TextItem | ThinkingItem | CallItem | OutputItem | NoteItem;

/** What the model says, as it wrote it: nothing is escaped. */
export interface TextItem {
  readonly type: 'text';
  readonly text: string;
}

/** As it wrote it. For who wants to see all. */
export interface ThinkingItem {
  readonly type: 'thinking';
  readonly text: string;
}

export interface CallItem {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: anything. */
  readonly input: unknown;
}

/** What came of a call. */
export interface OutputItem {
  readonly type: 'output';
  readonly callId: string;
  /** Without empty lines around it; nothing is escaped. Empty if there was no output. */
  readonly text: string;
  readonly isError: boolean;
}

/** Something that happened, on one line, escaped. */
export interface NoteItem {
  readonly type: 'note';
  readonly tone: 'dim' | 'warning' | 'bad';
  readonly text: string;
  /** True for one that says enough if it is cut to the width of a line; any other is shown whole. */
  readonly isShort: boolean;
  /** For who wants to see all. */
  readonly isDetail: boolean;
}

/** @param agent what to call the subagent it is from, if several work at the same time */
export function itemsOf(message: SDKMessage, agent: string | null = null): Item[] {
  switch (message.type) {
    case 'assistant':
      return message.message.content.flatMap((block): Item[] => {
        if (block.type === 'text') return [{ type: 'text', text: block.text }];
        if (block.type === 'thinking') return [{ type: 'thinking', text: block.thinking }];
        return block.type === 'tool_use' ? [{ type: 'call', id: block.id, name: block.name, input: block.input }] : [];
      });
    case 'user': {
      const { content } = message.message;
      if (typeof content === 'string') return [];
      return content.flatMap((block) => (block.type === 'tool_result' ? [outputOf(block)] : []));
    }
    case 'system':
      return message.subtype === 'init' ? initItems(message) : systemItems(message, agent);
    case 'result':
      return endItems(message);
    case 'tool_use_summary':
      return [short('dim', message.summary)];
    case 'prompt_suggestion':
      return [{ ...short('dim', `next? ${message.suggestion}`), isDetail: true }];
    case 'rate_limit_event':
      return rateLimitItems(message.rate_limit_info);
    case 'stream_event':
    case 'cloud_agent_event':
    case 'command_lifecycle':
    // What waits is shown with its own call; a refused key with the error of the result.
    case 'tool_progress':
    case 'auth_status':
    case 'conversation_reset':
      return [];
    default:
      return unknownMessage(message);
  }
}

/** A result of a call as text: parts that are none are named. */
export function outputOf(block: ToolResultBlock): OutputItem {
  const { content, tool_use_id: callId } = block;
  const text =
    typeof content === 'string'
      ? content
      : content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
  return { type: 'output', callId, text: text.replace(/^\s*\n|\s+$/g, ''), isError: block.is_error === true };
}

/** The beginning of a session: for those who want to see all. */
function initItems(message: SDKSystemMessage): NoteItem[] {
  const facts = [message.model, message.provider, message.permissionMode, message.cwd, `session ${message.session_id}`];
  return [{ ...short('dim', facts.join(' · ')), isDetail: true }];
}

function note(tone: NoteItem['tone'], text: string): NoteItem {
  return { type: 'note', tone, text: escapeHidden(flat(text)), isShort: false, isDetail: false };
}

function short(tone: NoteItem['tone'], text: string): NoteItem {
  return { ...note(tone, ''), text: oneLine(text, LONGEST_SHORT), isShort: true };
}

function warning(text: string, tone: NoteItem['tone']): NoteItem {
  return note(tone, `! ${flat(text)}`);
}

/** Only with news: what is tried again, and when, has a line of its own. */
function rateLimitItems({ status, resetsAt, rateLimitType, utilization }: SDKRateLimitInfo): NoteItem[] {
  const isNear = status === 'allowed_warning';
  if (status === 'allowed' || (resetsAt === undefined && !isNear)) return [];
  const used = utilization === undefined ? '' : `, ${Math.round(utilization * 100)} % is used`;
  const which = rateLimitType === undefined ? '' : ` (${oneLine(rateLimitType, 40)}${used})`;
  const when =
    resetsAt === undefined
      ? ''
      : `; it is reset at ${formatMoment(resetsAt * 1_000)} (${formatZone(resetsAt * 1_000)})`;
  return [warning(`a limit of the account is ${isNear ? 'near' : 'reached'}${which}${when}`, 'warning')];
}

/** While it goes on its prompts show that. */
function goalItems({ goal: { objective, status, turns_used: turns }, reason }: SDKGoalUpdatedMessage): NoteItem[] {
  if (status === 'active' && turns > 0) return [];
  const why = reason === undefined ? '' : ` (${reason})`;
  return [short(status === 'active' ? 'dim' : 'warning', `▸ Goal ${status.replace('_', ' ')}${why}: ${objective}`)];
}

/** Messages of a newer engine are not for people; the machine formats carry them. */
function unknownMessage(_message: never): Item[] {
  return [];
}

function systemItems(message: SDKSystemEventMessage, agent: string | null): NoteItem[] {
  switch (message.subtype) {
    case 'notice': {
      const remedy = message.remedy === undefined ? '' : ` ${message.remedy}`;
      return [warning(`${message.message}${remedy}`, message.level === 'warning' ? 'warning' : 'dim')];
    }
    case 'api_retry': {
      const wait = formatDuration(message.retry_delay_ms);
      const cause = message.message || message.reason;
      return [note('warning', `retrying in ${wait} (${message.attempt}/${message.max_retries}): ${cause}`)];
    }
    case 'model_changed':
      return [warning(`from here on ${message.to} answers instead of ${message.from}: ${message.reason}`, 'warning')];
    case 'stream_reset':
      return [warning(`the partial answer above is withdrawn: ${message.reason}`, 'warning')];
    case 'permission_denied':
      return [note('bad', `✗ ${message.tool_name} denied: ${withoutOpening(message)}`)];
    case 'history_repaired':
      return [warning(`history repaired: ${message.repairs.map(repairWords).join('; ')}`, 'dim')];
    case 'mirror_error':
      return [warning(`the session store did not take all of the session: ${message.error}`, 'warning')];
    case 'compact_boundary':
      return [warning('the conversation was summarised to make room', 'dim')];
    case 'status':
      return message.status === 'compacting' ? [warning('summarising the conversation', 'dim')] : [];
    case 'informational':
      return [warning(message.content, message.level === 'warning' ? 'warning' : 'dim')];
    case 'hook_started': {
      const { status_message: status } = message;
      return status === undefined ? [] : [short('dim', `▸ ${status}`)];
    }
    case 'hook_response': {
      const text = `hook ${message.hook_name} (${message.hook_event}): ${message.outcome}`;
      return [{ ...warning(text, 'dim'), isDetail: message.outcome === 'success' }];
    }
    case 'task_started':
      return [short('dim', `▸ ${named(agent ?? placeOf(message), message.description)}`)];
    case 'task_notification':
      return [short('dim', `▸ ${named(agent, message.status)}: ${message.summary}`)];
    case 'goal_updated':
      return goalItems(message);
    case 'goal_cleared':
      return [short('dim', '▸ The goal is gone.')];
    // The command's text also comes as an assistant message, which the view shows.
    case 'local_command_output':
    case 'mcp_status_change':
    case 'hook_progress':
    case 'task_progress':
    case 'session_state_changed':
    case 'session_title_changed':
    case 'bridge_state':
    case 'files_persisted':
    case 'elicitation_complete':
    case 'plan_mode_changed':
    case 'commands_changed':
    case 'available_models_update':
    case 'control_request_progress':
    // Told by `model_changed`, or by the result.
    case 'model_refusal_fallback':
    case 'model_refusal_no_fallback':
    case 'thinking_tokens':
    case 'notification':
    case 'task_updated':
    case 'background_tasks_changed':
    // A notice says what to do about it.
    case 'session_writes_lost':
    case 'worker_shutting_down':
    case 'memory_recall':
      return [];
    default:
      return unknownMessage(message) as [];
  }
}

/** The text names the tool by itself, for whoever reads it alone. */
function withoutOpening({ tool_name: name, message }: SDKPermissionDeniedMessage): string {
  const opening = `${name} was denied: `;
  return message.startsWith(opening) ? message.slice(opening.length) : message;
}

/** The detail of this kind is the call alone. */
function repairWords({ kind, detail }: SDKHistoryRepairedMessage['repairs'][number]): string {
  return kind === 'missing_tool_result' ? `no result of the call ${detail} was recorded` : detail;
}

function placeOf({ is_backgrounded: isInBackground }: SDKTaskStartedMessage): string | null {
  return isInBackground === true ? 'in the background' : null;
}

function named(agent: string | null, text: string): string {
  return agent === null ? text : `${agent}: ${text}`;
}

function flat(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
}

/** Why a prompt did not end in success, one item a cause. An abort the user asked for is one word. */
function endItems(message: SDKResultMessage): NoteItem[] {
  if (message.terminal_reason === 'aborted') return [note('warning', 'interrupted')];
  if (message.subtype === 'success') {
    const waiting = message.deferred_tool_uses ?? [];
    if (waiting.length > 0) return waitingItems(message.session_id, waiting);
    if (message.terminal_reason === 'task_budget')
      return [note('warning', '! the task budget is used up: this is as far as the work came')];
    return message.is_error ? [note('bad', `error: ${flat(message.result)}`)] : [];
  }
  const causes = message.errors.length > 0 ? message.errors : [message.subtype];
  return causes.map((cause) => note('bad', `error: ${flat(cause)}`));
}

/** The command that would decide, for each call that waits. */
function waitingItems(sessionId: string, waiting: readonly SDKDeferredToolUse[]): NoteItem[] {
  return [
    ...waiting.map(({ id, name, input }) =>
      note('warning', `waits: ${name} ${oneLine(describeInput(input), 200)} (${id})`),
    ),
    note('dim', `decide: turnwright --resume ${sessionId} --allow-call ID --deny-call ID`),
  ];
}
