// What the command line and the terminal ask beside a session: health, files of the person, a status line.

export { bundledRipgrep } from '../../tools/shared/index.js';
export type { ImportPlan } from './config-import.js';
export { applyImport, IMPORT_PRODUCTS, planImport } from './config-import.js';
export {
  keptIn,
  loadedIn,
  projectServers,
  reach,
  repositoryFacts,
  sandboxFacts,
  settingsFiles,
  storedFacts,
  wayTo,
} from './doctor.js';
export { untrustedBy, untrustedFolder } from './folder-trust.js';
export { lacksKey } from './lacks-key.js';
export { openPersonalFiles, type PersonalFiles } from './personal-files.js';
export { serveTools } from './serve-tools.js';
export { openStatusLine, type StatusLine, type StatusLineInput } from './status-line.js';
