// Commands about programs of others that run beside a session. One door, loaded with the first of them.

export { runHooks } from './hooks.js';
export { runPlugin } from './plugin.js';
