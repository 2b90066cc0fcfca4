// Instances of the official libraries in this process.

export { createLinkedTransport, isConnectableServer } from './linked-transport.js';
