// The draft: its editor, completions, earlier prompts, vim, images.

export type { CompletedCommand } from './completions.js';
export { type Composer, createComposer } from './composer.js';
export { createDraftParts, type OpenDraftParts } from './draft.js';
export { editExternally } from './external-editor.js';
export { createHistorySearch } from './history-search.js';
