// Settings of all places, as the session uses them, and how they are changed.
export { editSettings, type SettingsEdit, saveUpdates, settingsTarget, type WritableScope } from './edit-settings.js';
export { whileLocked } from './file-lock.js';
export { findSettings, type SettingsFinder, type SettingsOptions, vouches } from './find-settings.js';
export { keepTrust } from './keep-trust.js';
export type { OpenedSettings } from './open-settings.js';
export { type CheckedExample, checkExamples } from './rule-examples.js';
