// The options of `query()`: declared, checked, made plain.

export type { OptionDeclaration, OptionFlag } from './declaration.js';
export { DECLARED } from './declared/index.js';
export { isGiven, type Options, type PlainOptions, plainOptions } from './options.js';
export { optionsWithoutEffect, refuseUnsafeOptions, unknownOptions } from './unsupported-options.js';
export { findWrongOption, isOfKind, wrongOption } from './wrong-option.js';
