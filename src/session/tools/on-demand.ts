// Tools that are found by a search, or called out of scripts: loaded with the first prompt that offers them so.

export { parts as toolSearch } from './defer-tools.js';
export { parts as codeMode } from './offer-scripts.js';
