// Stands in front of the provider of a session: no request has a secret in what the engine, a tool, a file or a hook put
// into it. What the model itself said goes back as it came.
import type { MessageParam, TextBlock } from '../../protocol/content.js';
import {
  later,
  type ModelRequest,
  type Provider,
  qualitiesOf,
  type ToolDefinition,
} from '../../providers/contract/index.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import { sameStart } from '../../util/same-start.js';

/** What of a request is looked at. A server says what its tools are, so these may hold anything. */
type Part = MessageParam | TextBlock | ToolDefinition;

/** Contract: each message and tool is looked at once; one without a secret is sent as the very same object. */
export function shieldSecrets(provider: Provider, vault: SecretVault): Provider {
  const clean = new WeakSet<object>();
  const replaced = new WeakMap<object, object>();
  /** The last conversation without a secret: another turn of it begins with the same messages. */
  let cleanStart: readonly MessageParam[] = [];

  const isNew = (part: Part): boolean => {
    if (clean.has(part)) return false;
    if (replaced.has(part)) return true;
    const isSaid = 'role' in part && part.role === 'assistant';
    if (!isSaid && vault.suspectsIn(part, !isTool(part))) return true;
    clean.add(part);
    return false;
  };
  const isClean = ({ system, tools, messages }: ModelRequest): boolean => {
    if (system.some(isNew) || tools.some(isNew) || messages.slice(sameStart(messages, cleanStart)).some(isNew))
      return false;
    cleanStart = [...messages]; // whatever becomes of that list
    return true;
  };
  const hideOne = async <Kind extends Part>(part: Kind): Promise<Kind> => {
    if (clean.has(part)) return part;
    const before = replaced.get(part);
    if (before !== undefined) return before as Kind;
    const hidden = await vault.hide(part, 'found', !isTool(part));
    if (hidden === part) clean.add(part);
    else replaced.set(part, hidden);
    return hidden;
  };
  /** One after the other: what is learnt from one is found in the next. */
  const hideAll = async (request: ModelRequest): Promise<ModelRequest> => {
    const [system, tools]: [TextBlock[], ToolDefinition[]] = [[], []];
    for (const block of request.system) system.push(await hideOne(block));
    for (const tool of request.tools) tools.push(await hideOne(tool));
    const messages: MessageParam[] = [];
    for (const message of request.messages) messages.push(isNew(message) ? await hideOne(message) : message);
    return { ...request, system, tools, messages };
  };

  return {
    ...qualitiesOf(provider),
    stream(request, limits, signal) {
      if (isClean(request)) return provider.stream(request, limits, signal);
      return later(async () => provider.stream(await hideAll(request), limits, signal));
    },
  };
}

/** Its fields are named by a schema, not by us. */
function isTool(part: Part): part is ToolDefinition {
  return 'name' in part;
}
