// What follows from settings once a session has some: the tool for them, changes, rules that are kept, models that fail and
// those that answer in their place.

export { fallbackSettings } from '../../session/models/index.js';
export { saveUpdates } from '../../session/settings/index.js';
export { configTool, modelFailure, settingsChange } from '../settings/index.js';
