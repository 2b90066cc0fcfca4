// Reads a session back from its transcript. What is damaged is left out and said; nothing in a transcript can grant a
// permission or run a tool.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import type { AssistantMessage, ToolUseBlock, UserMessageParam } from '../../protocol/content.js';
import { EMPTY_USAGE } from '../../protocol/content.js';
import { SessionError } from '../../protocol/errors.js';
import type { NoticeCode } from '../../protocol/system-messages.js';
import { count } from '../../util/text.js';
import type { Message } from '../message.js';
import { isSessionFile, transcriptPath } from './store-path.js';

export interface ResumedSession {
  readonly sessionId: string;
  readonly messages: readonly Message[];
  /** Uuid of the last message that stands in the transcript. */
  readonly lastUuid: string | null;
  readonly notices: readonly { readonly code: NoticeCode; readonly message: string }[];
}

/** @throws SessionError where there is no such session, or its file is not a transcript. */
export async function resumeSession(host: Host, folder: string, sessionId: string): Promise<ResumedSession> {
  const file = transcriptPath(folder, sessionId);
  const text = await readTranscript(host, file, sessionId);
  const { entries, damaged } = parseLines(text);
  const chain = newestChain(entries);
  if (chain.length === 0) {
    throw new SessionError('session_invalid', `The transcript ${file} holds no conversation. Start a new session.`);
  }
  const notices: { code: NoticeCode; message: string }[] = [];
  if (damaged > 0) {
    notices.push({
      code: 'transcript_damaged',
      message: `${count(damaged, 'line')} of the transcript could not be read and ${damaged === 1 ? 'was' : 'were'} left out.`,
    });
  }
  const open = openCalls(chain);
  if (open.length > 0) {
    notices.push({
      code: 'session_resumed_with_open_calls',
      message: `${count(open.length, 'tool call')} had not ended when the session stopped (${open.map((call) => call.name).join(', ')}). Effects are unknown; nothing is run again.`,
    });
  }
  return { sessionId: sessionId.toLowerCase(), messages: chain, lastUuid: chain.at(-1)?.uuid ?? null, notices };
}

/** The id of the session in `folder` that was written last, or null where there is none. */
export async function latestSessionId(host: Host, folder: string): Promise<string | null> {
  let names: string[];
  try {
    names = await host.fs.readdir(folder);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return null;
    throw error;
  }
  let latest: { id: string; mtimeMs: number } | null = null;
  for (const name of names.filter(isSessionFile)) {
    const stat = await host.fs.stat(path.join(folder, name)).catch(() => null); // it may be gone by now
    if (stat?.kind !== 'file' || stat.size === 0) continue;
    if (latest === null || stat.mtimeMs > latest.mtimeMs)
      latest = { id: name.slice(0, -'.jsonl'.length), mtimeMs: stat.mtimeMs };
  }
  return latest?.id ?? null;
}

async function readTranscript(host: Host, file: string, sessionId: string): Promise<string> {
  try {
    const stat = await host.fs.stat(file);
    if (stat.kind !== 'file')
      throw new SessionError('session_invalid', `${file} is not a file, so session ${sessionId} cannot be read.`);
    return new TextDecoder().decode(await host.fs.readFile(file));
  } catch (error) {
    if (isFileError(error, 'ENOENT')) {
      throw new SessionError(
        'session_not_found',
        `There is no session ${sessionId} for this folder (looked for ${file}). Sessions belong to the folder they were started in.`,
      );
    }
    if (isFileError(error))
      throw new SessionError('session_invalid', `Session ${sessionId} cannot be read: ${error.message}`, error);
    throw error;
  }
}

interface Entry {
  readonly parentUuid: string | null;
  readonly message: Message;
  readonly order: number;
}

function parseLines(text: string): { entries: Map<string, Entry>; damaged: number } {
  const entries = new Map<string, Entry>();
  let damaged = 0;
  for (const [order, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = parseObject(line);
    if (value === null) {
      damaged += 1;
      continue;
    }
    if (value.isSidechain === true || (value.type !== 'user' && value.type !== 'assistant')) continue;
    const message = toMessage(value);
    if (message === null) damaged += 1;
    else
      entries.set(message.uuid, {
        parentUuid: typeof value.parentUuid === 'string' ? value.parentUuid : null,
        message,
        order,
      });
  }
  return { entries, damaged };
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null; // counted as damaged by the caller
  }
}

function toMessage(value: Record<string, unknown>): Message | null {
  const inner = value.message as { role?: unknown; content?: unknown } | null | undefined;
  if (typeof value.uuid !== 'string' || typeof inner !== 'object' || inner === null) return null;
  if (typeof inner.content !== 'string' && !Array.isArray(inner.content)) return null;
  const identity = {
    uuid: value.uuid,
    ...(typeof value.timestamp === 'string' ? { timestamp: value.timestamp } : {}),
    ...(value.isMeta === true ? { isMeta: true } : {}),
  };
  if (value.type === 'user') {
    const message: UserMessageParam = { role: 'user', content: inner.content as UserMessageParam['content'] };
    return {
      ...identity,
      type: 'user',
      message,
      ...(value.toolUseResult === undefined ? {} : { toolUseResult: value.toolUseResult }),
    };
  }
  if (!Array.isArray(inner.content)) return null;
  return {
    ...identity,
    type: 'assistant',
    message: wholeAssistantMessage(inner as Partial<AssistantMessage>, value.uuid),
  };
}

/** Fills in what other writers of the layout leave out. */
function wholeAssistantMessage(inner: Partial<AssistantMessage>, uuid: string): AssistantMessage {
  return {
    id: inner.id ?? `msg_${uuid}`,
    type: 'message',
    role: 'assistant',
    model: inner.model ?? 'unknown',
    content: inner.content ?? [],
    stop_reason: inner.stop_reason ?? null,
    stop_sequence: inner.stop_sequence ?? null,
    usage: { ...EMPTY_USAGE, ...inner.usage },
  };
}

/** From the newest message back along the parents. A cycle or a missing parent ends the walk. */
function newestChain(entries: ReadonlyMap<string, Entry>): Message[] {
  let current: Entry | undefined;
  for (const entry of entries.values()) if (current === undefined || entry.order > current.order) current = entry;
  const chain: Message[] = [];
  const seen = new Set<string>();
  while (current !== undefined && !seen.has(current.message.uuid)) {
    seen.add(current.message.uuid);
    chain.push(current.message);
    current = current.parentUuid === null ? undefined : entries.get(current.parentUuid);
  }
  return chain.reverse();
}

/** Calls of the last reply that have no result. */
function openCalls(messages: readonly Message[]): ToolUseBlock[] {
  const last = messages.findLastIndex((message) => message.type === 'assistant');
  const reply = messages[last];
  if (reply?.type !== 'assistant') return [];
  const answered = new Set<string>();
  for (const message of messages.slice(last + 1)) {
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    for (const block of message.message.content) if (block.type === 'tool_result') answered.add(block.tool_use_id);
  }
  return reply.message.content.filter(
    (block): block is ToolUseBlock => block.type === 'tool_use' && !answered.has(block.id),
  );
}
