// What a compaction must not lose, as texts to send along word for word. One rule: todos, plan and instructions are
// never left out; files fill the room that is left.
import type { TodoItem } from '../../tools/tool.js';
import { toWellFormed } from '../../util/text.js';
import type { TokenEstimator } from '../estimate-tokens.js';

export interface PinInput {
  readonly todos: readonly TodoItem[];
  /** The plan that the work follows, if there is one. */
  readonly plan?: string | null;
  /** Most recently read first, with their present text. */
  readonly readFiles: readonly { readonly path: string; readonly text: string }[];
  /** Texts of instruction files and active skills that are not part of the system prompt. */
  readonly instructions: readonly string[];
  /** For all pins together. Files that do not fit are left out; the rest is not. */
  readonly maxTokens: number;
  readonly estimator: TokenEstimator;
}

/** Contract: deterministic; each pin holds its text unchanged; a file is pinned whole or not at all. */
export function collectPins(input: PinInput): string[] {
  const { todos, plan, readFiles, instructions, maxTokens, estimator } = input;
  const pins: string[] = [];
  for (const text of instructions) if (text.trim() !== '') pins.push(toWellFormed(text));
  if (plan != null && plan.trim() !== '') pins.push(toWellFormed(`The plan that was agreed on:\n\n${plan}`));
  if (todos.length > 0) pins.push(todoPin(todos));

  let room = maxTokens - pins.reduce((sum, pin) => sum + estimator.text(pin), 0);
  const seen = new Set<string>();
  for (const { path, text } of readFiles) {
    if (seen.has(path)) continue;
    seen.add(path);
    if (room <= 0 || text.trim() === '' || text.length > room * MAX_CHARACTERS_PER_TOKEN) continue;
    const pin = toWellFormed(`The file ${path}, as it is now:\n\n<file>\n${text}\n</file>`);
    const tokens = estimator.text(pin);
    if (tokens > room) continue;
    pins.push(pin);
    room -= tokens;
  }
  return pins;
}

/** A longer text than this cannot fit, however blank it is, so large files need no estimate. */
const MAX_CHARACTERS_PER_TOKEN = 10;

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;

function todoPin(todos: readonly TodoItem[]): string {
  const lines = todos.map(({ id, content, status, priority }) => {
    const weight = priority === undefined ? '' : `, ${priority} priority`;
    return `${MARKS[status]} ${content} (id ${id}${weight})`;
  });
  return toWellFormed(`The todo list as it stands ([x] done, [~] in progress, [ ] open):\n\n${lines.join('\n')}`);
}
