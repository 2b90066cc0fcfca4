// Plugins, and what is looked for in them too.

export { namesPlugins, openPlugins, reloadPlugins } from '../plugins/index.js';
export { openOutputStyle, outputStyles } from '../prompts/index.js';
export { skillsOf } from '../skills/index.js';
