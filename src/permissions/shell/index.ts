// What a command line does: its grammar, and a description of each program that it may start.
export type {
  CommandReading,
  FileUse,
  MainNames,
  NamedOption,
  NamedRun,
  NameEnds,
  ProgramRun,
  TakenNames,
  Unpacking,
  Untracked,
  WorkTreeTop,
} from './command-reading.js';
export { forgottenBy } from './programs/file-uses.js';
export { mentionedNames } from './programs/operands.js';
export { equalActs, plainName } from './programs/same-names.js';
export { readCommand } from './read-command.js';
