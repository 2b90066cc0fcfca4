// Commands in the background.
export { createSessionTasks, type SessionTasks } from './session-tasks.js';
export type { TaskRegistry } from './task-registry.js';
