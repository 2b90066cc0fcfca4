// The task list that a call of TodoWrite sends, as a person reads it: one line an item.
import { paint, type Style } from './style.js';
import { oneLine } from './tool-title.js';

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]' } as const;
/** A longer list is cut, and told. */
const MAX_ITEMS = 40;

/** The lines below the call; none for any other tool, or for an input that holds no list. */
export function renderTodos(tool: string, input: unknown, style: Style): string[] {
  const todos = (input as { readonly todos?: unknown } | null)?.todos;
  if (tool !== 'TodoWrite' || !Array.isArray(todos)) return [];
  const more = todos.length - MAX_ITEMS;
  const lines = todos.slice(0, MAX_ITEMS).map((item: unknown) => renderItem(item, style));
  return more > 0 ? [...lines, paint(`    … and ${more} more`, 'dim', style)] : lines;
}

/** Whatever a model sent: it is shown before anybody checked it. */
function renderItem(item: unknown, style: Style): string {
  const { content, status, activeForm } = (item ?? {}) as Readonly<Record<string, unknown>>;
  const isRunning = status === 'in_progress';
  const said = isRunning && typeof activeForm === 'string' && activeForm !== '' ? activeForm : content;
  const mark = MARKS[status as keyof typeof MARKS] ?? MARKS.pending;
  const line = `  ${mark} ${oneLine(typeof said === 'string' ? said : '?', Math.max(8, style.columns - 6))}`;
  return isRunning ? paint(line, 'bold', style) : paint(line, 'dim', style);
}
