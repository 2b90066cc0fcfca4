// From our messages, and the outputs of tools in them, to those of the Claude Agent SDK. One rule: nothing is left out but what an
// abort leaves. What that SDK has no name for becomes `system/informational`, with all it says; what cannot be known is null.
import { AbortError, isEngineError } from '../../../protocol/errors.js';
import type {
  SDKMessage as OurMessage,
  SDKRateLimitInfo,
  SDKResultMessage,
  TerminalReason,
} from '../../../protocol/messages.js';
import type { SDKPermissionDenial } from '../../../protocol/permissions.js';
import type { SDKSystemMessage } from '../../../protocol/system-messages.js';
import type {
  AgentOutput,
  BashOutput,
  ExitPlanModeOutput,
  FileEditOutput,
  FileReadOutput,
  FileWriteOutput,
  GlobOutput,
  GrepOutput,
  TodoWriteOutput,
  WebFetchOutput,
  WebSearchOutput,
} from '../../../protocol/tool-io.js';
import { isRecord } from '../../../util/json.js';
import { FOLLOWED_VERSION, RATE_LIMIT_TYPES } from './constants.js';
import type * as Theirs from './sdk-tools.js';
import type { SDKMessage } from './types.js';

/** How the published SDK says what a result that failed says. */
const THROWN = 'Claude Code returned an error result: ';

/** Subtypes of `system` that it has too. */
const SHARED_SUBTYPES: ReadonlySet<string> = new Set([
  'api_retry',
  'background_tasks_changed',
  'commands_changed',
  'compact_boundary',
  'control_request_progress',
  'elicitation_complete',
  'files_persisted',
  'hook_progress',
  'hook_response',
  'hook_started',
  'informational',
  'init',
  'local_command_output',
  'memory_recall',
  'mirror_error',
  'model_refusal_fallback',
  'model_refusal_no_fallback',
  'notification',
  'permission_denied',
  'plugin_install',
  'session_state_changed',
  'session_writes_lost',
  'status',
  'task_notification',
  'task_progress',
  'task_started',
  'task_updated',
  'thinking_tokens',
  'worker_shutting_down',
]);

const TERMINAL_REASONS: Partial<Record<TerminalReason, string>> = {
  local_command: 'completed',
  task_budget: 'budget_exhausted',
  permission_interrupt: 'aborted_tools',
  loop_detected: 'model_error',
  refusal: 'model_error',
  empty_reply: 'model_error',
  max_output_tokens: 'model_error',
  engine_error: 'turn_setup_failed',
};

/** What is known of a session beside its messages. */
interface SessionFacts {
  /** Of the caller's own controller. */
  readonly signal: AbortSignal | undefined;
  readonly maxTurns: number | undefined;
  readonly resume: string | undefined;
  /** True once `close()` was called. */
  isClosed(): boolean;
}

/**
 * The messages of one session, one after the other. Once it is aborted or closed nothing more is told.
 * @throws AbortError if it was aborted; Error behind the last message, if the last prompt failed
 */
export async function* claudeMessages(
  messages: AsyncIterable<OurMessage>,
  facts: SessionFacts,
): AsyncGenerator<SDKMessage, void> {
  const translate = translator();
  const isOver = () => facts.isClosed() || facts.signal?.aborted === true;
  let failure: Error | null = null;
  try {
    for await (const message of messages) {
      if (isOver()) continue;
      if (message.type === 'result') failure = failureOf(message, facts);
      yield translate(message);
    }
  } catch (error) {
    if (facts.isClosed()) return;
    if (facts.signal?.aborted) throw new AbortError('Claude Code process aborted by user');
    if (isEngineError(error) && error.code === 'session_not_found' && facts.resume !== undefined)
      throw new Error(`${THROWN}No conversation found with session ID: ${facts.resume}`, { cause: error });
    throw error;
  }
  if (failure !== null && !isOver()) throw failure;
}

function failureOf(result: SDKResultMessage, { maxTurns }: SessionFacts): Error | null {
  if (!result.is_error) return null;
  if (result.subtype === 'error_max_turns' && maxTurns !== undefined)
    return new Error(`${THROWN}Reached maximum number of turns (${maxTurns})`);
  return new Error(`${THROWN}${textOfFailure(result)}`);
}

/** A failure of the model's server is a success that failed there. */
function textOfFailure(result: SDKResultMessage): string {
  if (result.subtype === 'success') return result.result;
  const said = result.errors.join('; ') || result.result;
  return result.terminal_reason === 'api_error' ? `API Error: ${said}` : said;
}

/** What a reply of the published SDK has beside ours. */
const EMPTY_FIELDS = { container: null, context_management: null, diagnostics: null, stop_details: null };

function translator(): (message: OurMessage) => SDKMessage {
  const calls = new Map<string, { readonly name: string; readonly input: unknown }>();
  const told = new Set<string>();
  const convert = (message: OurMessage): unknown => {
    switch (message.type) {
      case 'assistant':
        for (const block of message.message.content) if (block.type === 'tool_use') calls.set(block.id, block);
        return { ...message, message: { ...message.message, ...EMPTY_FIELDS } };
      case 'user': {
        const { content } = message.message;
        const results = Array.isArray(content) ? content.filter((block) => block.type === 'tool_result') : [];
        const answered = results.flatMap(({ tool_use_id: id }) => calls.get(id) ?? []);
        for (const { tool_use_id: id } of results) calls.delete(id);
        const [call] = answered;
        const failed = results[0]?.is_error === true;
        if (call === undefined || results.length > 1 || (message.tool_use_result === undefined && !failed))
          return message;
        const output = failed
          ? `Error: ${textOf(results[0]?.content)}`
          : claudeOutput(call.name, call.input, message.tool_use_result);
        return { ...message, tool_use_result: output };
      }
      case 'result':
        return resultOf(message, told);
      case 'rate_limit_event':
        return { ...message, rate_limit_info: limitOf(message.rate_limit_info) };
      case 'system':
        if (message.subtype === 'init') return initOf(message);
        if (message.subtype === 'goal_updated' || message.subtype === 'goal_cleared') return activeGoal(message);
        return SHARED_SUBTYPES.has(message.subtype) ? message : informational(message);
      default:
        return message;
    }
  };
  return (message) => convert(message) as SDKMessage;
}

/** A limit of a kind that it does not know is a limit all the same. */
function limitOf({ rateLimitType, ...rest }: SDKRateLimitInfo): object {
  return {
    ...rest,
    ...(RATE_LIMIT_TYPES.some((each) => each === rateLimitType) ? { rateLimitType } : {}),
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block: { text?: string }) => block.text ?? '').join('\n') : '';
}

/** Tokens are those of the prompt, cost those of the session; denials those of the prompt. */
function resultOf(message: SDKResultMessage, told: Set<string>): unknown {
  const { prompt_usage: usage = message.usage, terminal_reason: reason } = message;
  const denials = message.permission_denials.filter(({ tool_use_id: id }) => !told.has(id));
  for (const { tool_use_id: id } of denials) told.add(id);
  const { cost_unknown: _, ...rest } = message;
  const isOfServer = message.subtype !== 'success' && reason === 'api_error';
  return {
    ...rest,
    ...(isOfServer ? { subtype: 'success', result: textOfFailure(message), errors: undefined } : {}),
    usage: {
      ...usage,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: 'standard',
      cache_creation: usage.cache_creation ?? {
        ephemeral_1h_input_tokens: 0,
        ephemeral_5m_input_tokens: usage.cache_creation_input_tokens,
      },
    },
    modelUsage: Object.fromEntries(
      Object.entries(message.modelUsage).map(([model, used]) => [
        model,
        {
          ...used,
          costUSD: used.costUSD ?? 0,
          contextWindow: used.contextWindow ?? 0,
          maxOutputTokens: used.maxOutputTokens ?? 0,
        },
      ]),
    ),
    permission_denials: denials.map(denialOf),
    terminal_reason: reason === 'aborted' ? abortedIn(message) : (TERMINAL_REASONS[reason] ?? reason),
  };
}

function abortedIn({ stop_reason: reason }: SDKResultMessage): string {
  return reason === 'tool_use' ? 'aborted_tools' : 'aborted_streaming';
}

function denialOf({ tool_name, tool_use_id, tool_input }: SDKPermissionDenial): SDKPermissionDenial {
  return { tool_name, tool_use_id, tool_input };
}

const KEY_SOURCES: Readonly<Record<string, string>> = { user: 'ANTHROPIC_API_KEY', temporary: 'temporary' };

function initOf(message: SDKSystemMessage): unknown {
  return {
    ...message,
    apiKeySource: KEY_SOURCES[message.apiKeySource] ?? message.apiKeySource,
    claude_code_version: FOLLOWED_VERSION,
    // That is what it is called there; the model calls it Agent.
    tools: message.tools.map((name) => (name === 'Agent' ? 'Task' : name)),
  };
}

/** That SDK knows a goal as a condition that is met or not; what was reached or stopped is none any more. */
function activeGoal(message: Extract<OurMessage, { subtype: 'goal_updated' | 'goal_cleared' }>): unknown {
  const { uuid, session_id } = message;
  if (message.subtype === 'goal_cleared' || message.goal.status !== 'active')
    return { type: 'active_goal', value: null, uuid, session_id };
  const { objective: condition, turns_used: iterations, created_at } = message.goal;
  const { reason } = message;
  const value = {
    condition,
    iterations,
    set_at: created_at * 1_000,
    tokens_at_start: 0,
    ...(reason === undefined ? {} : { last_reason: reason }),
  };
  return { type: 'active_goal', value, uuid, session_id };
}

/** Its own fields stay, for whoever knows them. */
function informational(message: Extract<OurMessage, { type: 'system' }>): unknown {
  const { message: text, level = 'info' } = message as { message?: unknown; level?: unknown };
  return {
    ...message,
    subtype: 'informational',
    content: typeof text === 'string' ? text : told(message),
    level: level === 'warning' || level === 'error' ? 'warning' : 'info',
    tag: `turnwright:${message.subtype}`,
  };
}

/** What a message without words of its own says. */
function told(message: Extract<OurMessage, { type: 'system' }>): string {
  if (message.subtype === 'mcp_status_change')
    return `MCP servers: ${message.servers.map(({ name, status }) => `${name} ${status}`).join(', ')}.`;
  if (message.subtype === 'model_changed') return `${message.to} answers from here on: ${message.reason}`;
  return wordsOf(message.subtype);
}

/** `stream_reset` is `Stream reset.` */
function wordsOf(subtype: string): string {
  const words = subtype.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** @param input of the call @param output as `tool_use_result` has it */
export function claudeOutput(tool: string, input: unknown, output: unknown): unknown {
  const asked = isRecord(input) ? input : {};
  if (!isRecord(output)) return output;
  switch (tool) {
    case 'Bash':
      return bashOutput(output as unknown as BashOutput);
    case 'Read':
      return readOutput(output as unknown as FileReadOutput, asked);
    case 'Edit':
      return editOutput(output as unknown as FileEditOutput, asked);
    case 'Write':
      return writeOutput(output as unknown as FileWriteOutput, asked);
    case 'Glob':
      return globOutput(output as unknown as GlobOutput);
    case 'Grep':
      return grepOutput(output as unknown as GrepOutput, asked);
    case 'ExitPlanMode':
      return planOutput(output as unknown as ExitPlanModeOutput);
    case 'TodoWrite':
      return { oldTodos: [], newTodos: (output as unknown as TodoWriteOutput).todos };
    case 'Agent':
      return agentOutput(output as unknown as AgentOutput, asked);
    case 'WebFetch':
      return pageOutput(output as unknown as WebFetchOutput);
    case 'WebSearch':
      return searchOutput(output as unknown as WebSearchOutput);
    case 'TaskStop':
      return { message: 'Stopped.', task_id: String(output.task_id), task_type: 'local_bash' };
    default:
      return output;
  }
}

function pageOutput({ content, url, statusCode = 0, error }: WebFetchOutput): Theirs.WebFetchOutput {
  // How large the page was and how long it took is not known here.
  return { bytes: 0, code: statusCode, codeText: error ?? '', result: content, durationMs: 0, url };
}

function searchOutput({ query, results }: WebSearchOutput): Theirs.WebSearchOutput {
  return { query, results: [{ tool_use_id: '', content: results }], durationSeconds: 0 };
}

function planOutput({ plan = '', filePath, planWasEdited }: ExitPlanModeOutput): Theirs.ExitPlanModeOutput {
  return {
    plan: plan === '' ? null : plan,
    isAgent: false,
    ...(filePath === undefined ? {} : { filePath }),
    ...(planWasEdited === undefined ? {} : { planWasEdited }),
  };
}

function agentOutput({ result, agent }: AgentOutput, asked: Readonly<Record<string, unknown>>): Theirs.AgentOutput {
  return {
    status: 'completed',
    prompt: String(asked.prompt ?? ''),
    ...(agent === undefined ? {} : { agentType: agent }),
    content: [{ type: 'text', text: result }],
  };
}

function bashOutput({ exitCode: _, ...output }: BashOutput): Theirs.BashOutput {
  return { interrupted: false, isImage: false, noOutputExpected: false, ...output };
}

function readOutput(output: FileReadOutput, { offset }: Readonly<Record<string, unknown>>): unknown {
  switch (output.type) {
    case 'text': {
      const { file_path: filePath, text: content } = output;
      const numLines = content.split('\n').length;
      const startLine = typeof offset === 'number' && offset > 0 ? offset : 1;
      return {
        type: 'text',
        file: { filePath, content, numLines, startLine, totalLines: output.totalLines ?? numLines },
      };
    }
    case 'image': {
      const { media_type: type, data: base64 } = output.source;
      return { type: 'image', file: { base64, type, originalSize: Math.floor((base64.length * 3) / 4) } };
    }
    case 'notebook':
      return { type: 'notebook', file: { filePath: output.file_path, cells: output.cells } };
    case 'file_unchanged':
      return { type: 'file_unchanged', file: { filePath: output.file_path } };
    default:
      return output;
  }
}

function editOutput(
  { file_path: filePath, diff, structuredPatch }: FileEditOutput,
  asked: Readonly<Record<string, unknown>>,
) {
  return {
    filePath,
    oldString: asked.old_string,
    newString: asked.new_string,
    originalFile: null,
    structuredPatch: structuredPatch ?? hunksOf(diff),
    userModified: false,
    replaceAll: asked.replace_all === true,
  };
}

function writeOutput(output: FileWriteOutput, asked: Readonly<Record<string, unknown>>) {
  return {
    type: output.created === true ? 'create' : 'update',
    filePath: output.file_path,
    content: asked.content,
    structuredPatch: output.structuredPatch ?? [],
    originalFile: null,
    userModified: false,
  };
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The parts of a unified diff. */
export function hunksOf(diff: string | undefined): Theirs.StructuredPatchHunk[] {
  const hunks: Theirs.StructuredPatchHunk[] = [];
  for (const line of (diff ?? '').split('\n')) {
    const head = HUNK.exec(line);
    if (head !== null) {
      const [, oldStart, oldLines = '1', newStart, newLines = '1'] = head;
      hunks.push({
        oldStart: Number(oldStart),
        oldLines: Number(oldLines),
        newStart: Number(newStart),
        newLines: Number(newLines),
        lines: [],
      });
    } else if (/^[-+ \\]/.test(line)) {
      hunks.at(-1)?.lines.push(line);
    }
  }
  return hunks;
}

function globOutput({ files, totalMatches, truncated = false }: GlobOutput): Theirs.GlobOutput {
  return { filenames: files, durationMs: 0, numFiles: files.length, truncated, totalMatches, countIsComplete: true };
}

function grepOutput({ results, matchCount }: GrepOutput, asked: Readonly<Record<string, unknown>>) {
  const { output_mode: mode = 'files_with_matches' } = asked;
  const lines = results === '' ? [] : results.split('\n');
  if (mode === 'content') return { mode, numFiles: 0, filenames: [], content: results, numLines: lines.length };
  if (mode === 'count')
    return { mode, numFiles: lines.length, filenames: [], content: results, numMatches: matchCount };
  return { mode: 'files_with_matches', filenames: lines, numFiles: lines.length };
}
