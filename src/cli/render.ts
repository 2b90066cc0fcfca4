// SDK messages as terminal lines: the activity beside the answer. Pure: a message and a style in, lines out. All text
// that comes from a model, a tool or a file is escaped here.
import type { ContentBlock, ToolResultBlock } from '../protocol/content.js';
import type { SDKDeferredToolUse, SDKMessage, SDKResultMessage } from '../protocol/messages.js';
import type { SDKRateLimitInfo } from '../protocol/rate-limit.js';
import type {
  SDKHistoryRepairedMessage,
  SDKPermissionDeniedMessage,
  SDKSystemEventMessage,
  SDKSystemMessage,
  SDKTaskStartedMessage,
} from '../protocol/system-messages.js';
import { escapeHidden } from '../view/escape-text.js';
import { formatCount, formatDuration, formatMoment, formatTokens, formatZone } from '../view/figures.js';
import { todoLines } from '../view/todo-lines.js';
import { describeInput, oneLine } from '../view/tool-title.js';
import { fitToWidth } from '../view/width.js';
import { paint, type Style } from './style.js';

/** Lines of a tool result shown with `--verbose`. */
const VERBOSE_RESULT_LINES = 40;

/**
 * The lines for one message: calls, results, notices, retries, refusals. Empty where there is nothing to show; the
 * answer's own text is never among them (see `text-view.ts`). `agent`: what to call the subagent it is from, where
 * several work at the same time.
 */
export function renderMessage(message: SDKMessage, style: Style, agent: string | null = null): string[] {
  switch (message.type) {
    case 'assistant':
      return ofAgent(message.parent_tool_use_id !== null, agent, style, (inner) =>
        renderAssistant(message.message.content, inner),
      );
    case 'user': {
      const { content } = message.message;
      if (typeof content === 'string') return [];
      return ofAgent(message.parent_tool_use_id !== null, agent, style, (inner) => renderToolResults(content, inner));
    }
    case 'system':
      if (message.subtype === 'init') return renderInit(message, style);
      return ofAgent(message.agent_id !== undefined, agent, style, (inner) => renderSystem(message, inner, agent));
    case 'result':
      return renderErrors(message, style);
    case 'tool_use_summary':
      return [paint(oneLine(message.summary, style.columns), 'dim', style)];
    case 'prompt_suggestion':
      return style.verbose ? [paint(`next? ${oneLine(message.suggestion, style.columns - 6)}`, 'dim', style)] : [];
    case 'rate_limit_event':
      return renderRateLimit(message.rate_limit_info, style);
    case 'stream_event':
    case 'cloud_agent_event':
    // What waits is shown with its own call; a refused key with the error of the result.
    case 'tool_progress':
    case 'auth_status':
    case 'conversation_reset':
      return [];
    default:
      return unknownMessage(message);
  }
}

/** Only with news: what is tried again, and when, has a line of its own. */
function renderRateLimit({ status, resetsAt, rateLimitType, utilization }: SDKRateLimitInfo, style: Style): string[] {
  const isNear = status === 'allowed_warning';
  if (status === 'allowed' || (resetsAt === undefined && !isNear)) return [];
  const used = utilization === undefined ? '' : `, ${Math.round(utilization * 100)} % is used`;
  const which = rateLimitType === undefined ? '' : ` (${oneLine(rateLimitType, 40)}${used})`;
  const when =
    resetsAt === undefined
      ? ''
      : `; it is reset at ${formatMoment(resetsAt * 1_000)} (${formatZone(resetsAt * 1_000)})`;
  const what = isNear ? 'near' : 'reached';
  return [warning(`a limit of the account is ${what}${which}${when}`, 'yellow', style)];
}

/** Messages of a newer engine are not for this view; the machine formats carry them. */
function unknownMessage(_message: never): string[] {
  return [];
}

/** What a subagent does stands one step in, behind its name where that is not clear. */
function ofAgent(isOfAgent: boolean, agent: string | null, style: Style, render: (style: Style) => string[]): string[] {
  if (!isOfAgent) return render(style);
  const name = agent === null ? '' : `${oneLine(agent, 30)} │ `;
  const lines = render({ ...style, columns: Math.max(20, style.columns - 2 - name.length) });
  return lines.map((line) => `  ${name === '' ? '' : paint(name, 'dim', style)}${line}`);
}

function renderAssistant(blocks: readonly ContentBlock[], style: Style): string[] {
  const lines: string[] = [];
  for (const block of blocks) {
    if (block.type === 'tool_use')
      lines.push(renderToolUse(block.name, block.input, style), ...renderTodos(block.name, block.input, style));
    if (block.type === 'thinking' && style.verbose) {
      lines.push(paint(`~ ${oneLine(block.thinking, style.columns - 2)}`, 'dim', style));
    }
  }
  return lines;
}

/** The list below the call that sends it. */
function renderTodos(tool: string, input: unknown, style: Style): string[] {
  return todoLines(tool, input, style.columns - 2).map(({ text, status }) =>
    paint(`  ${text}`, status === 'in_progress' ? 'bold' : 'dim', style),
  );
}

/** `● Bash  ls -la` */
export function renderToolUse(name: string, input: unknown, style: Style): string {
  const title = oneLine(name, 60);
  const room = style.columns - title.length - 4;
  const detail = oneLine(describeInput(input), Math.max(8, room));
  return `${paint('●', 'green', style)} ${paint(title, 'bold', style)}${detail === '' ? '' : `  ${detail}`}`;
}

function renderToolResults(blocks: readonly ContentBlock[], style: Style): string[] {
  return blocks.flatMap((block) => (block.type === 'tool_result' ? renderToolResult(block, style) : []));
}

/** `  ⎿ first line … (+12 lines)`; with `verbose` every line up to a limit. */
export function renderToolResult(block: ToolResultBlock, style: Style): string[] {
  const text = resultText(block.content).replace(/^\s*\n|\s+$/g, '');
  const colour = block.is_error === true ? 'red' : 'dim';
  if (text === '') return [paint('  ⎿ (no output)', colour, style)];
  const lines = joinHeading(text).split('\n');
  const shown = style.verbose ? Math.min(lines.length, VERBOSE_RESULT_LINES) : 1;
  const left = lines.length - shown;
  const more = left > 0 ? ` … (+${formatCount(left)} ${left === 1 ? 'line' : 'lines'})` : '';
  return lines.slice(0, shown).map((line, index) => {
    const tail = index === shown - 1 ? more : '';
    const room = Math.max(8, style.columns - 4 - tail.length);
    const body = fitToWidth(escapeLine(line, room), room);
    return paint(`  ${index === 0 ? '⎿' : ' '} ${body}${tail}`, colour, style);
  });
}

/** A first line that only announces the second says nothing by itself. */
function joinHeading(text: string): string {
  return text.replace(/^([^\n]{0,200}:)[ \t]*\n\s*(?=\S)/, '$1 ');
}

/** Only what can be shown is escaped: a line may be megabytes long. */
function escapeLine(line: string, columns: number): string {
  return escapeHidden(line.slice(0, columns * 4).replace(/\r$/, '')).replace(/\t/g, '  ');
}

function resultText(content: ToolResultBlock['content']): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}

function renderInit(message: SDKSystemMessage, style: Style): string[] {
  if (!style.verbose) return [];
  const facts = [message.model, message.provider, message.permissionMode, message.cwd, `session ${message.session_id}`];
  return [paint(oneLine(facts.join(' · '), style.columns), 'dim', style)];
}

function renderSystem(message: SDKSystemEventMessage, style: Style, agent: string | null): string[] {
  switch (message.subtype) {
    case 'notice': {
      const remedy = message.remedy === undefined ? '' : ` ${message.remedy}`;
      return [warning(`${message.message}${remedy}`, message.level === 'warning' ? 'yellow' : 'dim', style)];
    }
    case 'api_retry': {
      const wait = formatDuration(message.retry_delay_ms);
      const cause = escapeHidden(flat(message.message || message.reason));
      return [paint(`retrying in ${wait} (${message.attempt}/${message.max_retries}): ${cause}`, 'yellow', style)];
    }
    case 'model_changed':
      return [
        warning(
          `from here on ${message.to} answers instead of ${message.from}: ${escapeHidden(flat(message.reason))}`,
          'yellow',
          style,
        ),
      ];
    case 'stream_reset':
      return [warning(`the partial answer above is withdrawn: ${message.reason}`, 'yellow', style)];
    case 'permission_denied':
      return [
        paint(
          `✗ ${escapeHidden(flat(message.tool_name))} denied: ${escapeHidden(flat(withoutOpening(message)))}`,
          'red',
          style,
        ),
      ];
    case 'history_repaired':
      return [warning(`history repaired: ${message.repairs.map(repairWords).join('; ')}`, 'dim', style)];
    case 'mirror_error':
      return [
        warning(
          `the session store did not take all of the session: ${escapeHidden(flat(message.error))}`,
          'yellow',
          style,
        ),
      ];
    case 'compact_boundary':
      return [warning('the conversation was summarised to make room', 'dim', style)];
    case 'status':
      return message.status === 'compacting' ? [warning('summarising the conversation', 'dim', style)] : [];
    case 'informational':
      return [warning(message.content, message.level === 'warning' ? 'yellow' : 'dim', style)];
    case 'hook_started': {
      const { status_message: status } = message;
      return status === undefined ? [] : [paint(`▸ ${oneLine(status, style.columns - 2)}`, 'dim', style)];
    }
    case 'hook_response':
      if (message.outcome === 'success' && !style.verbose) return [];
      return [warning(`hook ${message.hook_name} (${message.hook_event}): ${message.outcome}`, 'dim', style)];
    case 'task_started':
      return [
        paint(`▸ ${oneLine(named(agent ?? placeOf(message), message.description), style.columns - 2)}`, 'dim', style),
      ];
    case 'task_notification': {
      const summary = oneLine(message.summary, style.columns - 14 - (agent?.length ?? 0));
      return [paint(`▸ ${named(agent, message.status)}: ${summary}`, 'dim', style)];
    }
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
      return unknownMessage(message);
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

function warning(text: string, colour: 'yellow' | 'dim', style: Style): string {
  return paint(`! ${escapeHidden(flat(text))}`, colour, style);
}

function flat(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ').trim();
}

/** Why a prompt did not end in success, one line a cause. An abort the user asked for is one word. */
function renderErrors(message: SDKResultMessage, style: Style): string[] {
  if (message.terminal_reason === 'aborted') return [paint('interrupted', 'yellow', style)];
  if (message.subtype === 'success') {
    const waiting = message.deferred_tool_uses ?? [];
    if (waiting.length > 0) return renderWaiting(message.session_id, waiting, style);
    return message.is_error ? [paint(`error: ${escapeHidden(flat(message.result))}`, 'red', style)] : [];
  }
  const causes = message.errors.length > 0 ? message.errors : [message.subtype];
  return causes.map((cause) => paint(`error: ${escapeHidden(flat(cause))}`, 'red', style));
}

/** The command that would decide, for each call that waits. */
function renderWaiting(sessionId: string, waiting: readonly SDKDeferredToolUse[], style: Style): string[] {
  return [
    ...waiting.map(({ id, name, input }) =>
      paint(
        `waits: ${escapeHidden(`${name} ${oneLine(describeInput(input), 200)}`)} (${escapeHidden(id)})`,
        'yellow',
        style,
      ),
    ),
    paint(`decide: turnwright --resume ${sessionId} --allow-call ID --deny-call ID`, 'dim', style),
  ];
}

/**
 * `3 turns · 1,234 in / 210 out tokens · $0.0123 · 4.2 s` of the prompt, and what the session took where that is more:
 * `session: 9,876 in / 543 out tokens, $0.0456`. `provider` is the one `system/init` named.
 */
export function renderFigures(message: SDKResultMessage, provider: string | undefined, style: Style): string {
  const { usage, prompt_usage: ofPrompt = usage, prompt_cost_usd: cost } = message;
  const turns = `${formatCount(message.num_turns)} ${message.num_turns === 1 ? 'turn' : 'turns'}`;
  const [tokens, ofSession] = [formatTokens(ofPrompt), formatTokens(usage)];
  const sessionCost = costText(message, provider);
  const promptCost =
    cost === undefined ? sessionCost : costText({ total_cost_usd: cost ?? 0, cost_unknown: cost === null }, provider);
  const parts = [turns, tokens, promptCost, formatDuration(message.duration_ms)];
  const denials = message.permission_denials.length;
  const isLater = ofSession !== tokens;
  if (denials > 0) parts.push(`${formatCount(denials)} denied${isLater ? ' in the session' : ''}`);
  if (isLater) parts.push(`session: ${ofSession}, ${sessionCost}`);
  return paint(parts.join(' · '), 'dim', style);
}

function costText(
  { total_cost_usd: cost, cost_unknown: isUnknown }: Pick<SDKResultMessage, 'total_cost_usd' | 'cost_unknown'>,
  provider: string | undefined,
): string {
  if (provider === 'offline') return 'no cost';
  const known = `$${cost.toFixed(cost >= 1 ? 2 : 4)}`;
  if (isUnknown !== true) return known;
  return cost > 0 ? `${known} and more, cost partly unknown` : 'cost unknown';
}
