// The web, as a session reaches it. Loaded with the first call of a tool for it, or the first hook that sends something.
export { admitWeb, checkWeb, openHookWeb, openSessionWeb } from './open-session-web.js';
