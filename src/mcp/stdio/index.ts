// Servers that are programs of this machine.

export { createStdioTransport } from './stdio-transport.js';
