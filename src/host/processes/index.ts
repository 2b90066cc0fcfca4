// Programs and threads: started, watched, ended.

export { followOutput, type OutputFollower } from './follow-output.js';
export { createNodeProcesses } from './node-processes.js';
export type { OrphanWatch } from './orphan-watch.js';
export { endRun, type RunIdentity } from './process-group.js';
export { type Child, type Exit, type FedChild, startProgram, waitForExit, withinTime } from './start-program.js';
export { runWorkerJob } from './worker-job.js';
