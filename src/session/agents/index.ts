// Subagents: how one is put together, and how it runs. Loaded with the first of them.
export { askHookAgent } from './hook-agent.js';
export { spawnAgent } from './spawn-agent.js';
