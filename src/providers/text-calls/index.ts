// Calls that a model writes as text.
export { TOOL_CALL_PROFILES, type ToolCallProfile, toolCallProfile } from './call-form.js';
export { withToolCallText } from './tool-call-text.js';
