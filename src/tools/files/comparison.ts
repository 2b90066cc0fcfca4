// What needs the library `diff`: loaded with the first change of a file, or the first text that is not found in one.
export { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
export { findNearMatch } from './near-match.js';
