// `--debug-file` and `--debug`: one JSON line for each message and error, as it happens. Sizes and names, never contents.
import { openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../protocol/errors.js';
import type { SDKMessage } from '../protocol/messages.js';
import { errorText } from '../util/text.js';
import type { CliIo } from './cli-io.js';
import type { DebugLog } from './debug-log.js';

/**
 * Opens the file for appending; created for its owner only.
 * @param file null: lines go to stderr
 * @throws ConfigError where it cannot be written
 */
export function openDebugLog(file: string | null, io: CliIo, redact: (text: string) => string): DebugLog {
  const put = file === null ? (line: string) => void io.err.write(line) : appender(resolve(io.startedIn(), file));
  const write = (kind: string, details: Readonly<Record<string, unknown>>): void =>
    put(`${redact(JSON.stringify({ time: new Date().toISOString(), kind, ...details }))}\n`);
  return {
    message: (message) => write(kindOf(message), summarise(message)),
    error: (error) => write('error', describeError(error)),
    note: write,
  };
}

function appender(path: string): (line: string) => void {
  const descriptor = openForAppend(path);
  let broken = false;
  return (line) => {
    if (broken) return;
    try {
      writeSync(descriptor, line);
    } catch {
      // A full disk must not end the run that is being looked at; the log just stops.
      broken = true;
    }
  };
}

function openForAppend(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConfigError(`--debug-file ${path} cannot be written (${code}).`, { cause: error });
  }
}

function kindOf(message: SDKMessage): string {
  const subtype = 'subtype' in message ? message.subtype : undefined;
  return subtype === undefined ? message.type : `${message.type}/${subtype}`;
}

/** What can be said of a message without quoting it. */
function summarise(message: SDKMessage): Record<string, unknown> {
  const common = { uuid: message.uuid, session: message.session_id };
  switch (message.type) {
    case 'assistant':
      return {
        ...common,
        model: message.message.model,
        stop_reason: message.message.stop_reason,
        usage: message.message.usage,
        blocks: message.message.content.map(describeBlock),
      };
    case 'user': {
      const content = message.message.content;
      return {
        ...common,
        blocks: typeof content === 'string' ? [`text:${content.length}`] : content.map(describeBlock),
      };
    }
    case 'result':
      return {
        ...common,
        terminal_reason: message.terminal_reason,
        turns: message.num_turns,
        duration_ms: message.duration_ms,
        usage: message.usage,
        ...(message.subtype === 'success' ? {} : { errors: message.errors }),
      };
    case 'stream_event':
      return { ...common, event: message.event.type };
    case 'system':
      // System messages are the engine's own words, but for the output of hooks and commands.
      return Object.fromEntries(Object.entries(message).filter(([name]) => !SYSTEM_CONTENT.has(name)));
    default:
      return common;
  }
}

const SYSTEM_CONTENT: ReadonlySet<string> = new Set([
  'type',
  'subtype',
  'output',
  'stdout',
  'stderr',
  'content',
  'prompt',
  'summary',
  'tools',
  'slash_commands',
]);

/** `text:120`, `tool_use:Bash`. */
function describeBlock(block: { readonly type: string; readonly name?: string; readonly text?: string }): string {
  const detail = block.name ?? block.text?.length;
  return detail === undefined ? block.type : `${block.type}:${detail}`;
}

/** Causes are followed a few steps only: a chain may be a ring. */
function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: errorText(error) };
  const cause = error.cause === undefined || depth > 3 ? {} : { cause: describeError(error.cause, depth + 1) };
  return { name: error.name, message: error.message, stack: error.stack, ...cause };
}
