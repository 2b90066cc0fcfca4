// Commands of the command line; each is loaded when it is asked for. What two of them share comes by this door.

export { sessionTable, titleOf } from './session-table.js';
export { renderMessages } from './session-view.js';
