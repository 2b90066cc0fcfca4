// The wire protocol: frames, fields, requests about a session.

export { type ChangedArtifact, createArtifactList } from './artifacts.js';
export type { ControlName, WireControl } from './controls.js';
export { WIRE_CONTROLS } from './controls.js';
export type { Fields } from './fields.js';
export { flagIfGiven, given, record, text, textIfGiven } from './fields.js';
export type { Frame } from './read-frames.js';
export { createFrameReader } from './read-frames.js';
