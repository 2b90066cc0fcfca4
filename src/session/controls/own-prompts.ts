// The prompts of a conversation as a person would name them, and what runs in the background.
import type { TaskFacts } from '../../tools/shared/background-tasks.js';
import { shorten } from '../../util/text.js';
import type { Session, SessionRuntime } from '../core/index.js';

export interface OwnPrompt {
  readonly uuid: string;
  /** How it begins, on one line. */
  readonly text: string;
  /** ISO 8601. */
  readonly timestamp: string | undefined;
}

const SHOWN = 100;

/** Those that the conversation holds, the oldest first. */
export function ownPrompts({ history }: Session): readonly OwnPrompt[] {
  return history.messages.flatMap((message) => {
    if (message.type !== 'user' || message.isMeta === true || message.isCompactSummary === true) return [];
    const { content } = message.message;
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    if (blocks.some((block) => block.type === 'tool_result')) return [];
    const [first] = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    const text = shorten((first ?? '').replace(/\s+/g, ' ').trim(), SHOWN);
    return text === '' ? [] : [{ uuid: message.uuid, text, timestamp: message.timestamp }];
  });
}

/** None, and nothing is opened, if nothing was started. */
export function runningTasks({ tasks }: SessionRuntime): readonly TaskFacts[] {
  return tasks.registry?.running ?? [];
}
