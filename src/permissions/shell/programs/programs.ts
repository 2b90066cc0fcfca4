// The descriptions of all programs, by name.
import { isBuiltinName } from '../syntax/builtin-names.js';
import { ARCHIVE_PROGRAMS } from './archives.js';
import { AWK_PROGRAMS } from './awk.js';
import { BUILD_TOOLS } from './build-tools.js';
import { COMPILERS } from './compilers.js';
import { DOCUMENT_PROGRAMS } from './documents.js';
import { EDITORS } from './editors.js';
import { FILE_PROGRAMS } from './files.js';
import { FIND_PROGRAMS } from './find.js';
import { FORMATTER_PROGRAMS } from './formatters.js';
import { GIT_PROGRAMS } from './git.js';
import { INSTALLERS } from './installers.js';
import { INTERPRETERS } from './interpreters.js';
import { JQ_PROGRAMS } from './jq.js';
import { LINE_STARTERS } from './line-starters.js';
import { MAKE_PROGRAMS } from './make.js';
import { NETWORK_PROGRAMS } from './network.js';
import { PACKAGE_PROGRAMS } from './packages.js';
import { type ProgramTable, programTables } from './program-table.js';
import { READING_PROGRAMS } from './reading.js';
import { plainName, plainVersion, withoutLetter } from './same-names.js';
import { SEARCHING_PROGRAMS } from './searching.js';
import { SED_PROGRAMS } from './sed.js';
import { SERVICES } from './services.js';
import { SHELLS } from './shells.js';
import { SQL_PROGRAMS } from './sql.js';
import { STARTERS } from './starters.js';
import { TAR_PROGRAMS } from './tar.js';
import { TRANSFERS } from './transfer.js';
import { OTHER_VERSION_CONTROL } from './vcs.js';

export const PROGRAMS: ReadonlyMap<string, ProgramTable> = new Map(
  [
    ARCHIVE_PROGRAMS,
    AWK_PROGRAMS,
    BUILD_TOOLS,
    COMPILERS,
    DOCUMENT_PROGRAMS,
    EDITORS,
    FILE_PROGRAMS,
    FORMATTER_PROGRAMS,
    FIND_PROGRAMS,
    GIT_PROGRAMS,
    INSTALLERS,
    INTERPRETERS,
    JQ_PROGRAMS,
    LINE_STARTERS,
    MAKE_PROGRAMS,
    NETWORK_PROGRAMS,
    PACKAGE_PROGRAMS,
    READING_PROGRAMS,
    SEARCHING_PROGRAMS,
    SED_PROGRAMS,
    SERVICES,
    SHELLS,
    SQL_PROGRAMS,
    STARTERS,
    TAR_PROGRAMS,
    TRANSFERS,
    OTHER_VERSION_CONTROL,
  ].flatMap((all) => programTables(all)),
);

/** What is known of a program by its base name, as some systems also take it, with a version or a build in it or not. */
export function tableOf(name: string): ProgramTable | undefined {
  const known = PROGRAMS.get(name);
  if (known !== undefined) return known;
  const plain = plainName(name);
  return PROGRAMS.get(plain) ?? PROGRAMS.get(plainVersion(plain) ?? withoutLetter(plain) ?? plain);
}

/** True if something is known of the name that a function of that name would make wrong. */
export function isModelled(name: string): boolean {
  return isBuiltinName(name) || PROGRAMS.has(name);
}
