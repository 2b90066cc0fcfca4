// Writes transcripts by hand, line by line, in the layout of the published SDKs.
import type { EntryValue } from '../../src/session/store/read-entry.js';

export const SESSION = '22222222-2222-4222-8222-222222222222';

/** A uuid that shows its number. */
export function uuidOf(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}

export interface LineOptions {
  /** Null: a root. Default: the number before. */
  readonly parent?: number | null;
  readonly sessionId?: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

function identity(n: number, options: LineOptions) {
  const parent = options.parent === undefined ? (n > 1 ? n - 1 : null) : options.parent;
  return {
    parentUuid: parent === null ? null : uuidOf(parent),
    isSidechain: false,
    userType: 'external',
    cwd: '/project',
    sessionId: options.sessionId ?? SESSION,
    version: '2.1.330',
    gitBranch: 'main',
    uuid: uuidOf(n),
    timestamp: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
  };
}

export function userLine(n: number, content: unknown, options: LineOptions = {}): EntryValue {
  return { ...identity(n, options), type: 'user', message: { role: 'user', content }, ...options.extra };
}

export function answerLine(n: number, callId: string, text: string, options: LineOptions = {}): EntryValue {
  return userLine(n, [{ type: 'tool_result', tool_use_id: callId, content: text }], options);
}

/** @param replyId `message.id`: the same for each part of one reply */
export function assistantLine(
  n: number,
  replyId: string,
  content: readonly unknown[],
  options: LineOptions = {},
): EntryValue {
  const usage = { input_tokens: 10, output_tokens: n, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: replyId, type: 'message', role: 'assistant', model: 'claude-sonnet-5', content, usage };
  return { ...identity(n, options), type: 'assistant', message, ...options.extra };
}

/** A line that links the chain and is no message. */
export function linkLine(n: number, type: string, extra: Readonly<Record<string, unknown>> = {}): EntryValue {
  const { parent, ...rest } = extra as { parent?: number | null };
  return { ...identity(n, parent === undefined ? {} : { parent }), type, ...rest };
}

export const textBlock = (text: string) => ({ type: 'text', text });
export const callBlock = (id: string, name = 'Read') => ({ type: 'tool_use', id, name, input: { file_path: id } });

/** The content of a file: entries as JSON, anything else as it is. */
export function fileText(lines: readonly (EntryValue | string)[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
}
