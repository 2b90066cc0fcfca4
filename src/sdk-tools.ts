// `turnwright/sdk-tools`: the types of tool inputs and outputs under the names and spellings of the Claude Agent SDK, as
// `turnwright/claude` gives them in `tool_use_result`. Types only.
export type * from './sdk/dialects/claude/sdk-tools.js';
