// What would be decided about a call, and the rules of a session.

export type { PermissionQuestion, RuleReport } from './permissions.js';
export { checkCallHere, checkPermission, explainCommand, testPermissionRules } from './permissions.js';
