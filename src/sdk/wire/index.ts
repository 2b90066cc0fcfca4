// The wire protocol: frames, fields, requests about a session.

export { type ChangedArtifact, createArtifactList } from './artifacts.js';
export type { ControlName, WireControl } from './controls.js';
export { WIRE_CONTROLS } from './controls.js';
export { createFrameReader, type Fields, type Frame, flagIfGiven, record, text, textIfGiven } from './frames.js';
