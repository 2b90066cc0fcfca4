// Windows that take the whole screen; `open-panel.ts` is loaded with the first of them.

export { FACE_COMMANDS, PANELS, type PanelName, panelOfPrompt } from './panel-names.js';
export { openText } from './text-pager.js';
