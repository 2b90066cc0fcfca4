// Programs and threads: started, watched, ended.

export { createNodeProcesses } from './node-processes.js';
export { runWorkerJob } from './worker-job.js';
