// Messages of a conversation, and the envelope in which the caller gets them.
export { createStamp, type Stamp } from './envelope.js';
export { blocksOf, checkMessages, createHistory, type History, type Message } from './history.js';
