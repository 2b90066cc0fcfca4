// Plugins: what is in one, marketplaces, and the copies that are kept of them.

export { type Fetched, fetchSource, keepFetched } from './fetch-source.js';
export {
  findForeignPlugin,
  type InstalledPlugin,
  type KnownMarketplace,
  type PluginRecords,
  pluginsHome,
  readRecords,
  recordsFile,
  writeRecords,
} from './installed-plugins.js';
export {
  type Marketplace,
  type MarketplaceEntry,
  type MarketplaceRules,
  type PluginSource,
  readMarketplace,
  readSource,
  readSourceText,
  sourceKey,
  sourceText,
  wholeManifest,
  whyNotAllowed,
} from './marketplace.js';
export { OWN_MANIFEST, PLUGIN_NAME, type Plugin, readPlugin, withPluginRoot } from './read-plugin.js';
export { hashFolder, MARKETPLACE_LIMITS, PLUGIN_LIMITS, type SnapshotLimits } from './snapshot.js';
