// What tools share: paths of a call, files opened and remembered, searches, secrets put in. The tool's contract
// (`tools/tool.ts`) knows nothing of it.
export {
  type FileSnapshot,
  locateFile,
  notSeen,
  type OpenedFile,
  openRegularFile,
  readChunks,
  readSnapshot,
  readUpTo,
  rememberWritten,
  requireNotAborted,
  requireRegularFile,
  requireSeen,
  storeEdited,
  WHOLE_FILE_BYTES,
  withFileErrors,
} from './open-file.js';
export { putIntoCommand, putIntoFile, type ReadyCommand } from './put-in-secrets.js';
export { FILE_PATH_DESCRIPTION, pathSubject, resolveToolPath } from './resolve-path.js';
export {
  bundledRipgrep,
  DEFAULT_HEAD_LIMIT,
  MAX_FILES_SHOWN,
  MAX_SORTED_BY_TIME,
  type RipgrepOutcome,
  runRipgrep,
} from './ripgrep.js';
