// If a value is wanted: what is known of it before there is one, for `structured-output.ts`, which is loaded with the
// first reply.
import type { StructuredState } from './loop-state.js';

export const NO_VALUE_YET: StructuredState = { failures: 0, lastError: null, value: null };
