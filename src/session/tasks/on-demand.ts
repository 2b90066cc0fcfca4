// What works in the background, and agents that wait for their turn: loaded with the first of either.

export { createAgentRoster } from './agent-roster.js';
export { createTaskRegistry } from './task-registry.js';
