// Commands about what the model may use. One door, loaded with the first of them.

export { runAgents, runSkills } from './agents-and-skills.js';
export { runMcp } from './mcp.js';
