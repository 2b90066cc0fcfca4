// What a session's model is given: each tool and part of the system prompt, with whose it is and what decides.
import type { EffectiveParts, EffectiveTool } from '../../protocol/control-answers.js';
import type { Session, SessionRuntime } from '../core/index.js';
import { nextRequest } from './next-request.js';

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
