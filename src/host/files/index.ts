// The files of this machine.

export { createNodeFs } from './node-fs.js';
export { openProgram, runningProgram } from './node-open.js';
