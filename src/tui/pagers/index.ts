// Windows that take the whole screen; `open-panel.ts` is loaded with the first of them.

export { openText } from './pager-window.js';
export { FACE_COMMANDS, PANELS, type PanelName, panelOfPrompt } from './panel-names.js';
