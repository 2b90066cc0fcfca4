// The task list that a call of TodoWrite sends, as a person reads it: one line an item.
import { oneLine } from './tool-title.js';

export interface TodoLine {
  /** With its mark: `[x] Write the test`. */
  readonly text: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cut';
}

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;
/** A longer list is cut, and told. */
const MAX_ITEMS = 40;

/** The lines below the call, at most so many columns wide; none for any other tool, or for an input that holds no list. */
export function todoLines(tool: string, input: unknown, columns: number): TodoLine[] {
  const todos = (input as { readonly todos?: unknown } | null)?.todos;
  if (tool !== 'TodoWrite' || !Array.isArray(todos)) return [];
  const more = todos.length - MAX_ITEMS;
  const lines = todos.slice(0, MAX_ITEMS).map((item: unknown) => lineOf(item, columns));
  return more > 0 ? [...lines, { text: `  … and ${more} more`, status: 'cut' }] : lines;
}

/** Whatever a model sent: it is shown before anybody checked it. */
function lineOf(item: unknown, columns: number): TodoLine {
  const { content, status: given, activeForm } = (item ?? {}) as Readonly<Record<string, unknown>>;
  const status = typeof given === 'string' && Object.hasOwn(MARKS, given) ? (given as keyof typeof MARKS) : 'pending';
  const said = status === 'in_progress' && typeof activeForm === 'string' && activeForm !== '' ? activeForm : content;
  const text = `${MARKS[status]} ${oneLine(typeof said === 'string' ? said : '?', Math.max(8, columns - 4))}`;
  return { text, status };
}
