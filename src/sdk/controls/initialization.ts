// What a client asks first about a session.
import { CAPABILITIES, CLAUDE_CODE_VERSION } from '../../protocol/capabilities.js';
import type { SDKControlInitializeResponse } from '../../protocol/control-answers.js';
import type { ControlledQuery } from './controlled-query.js';

/** The one style there is. */
const OUTPUT_STYLE = 'default';

export async function initializationResult(query: ControlledQuery): Promise<SDKControlInitializeResponse> {
  const engine = await query.open();
  const [models, agents, facts] = await Promise.all([
    query.listModels(),
    query.listAgents(),
    engine.controls().then((controls) => controls.facts()),
  ]);
  return {
    commands: engine.supportedCommands(),
    agents,
    output_style: OUTPUT_STYLE,
    available_output_styles: [OUTPUT_STYLE],
    models,
    account: { apiKeySource: facts.apiKeySource },
    permissionMode: facts.permissionMode,
    capabilities: [...CAPABILITIES],
    claude_code_version: CLAUDE_CODE_VERSION,
  };
}
