// What a client asks first about a session.
import { DEFAULT_STYLE } from '../../context/output-styles.js';
import { CAPABILITIES, CLAUDE_CODE_VERSION } from '../../protocol/capabilities.js';
import type { SDKControlInitializeResponse } from '../../protocol/control-answers.js';
import type { ControlledQuery } from './controlled-query.js';

export async function initializationResult(query: ControlledQuery): Promise<SDKControlInitializeResponse> {
  const engine = await query.open();
  const [models, agents, controls, styles] = await Promise.all([
    query.listModels(),
    query.listAgents(),
    engine.controls(),
    styleNames(query),
  ]);
  const facts = controls.facts();
  return {
    commands: engine.supportedCommands(),
    agents,
    output_style: controls.outputStyle(),
    available_output_styles: styles,
    models,
    account: { apiKeySource: facts.apiKeySource },
    permissionMode: facts.permissionMode,
    capabilities: [...CAPABILITIES],
    claude_code_version: CLAUDE_CODE_VERSION,
  };
}

/** Those that a session of these options could have, as they are now. */
export async function styleNames({ options }: ControlledQuery): Promise<string[]> {
  const { listOutputStyles } = await import('../prompts/output-style-options.js');
  return [DEFAULT_STYLE, ...(await listOutputStyles(options)).map(({ name }) => name)];
}
