// Settings: read for people and programs, put under the options, changed while a session runs.

export type { Configuration, ConfiguredValue, SettingKey } from './config.js';
export { changeConfiguration, readConfiguration, settingKeys, valueOfKey } from './config.js';
export type { ImportPlan } from './config-import.js';
export { applyImport, IMPORT_PRODUCTS, planImport } from './config-import.js';
export { effectiveOptions } from './effective-options.js';
export { untrustedBy, untrustedFolder } from './folder-trust.js';
export type {
  ProvenanceEntry,
  ResolvedSettingSource,
  ResolvedSettings,
  ResolveSettingsOptions,
} from './resolve-settings.js';
export { filterEscalatingDefaultMode, resolveSettings } from './resolve-settings.js';
export { withSettings } from './with-settings.js';
