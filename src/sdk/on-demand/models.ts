// Which models and providers a session may have, and what the user has left of them.

export { availableModels, byokProviders, usageInfo } from '../models/index.js';
