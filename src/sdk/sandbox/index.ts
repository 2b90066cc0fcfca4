// The option `sandbox`.
export type { SandboxPlace } from './sandbox-option.js';
export { readSandboxOption } from './sandbox-option.js';
