// What else can be asked of a session and changed in it while it lives, beside its prompts. Loaded with the first such
// call; each control stands in a file of its own.
export { createEngineControls, type EngineControls } from './engine-controls.js';
