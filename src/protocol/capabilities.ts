// What a session says it can do: `capabilities` of `system/init`. One rule: what stands here is done and tested.

/** The versions of published programs whose stream ours is like: `system/init` names them for who reads them there. */
export const CLAUDE_CODE_VERSION = '2.1.330';
export const QODERCLI_VERSION = '1.1.49';

/**
 * Names that published clients ask for before they use something.
 * `interrupt_receipt_v1`: an interrupt answers with the messages that still wait. `session_rewind_v1`: the conversation
 * and its files can be set back. `background_tasks_v1`: tasks in the background can be stopped.
 * `interrupt_cancel_queued_v1`: an interrupt can drop the messages that wait. `plan_mode_v1`: `setPlanMode`.
 * `side_question_v1`: `askSideQuestion`. `byok_config_management_v1`: `createByokConfig` and those beside it.
 * `goal_v1`, `goal_max_turns_v1`: `setGoal` and those beside it. `reload_skills_v1`: `reloadSkills`.
 * `reload_plugins_refuse_if_busy_v1`: `refuseIfBusy` of `reloadPlugins`. `mcp_read_resource_v1`: `readMcpResource`.
 */
export const CAPABILITIES = [
  'interrupt_receipt_v1',
  'interrupt_cancel_queued_v1',
  'session_rewind_v1',
  'background_tasks_v1',
  'plan_mode_v1',
  'side_question_v1',
  'byok_config_management_v1',
  'goal_v1',
  'goal_max_turns_v1',
  'reload_skills_v1',
  'reload_plugins_refuse_if_busy_v1',
  'mcp_read_resource_v1',
] as const;
