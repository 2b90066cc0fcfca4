// The words of a command line: flags, folders, ids, and what the help tells of them.

export { type CliArgs, parseArgs, type WireFlags } from './args.js';
export { completeOptions, isWholeId, messageIdOf, sessionIdOf } from './complete-options.js';
export { resolveFolders, settingSources, splitList } from './flag-values.js';
export {
  type OfferedCommand,
  type OfferedFlag,
  type Values,
  type Vocabulary,
  vocabulary,
} from './vocabulary.js';
