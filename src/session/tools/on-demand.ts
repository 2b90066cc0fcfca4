// Of tools what few prompts need: they are found by a search or called out of scripts, their schemas are in old words, or a
// compaction keeps what they showed.

export { modernSchema } from '../../util/old-json-schema.js';
export { parts as toolSearch } from './defer-tools.js';
export { parts as codeMode, readCodeMode } from './offer-scripts.js';
export { pinSources } from './pin-sources.js';
