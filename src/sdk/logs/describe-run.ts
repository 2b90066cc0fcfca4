// What a debug log says of a run: one JSON line for each message and fault, as it happens. Sizes and names, never contents.

import type { SDKMessage } from '../../protocol/messages.js';
import { createSecrets } from '../../providers/keys/index.js';
import { createSecretFinder } from '../../secrets/find-secrets.js';
import { knownSecrets } from '../../secrets/known-values.js';
import { errorText } from '../../util/text.js';
import type { DebugLog } from './debug-log.js';

/**
 * @param now milliseconds since 1970
 * @param put takes a line with its end; does not throw
 * @param redact takes secrets out of a line
 */
export function describeRun(
  now: () => number,
  put: (line: string) => void,
  redact: (text: string) => string,
): DebugLog {
  const write = (kind: string, details: Readonly<Record<string, unknown>>): void =>
    put(`${redact(JSON.stringify({ time: new Date(now()).toISOString(), kind, ...details }))}\n`);
  return {
    message: (message) => write(kindOf(message), summarise(message)),
    error: (error) => write('error', describeError(error)),
    note: write,
  };
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
  'goal',
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

// Keeps secrets out of what a program logs or prints of errors. Loaded with the first of these.

/** Of a variable named like a secret; shorter values are words that would be cut out of innocent text. */
const SHORTEST = 8;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

/**
 * A function that replaces every secret in a text: what looks like one wherever it comes from, and the values of
 * variables named like one, of which it looks at more than a transcript does.
 * @param env read once
 */
export function createLogRedactor(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  const values = new Map(knownSecrets(env, createSecrets()));
  for (const [name, value = ''] of Object.entries(env)) {
    if (SECRET_NAME.test(name) && value.length >= SHORTEST && !values.has(value)) values.set(value, `value of ${name}`);
  }
  const finder = createSecretFinder(new Map([...values].sort(([a], [b]) => b.length - a.length)));
  return (text) => finder.redact(text, (kind) => `[redacted: ${kind}]`);
}
