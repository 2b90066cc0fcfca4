// What only some sessions have for permissions and questions: loaded as they are put together.

export { createElicitor } from './elicitation.js';
export { openPromptTool } from './prompt-tool.js';
export { openSessionProvenance } from './provenance.js';
