// Programs and threads: started, watched, ended.

export { runWorkerJob } from './worker-job.js';
