// An agent for editors, over the Agent Client Protocol.

export { serveAcp } from './serve-acp.js';
