// What a session at the terminal is loaded with, behind the first frame.

export { openPersonalFiles, openStatusLine } from '../sdk/faces/index.js';
export { query } from '../sdk/query.js';
export { askBeforeSession, askInTerminal } from './dialogs/index.js';
