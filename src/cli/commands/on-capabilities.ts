// Commands about what the model may use. One door, loaded with the first of them.

export { runAgents } from './agents.js';
export { runMcp } from './mcp.js';
export { runSkills } from './skills.js';
