// The options of `query()`: declared, checked, made plain.

export type { OptionDeclaration, OptionFlag } from './declaration.js';
export { DECLARED } from './declared/index.js';
export type { Options, PlainOptions } from './options.js';
export { plainOptions } from './plain-options.js';
export { optionsWithoutEffect, refuseUnsafeOptions, unknownOptions } from './unsupported-options.js';
export { findWrongOption, isOfKind, wrongOption } from './wrong-option.js';
