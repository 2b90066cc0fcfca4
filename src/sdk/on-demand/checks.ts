// What checks options before anything starts, and tells of those that do nothing.

export { readDeclaredHooks } from '../../hooks/declared-hooks.js';
export { loadCatalogue } from '../../providers/models/index.js';
export { readPolicy } from '../../session/permission/index.js';
export { optionsWithoutEffect, refuseUnsafeOptions, unknownOptions } from '../options/index.js';
export { readOutputFormat } from '../schemas/index.js';
