// Plugins: marketplaces, what is installed, what a session has of them.

export type { LoadedParts } from './loaded-parts.js';
export { openLoadedParts } from './loaded-parts.js';
export type { ListedMarketplace, ListedPlugin, MarketOptions, PluginChange } from './plugin-market.js';
export {
  addMarketplace,
  installPlugin,
  listInstalled,
  listMarketplaces,
  removeMarketplace,
  setPluginEnabled,
  uninstallPlugin,
  updateMarketplaces,
  updatePlugins,
} from './plugin-market.js';
export type { LocalPlugin, OpenedPlugins } from './plugin-options.js';
export { findWithPlugins, namesPlugins, openPlugins, reloadPlugins } from './plugin-options.js';
export type { DescribedMarketplace, DescribedPlugin } from './plugins.js';
export { describePlugin } from './plugins.js';
