// Settings: their places, their description, how one file is read, checked and merged with others.

export { ALWAYS, admit, isProject, lockedSurfaces, loosensSandbox, type Refused } from './admit.js';
export { withAppended, withValue } from './jsonc.js';
export {
  leavesOf,
  mergeLeaves,
  type SettingEntry,
  type SettingLeaf,
  type SettingsLayer,
  type SettingsProblem,
  schemaAt,
  valuesOf,
} from './merge.js';
export {
  EXTENSION_KINDS,
  type ExtensionKind,
  type ExtensionPlace,
  type ExtensionPlaces,
  extensionParents,
  extensionPlaces,
  foldersOf,
  foldersThere,
  joinPlaces,
  lookAt,
  NO_EXTENSIONS,
  OWN_SERVERS_FILE,
  placesFor,
  projectFolder,
  SETTING_SCOPES,
  type SettingScope,
  type SettingsPlace,
  serverPlaces,
  stampOf,
  userFolders,
  withoutPlaces,
} from './places.js';
export { translatePublished } from './published-keys.js';
export {
  checkSettings,
  describe,
  parseSettings,
  type ReadSource,
  readJsonFile,
  readSettings,
  readSettingsFile,
  validate,
} from './read-file.js';
export { SETTINGS_SCHEMA, UNCLEAR } from './schema.js';
export { ALL_TEXTS, COUNT, type SettingSchema, TEXT, TEXTS, YES_NO } from './setting-schema.js';
