// The words of a command line: flags, folders, ids, and what the help tells of them.

export { type CliArgs, parseArgs } from './args.js';
export { completeOptions, isWholeId, messageIdOf, sessionIdOf } from './complete-options.js';
export { FLAGS, type Flag } from './flags.js';
export { resolveFolders } from './folders.js';
export { HELP, toldFlags } from './help.js';
export { settingSources } from './setting-sources.js';
