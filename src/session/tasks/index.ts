// Commands and agents in the background.
export type { AgentRoster, AgentSlot, FoundAgent, KnownAgent, PastAgent } from './agent-roster.js';
export { createSessionTasks, type SessionTasks, stopTask } from './session-tasks.js';
export type { TaskRegistry } from './task-registry.js';
