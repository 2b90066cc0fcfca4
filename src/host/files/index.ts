// The files of this machine.

export { createNodeFs } from './node-fs.js';
