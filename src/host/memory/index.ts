// A whole machine in memory, for tests.
export { createMemoryHost } from './memory-host.js';
