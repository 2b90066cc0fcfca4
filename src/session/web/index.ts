// The web, as a session reaches it. Loaded with the first call of a tool for it.
export { openSessionWeb } from './open-session-web.js';
