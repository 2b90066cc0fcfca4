// Checks across the messages of one request: order of roles, pairing of tool_use and tool_result, the thinking of the
// running turn, the image limits, the end of the list. Works on facts, never on content.
import {
  MANY_IMAGES,
  MAX_IMAGE_SIDE,
  MAX_IMAGE_SIDE_OF_MANY,
  MAX_IMAGES,
  MAX_PAGES,
  type MessageFacts,
} from './wire-blocks.js';
import type { Report } from './wire-violation.js';

/** How the request asks for thinking; null if it does not say. */
export type ThinkingMode = 'enabled' | 'adaptive' | 'disabled' | null;

/** Checks the list of messages as a whole. */
export function checkConversation(messages: readonly MessageFacts[], thinking: ThinkingMode, report: Report): void {
  if (messages.length === 0) {
    report('messages_empty', 'messages', 'At least one message is required');
    return;
  }
  checkRoles(messages, report);
  checkPairing(messages, report);
  checkImages(messages, report);
  checkPages(messages, report);
  if (thinking === 'enabled') checkRunningTurn(messages, report);
  checkEnd(messages, thinking, report);
}

function checkRoles(messages: readonly MessageFacts[], report: Report): void {
  if (messages[0]?.role === 'assistant') report('role_order', 'messages.0', 'The first message must use the user role');
  for (let index = 1; index < messages.length; index++) {
    const role = messages[index]?.role ?? null;
    if (role !== null && role === messages[index - 1]?.role) {
      report(
        'role_order',
        `messages.${index}`,
        `Roles must alternate between user and assistant: two ${role} in a row`,
      );
    }
  }
}

function checkPairing(messages: readonly MessageFacts[], report: Report): void {
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (open.length > 0 || message.toolResultIds.length > 0) checkAnswers(open, message.toolResultIds, index, report);
    for (const id of message.toolUseIds) {
      if (seen.has(id)) report('tool_use_duplicate', `messages.${index}`, `tool_use ids must be unique: ${id}`);
      seen.add(id);
    }
    open = message.toolUseIds;
  }
  if (open.length > 0) checkAnswers(open, [], messages.length, report);
}

/** The results in message `index` must answer exactly the calls of the message before it. */
function checkAnswers(calls: readonly string[], results: readonly string[], index: number, report: Report): void {
  if (calls.length === 1 && results.length === 1 && calls[0] === results[0]) return; // by far the most common
  const answered = new Set(results);
  for (const id of calls) {
    if (!answered.has(id)) {
      report('tool_result_missing', `messages.${index - 1}`, `tool_use ${id} has no tool_result in the next message`);
    }
  }
  const asked = new Set(calls);
  const first = new Set<string>();
  for (const id of results) {
    if (!asked.has(id)) {
      report('tool_result_orphan', `messages.${index}`, `tool_result ${id} has no tool_use in the previous message`);
    } else if (first.has(id)) {
      report('tool_result_duplicate', `messages.${index}`, `tool_use ${id} has more than one tool_result`);
    }
    first.add(id);
  }
}

function checkImages(messages: readonly MessageFacts[], report: Report): void {
  let count = 0;
  for (const message of messages) count += message.images.length;
  if (count === 0) return;
  if (count > MAX_IMAGES)
    report('image_excess', 'messages', `At most ${MAX_IMAGES} images are allowed, found ${count}`);
  const longest = count > MANY_IMAGES ? MAX_IMAGE_SIDE_OF_MANY : MAX_IMAGE_SIDE;
  for (let index = 0; index < messages.length; index++) {
    for (const { path, side } of messages[index]?.images ?? []) {
      if (side > longest) {
        report(
          'image_dimensions',
          `messages.${index}.${path}`,
          `${side} pixels; with ${count} images at most ${longest}`,
        );
      }
    }
  }
}

function checkPages(messages: readonly MessageFacts[], report: Report): void {
  const pages = messages.reduce((sum, message) => sum + message.pages, 0);
  if (pages > MAX_PAGES)
    report('document_pages', 'messages', `A maximum of ${MAX_PAGES} PDF pages may be provided, found ${pages}`);
}

/**
 * The assistant turn that is still going on (everything since the last user message without results) must start with
 * its thinking, else the API refuses it. Turns that are over may have lost theirs.
 */
function checkRunningTurn(messages: readonly MessageFacts[], report: Report): void {
  let start = messages.length - 1;
  while (start >= 0) {
    const message = messages[start];
    if (message?.role === 'user' && message.toolResultIds.length === 0) break;
    start--;
  }
  const opening = messages[start + 1];
  if (opening?.role === 'assistant' && opening.toolUseIds.length > 0 && !opening.opensWithThinking) {
    report(
      'thinking_missing',
      `messages.${start + 1}.content.0`,
      'When thinking is enabled, a turn with tool_use must start with its thinking block',
    );
  }
}

/** A request that ends with an assistant message asks the model to go on from there: a prefill. */
function checkEnd(messages: readonly MessageFacts[], thinking: ThinkingMode, report: Report): void {
  const index = messages.length - 1;
  const last = messages[index];
  if (last?.role !== 'assistant') return;
  if (thinking === 'enabled' || thinking === 'adaptive') {
    report('prefill_forbidden', `messages.${index}`, 'With thinking on, the last message must be of the user');
  } else if (last.hasThinking) {
    report(
      'prefill_forbidden',
      `messages.${index}`,
      'With thinking off, a final assistant message cannot contain thinking',
    );
  }
  if (last.lastText !== null && last.lastText !== '' && last.lastText.trimEnd() !== last.lastText) {
    report('prefill_whitespace', `messages.${index}`, 'Final assistant content cannot end with trailing whitespace');
  }
}
