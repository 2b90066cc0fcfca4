// What the controls take from other rooms for one call in many.

export { newServers } from '../mcp/index.js';
export { listOutputStyles } from '../prompts/index.js';
