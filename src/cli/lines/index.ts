// The line mode: prompts that come in, lines that go out.

export { createLineReader, type LineReader } from './line-reader.js';
export { createPromptStream, type PromptStream, readPiped } from './read-prompt.js';
export { createStop } from './stop.js';
export { paint, type Style, styleFor, wantsColour } from './style.js';
export { renderToolResult, renderToolUse } from './views.js';
