// What a session's model is given: each tool and part of the system prompt, with whose it is and what decides.

import type { SystemPromptSection } from '../../context/system-prompt.js';
import { createRequestBuilder } from '../../engine/request/index.js';
import type { LoopState } from '../../engine/state/index.js';
import type { MessageParam } from '../../protocol/content.js';
import type { EffectiveParts, EffectiveTool } from '../../protocol/control.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import type { AgentRun, Session, SessionRuntime } from '../core/index.js';
import { instructionsNow, requestSettings, stateOf, systemPrompt } from '../prompt/index.js';

const MCP_PREFIX = 'mcp__';

/** Contract: sends nothing and changes nothing. */
export async function effectiveParts(session: Session, runtime: SessionRuntime): Promise<EffectiveParts> {
  const { request, sections } = await nextRequest(session, runtime);
  const defined = new Set(request.tools.map(({ name }) => name));
  return {
    model: request.model,
    tools: runtime.setup.tools.map(({ name }): EffectiveTool => {
      const [rule] = wholeRules(runtime, name);
      return {
        name,
        source: name.startsWith(MCP_PREFIX) ? `mcp:${name.split('__')[1] ?? ''}` : 'built-in',
        calls: rule === undefined ? 'decided' : CALLS[rule.behavior],
        ...(rule === undefined ? {} : { rule: rule.source, ruleOrigin: rule.origin }),
        ...(defined.has(name) ? {} : { isDeferred: true }),
      };
    }),
    systemPrompt: sections
      .filter(({ text }) => text.trim() !== '')
      .map(({ name, file, text }) => ({ name, characters: text.length, ...(file === null ? {} : { file }) })),
  };
}

const CALLS = { deny: 'denied', ask: 'asked', allow: 'auto_approved' } as const;

/** Rules about every call of a tool, the one that wins first. */
function wholeRules({ gate: { rules } }: SessionRuntime, tool: string) {
  return (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
    (rules?.[behavior] ?? [])
      .filter(({ content, toolName }) => content === null && (toolName === tool || tool.startsWith(`${toolName}__`)))
      .map(({ source, origin }) => ({ behavior, source, origin })),
  );
}

// The request that the session would send next, for a look at it and for questions beside the conversation. One rule: it
// is made without a trace, so a prompt that runs or comes finds everything as it was.

export interface NextRequest {
  readonly request: ModelRequest;
  readonly sections: readonly SystemPromptSection[];
  readonly state: LoopState;
}

/** The session's own agent, as a prompt of it would run. */
export function ownRun(session: Session, runtime: SessionRuntime): AgentRun {
  const model = session.memory.settings?.model ?? runtime.model;
  return { agentId: null, session, runtime, model, isModelNamed: false, tokens: { total: 0 }, answered: [] };
}

/** @param more what goes behind the conversation */
export async function nextRequest(
  session: Session,
  runtime: SessionRuntime,
  more: readonly MessageParam[] = [],
): Promise<NextRequest> {
  const { sections } = await systemPrompt(session, runtime, instructionsNow);
  const settings = requestSettings(session, runtime, sections);
  const state = stateOf(ownRun(session, runtime), session.config.jsonSchema !== undefined);
  const extended = { ...state, messages: [...state.messages, ...more] };
  if (runtime.requests.isConfigured) return { request: runtime.requests.peek(extended), sections, state };
  const builder = createRequestBuilder();
  builder.configure(settings);
  return { request: builder.peek(extended), sections, state };
}
