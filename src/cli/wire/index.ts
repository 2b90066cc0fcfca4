// JSON lines for other programs.

export type { WireFlags } from './wire-flags.js';
