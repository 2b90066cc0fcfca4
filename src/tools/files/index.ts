// What Read, Edit and Write do with files.
export { editFile } from './edit-file.js';
export { showLines } from './show-lines.js';
export { writeFile } from './write-file.js';
