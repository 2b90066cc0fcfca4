// Messages of a conversation, and the envelope in which the caller gets them.
export { createStamp, type Stamp } from './envelope.js';
export { createHistory, type History } from './history.js';
export { checkMessages, type Message } from './message.js';
