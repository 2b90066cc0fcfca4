// What Glob and Grep do: find files by their paths and by their content.
export { findFiles } from './find-files.js';
export { grepFiles } from './grep-files.js';
