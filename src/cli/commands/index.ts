// Commands of the command line; each is loaded when it is asked for. What two of them share comes by this door.

export { renderMessages, sessionTable, titleOf } from './session-views.js';
