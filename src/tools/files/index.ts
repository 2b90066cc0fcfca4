// What Read, Edit and Write do with files.
export { editFile, writeFile } from './change-file.js';
export { showLines } from './show-lines.js';
