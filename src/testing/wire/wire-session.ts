// The wire validator over all requests of a conversation: signed thinking comes back as it was, and if the caller
// asks for it, the history only grows. Keeps what it needs of earlier requests and nothing more.
import type { MessageParam } from '../../protocol/content.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { inspectMessage } from './wire-blocks.js';
import { inspectTools } from './wire-tools.js';
import { checkWireBody, toWireBody, type WireCheck, type WireInspectors } from './wire-validator.js';
import { createReport, isRecord, type JsonRecord, type Report } from './wire-violation.js';

export interface SessionWireValidatorOptions {
  /**
   * Also reports `prefix_changed` if a request does not start with the messages of the one before it. The last of
   * them may have grown at its end; cache breakpoints may move. Default false: compaction and rewind are legal.
   */
  readonly appendOnly?: boolean;
}

export interface SessionWireValidator {
  /** Checks the next body on the wire. `bytes` as for `validateWireRequest`. */
  checkBody(body: unknown, bytes?: number): WireCheck;
  /**
   * Checks the next canonical request.
   * Contract: relies on messages never changing after they were sent once, so each is looked into once.
   */
  checkModelRequest(request: ModelRequest): WireCheck;
  /** Tells of a reply the model gave, so that its thinking is known before it comes back for the first time. */
  noteReply(message: Pick<MessageParam, 'content'>): void;
}

/** A validator for the requests of one conversation, in order. */
export function createSessionWireValidator(options: SessionWireValidatorOptions = {}): SessionWireValidator {
  const thinking = createThinkingMemory();
  const remembering: WireInspectors = { message: byIdentity(inspectMessage), tools: byIdentity(inspectTools) };
  const plain: WireInspectors = { message: inspectMessage, tools: inspectTools };
  let before: readonly unknown[] = [];

  const check = (body: unknown, inspect: WireInspectors, bytes?: number): WireCheck => {
    const { violations, size } = checkWireBody(body, inspect, bytes);
    const messages = isRecord(body) && Array.isArray(body['messages']) ? (body['messages'] as readonly unknown[]) : [];
    const more = createReport();
    for (let index = 0; index < messages.length; index++) thinking.check(messages[index], index, more.report);
    if (options.appendOnly === true) checkPrefix(before, messages, more.report);
    before = options.appendOnly === true ? [...messages] : [];
    return { violations: [...violations, ...more.violations], size };
  };

  return {
    checkBody: (body, bytes) => check(body, plain, bytes),
    checkModelRequest: (request) => check(toWireBody(request), remembering),
    noteReply: (message) => thinking.note({ role: 'assistant', ...message }),
  };
}

/** `inspect`, with its outcome kept as long as the inspected object lives. */
function byIdentity<T>(inspect: (value: unknown) => T): (value: unknown) => T {
  const kept = new WeakMap<object, T>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return inspect(value);
    const known = kept.get(value);
    if (known !== undefined) return known;
    const fresh = inspect(value);
    kept.set(value, fresh);
    return fresh;
  };
}

/**
 * Signed blocks by what identifies them: a signature names its text, a text its signature, and a tool_use names the
 * thinking of its message. A message may lose all its thinking, never a part of it.
 */
function createThinkingMemory() {
  const texts = createPairs();
  const signatures = createPairs();
  const beforeCalls = createPairs();
  const clean = new WeakSet<object>();

  /** Hands every pair that must hold to `onPair`. */
  const visit = (message: unknown, onPair: (pairs: Pairs, key: string, value: string, what: string) => void): void => {
    const content = isRecord(message) && message['role'] === 'assistant' ? message['content'] : undefined;
    if (!Array.isArray(content)) return;
    const opaque: unknown[] = [];
    for (const block of content as unknown[]) {
      if (!isRecord(block)) continue;
      const { thinking: text, signature } = block;
      if (block['type'] === 'redacted_thinking') opaque.push([block['data']]);
      if (block['type'] !== 'thinking' || typeof text !== 'string' || typeof signature !== 'string') continue;
      opaque.push([text, signature]);
      onPair(texts, signature, text, 'The text of a signed thinking block was changed');
      if (text !== '') onPair(signatures, text, signature, 'The signature of a thinking block was changed');
    }
    if (opaque.length === 0) return;
    const all = JSON.stringify(opaque);
    for (const block of content as unknown[]) {
      if (!isRecord(block) || block['type'] !== 'tool_use' || typeof block['id'] !== 'string') continue;
      onPair(beforeCalls, block['id'], all, `The thinking blocks of the message with ${block['id']} were changed`);
    }
  };

  return {
    check(message: unknown, index: number, report: Report): void {
      if (typeof message !== 'object' || message === null || clean.has(message)) return;
      let changed = false;
      visit(message, (pairs, key, value, what) => {
        if (!pairs.isKnown(key)) pairs.add(key, value);
        if (pairs.has(key, value)) return;
        changed = true;
        report('thinking_changed', `messages.${index}`, what);
      });
      if (!changed) clean.add(message);
    },
    /** A script may sign two texts alike, so a reply adds to what is known and is never judged. */
    note(message: unknown): void {
      visit(message, (pairs, key, value) => pairs.add(key, value));
    },
  };
}

interface Pairs {
  isKnown(key: string): boolean;
  has(key: string, value: string): boolean;
  add(key: string, value: string): void;
}

function createPairs(): Pairs {
  const known = new Map<string, Set<string>>();
  return {
    isKnown: (key) => known.has(key),
    has: (key, value) => known.get(key)?.has(value) === true,
    add(key, value) {
      const values = known.get(key);
      if (values === undefined) known.set(key, new Set([value]));
      else values.add(value);
    },
  };
}

function checkPrefix(before: readonly unknown[], now: readonly unknown[], report: Report): void {
  for (let index = 0; index < before.length; index++) {
    if (before[index] === now[index]) continue;
    const isLast = index === before.length - 1;
    if (index < now.length && isContinuation(before[index], now[index], isLast)) continue;
    report(
      'prefix_changed',
      `messages.${index}`,
      index < now.length ? 'The message was changed' : 'The message is gone',
    );
    return;
  }
}

function isContinuation(before: unknown, now: unknown, mayGrow: boolean): boolean {
  if (!isRecord(before) || !isRecord(now) || before['role'] !== now['role']) return false;
  const old = asBlocks(before['content']);
  const current = asBlocks(now['content']);
  if (mayGrow ? current.length < old.length : current.length !== old.length) return false;
  for (let index = 0; index < old.length; index++) {
    if (!isSame(old[index], current[index])) return false;
  }
  return true;
}

function asBlocks(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type: 'text', text: content }];
}

/** Deep equality that does not see cache breakpoints. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const before = left as JsonRecord;
  const now = right as JsonRecord;
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (key !== 'cache_control' && !isSame(before[key], now[key])) return false;
  }
  return true;
}
