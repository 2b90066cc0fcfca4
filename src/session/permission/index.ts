// Who is asked about a call, and what becomes of the answer.
export type { Verdict } from './answer-call.js';
export { checkAnswer, describeCall } from './answer-call.js';
export type { Elicit } from './elicitation.js';
export { type AgentGate, contextOf, createPermissionGate, type PermissionGate } from './permission-gate.js';
export { type Provenance, readPolicy } from './provenance.js';
export { announced, createWaitFor, tellStatus } from './waiting.js';
