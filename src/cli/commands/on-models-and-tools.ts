// Commands about which models and tools there are to choose from. One door, loaded with the first of them.

export { runModels } from './models.js';
export { runTools } from './tools.js';
