// All tables of programs, by name.

import { BUILD_TOOLS } from './build-tools.js';
import { isBuiltinName } from '../syntax/builtin-names.js';
import { FILE_TOOLS, READ_ONLY_TOOLS } from './file-tools.js';
import { INTERPRETERS } from './interpreters.js';
import { type ProgramTable, programTables } from './program-table.js';
import { STARTERS } from './starters.js';

export const PROGRAMS: ReadonlyMap<string, ProgramTable> = new Map(
  [STARTERS, INTERPRETERS, FILE_TOOLS, BUILD_TOOLS, READ_ONLY_TOOLS].flatMap((all) => programTables(all)),
);

/** True where something is known of the name that a function of that name would make wrong. */
export function isModelled(name: string): boolean {
  return isBuiltinName(name) || PROGRAMS.has(name);
}
