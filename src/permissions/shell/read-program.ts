// Reads one program: by its table, or by code of its own. A program without a table starts what its name says and
// nothing is known of its operands.
import { readByTable } from './read-by-table.js';
import { SPECIAL_READERS } from './special-readers.js';
import { PROGRAMS } from './tables/programs.js';
import type { Task } from './task.js';

export function readProgram(task: Task): void {
  const table = PROGRAMS.get(task.name) ?? PROGRAMS.get(task.name.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, ''));
  if (table === undefined) return;
  task.draft.isTransparent = table.isRunner === true;
  if (table.isElsewhere === true) task.isElsewhere = true;
  const special = table.reads === undefined ? undefined : SPECIAL_READERS[table.reads];
  if (special !== undefined) special(task, table);
  else readByTable(task, table);
}
