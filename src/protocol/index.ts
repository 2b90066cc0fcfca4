// `turnwright/protocol`: every type that crosses a boundary, and the constants. Needs no Node.
export * from './content.js';
export * from './control.js';
export * from './elicitation.js';
export * from './envelope.js';
export * from './errors.js';
export * from './hooks.js';
export * from './json.js';
export * from './mcp.js';
export * from './messages.js';
export * from './model.js';
export * from './model-events.js';
export * from './options.js';
export * from './permissions.js';
export * from './rewind.js';
export * from './session-store.js';
export * from './system-messages.js';
export * from './tool-io.js';
