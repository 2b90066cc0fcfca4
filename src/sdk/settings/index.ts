// Settings: read for people and programs, put under the options, changed while a session runs.

export { modelFailure } from './apply-settings.js';
export { commandFilesOf } from './command-files.js';
export type { Configuration, ConfiguredValue, SettingKey } from './config.js';
export { changeConfiguration, configTool, readConfiguration, settingKeys, valueOfKey } from './config.js';
export { effectiveOptions, PUBLISHED_SOURCES } from './effective-options.js';
export { checkMode, permissionContext } from './permission-context.js';
export { type Reopening, settingsChange } from './reopen-settings.js';
export type {
  ProvenanceEntry,
  ResolvedSettingSource,
  ResolvedSettings,
  ResolveSettingsOptions,
} from './resolve-settings.js';
export { filterEscalatingDefaultMode, resolveSettings } from './resolve-settings.js';
export { withSettings } from './with-settings.js';
