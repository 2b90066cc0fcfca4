// Which key does what.

export type { ActionName } from './actions.js';
export { KEYBINDINGS_FILE, type Keybindings, keyList, readKeybindings } from './keybindings.js';
