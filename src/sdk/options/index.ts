// The options of `query()`: declared, checked, made plain.

export type { OptionFlag } from './declaration.js';
export { DECLARED } from './declared/index.js';
export { plainOptions } from './plain-options.js';
