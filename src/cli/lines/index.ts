// The line mode: prompts that come in, lines that go out.

export { createLineReader, type LineReader } from './line-reader.js';
export { createPromptStream, type PromptStream } from './prompt-stream.js';
export { readPiped } from './read-prompt.js';
export { renderToolResult, renderToolUse } from './render.js';
export { createStop } from './stop.js';
export { paint, type Style, styleFor, wantsColour } from './style.js';
