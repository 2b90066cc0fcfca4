// What only some users need to reach models: proxies, programs and callbacks that give keys, files of models and authorities.

export { withCustomModels } from '../../providers/choice/index.js';
export { checkProxy, chooseProxy } from '../../providers/http/index.js';
export { createKeyHelper, createTokenFetcher } from '../../providers/keys/index.js';
export { readAuthorities, readModelProfiles, readModelsFile, toolCallsOf } from './user-files.js';
