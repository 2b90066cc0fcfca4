// Stands in front of the provider of a session: no request has a secret in what the engine, a tool, a file or a hook put
// into it. What the model itself said goes back as it came.
import type { MessageParam, TextBlock } from '../protocol/content.js';
import { later } from '../providers/later-stream.js';
import type { ModelRequest, Provider } from '../providers/provider.js';
import { qualitiesOf } from '../providers/provider-qualities.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import { sameStart } from '../util/same-start.js';

/** Contract: each message is looked at once; one without a secret is sent as the very same object. */
export function shieldSecrets(provider: Provider, vault: SecretVault): Provider {
  const clean = new WeakSet<object>();
  const replaced = new WeakMap<object, object>();
  /** The last conversation without a secret: another turn of it begins with the same messages. */
  let cleanStart: readonly MessageParam[] = [];

  const isNew = (part: MessageParam | TextBlock): boolean => {
    if (clean.has(part)) return false;
    if (replaced.has(part)) return true;
    const isSaid = 'role' in part && part.role === 'assistant';
    if (!isSaid && vault.suspectsIn(part, true)) return true;
    clean.add(part);
    return false;
  };
  const isClean = ({ system, messages }: ModelRequest): boolean => {
    if (system.some(isNew) || messages.slice(sameStart(messages, cleanStart)).some(isNew)) return false;
    cleanStart = [...messages]; // whatever becomes of that list
    return true;
  };
  const hideOne = async <Part extends MessageParam | TextBlock>(part: Part): Promise<Part> => {
    if (clean.has(part)) return part;
    const before = replaced.get(part);
    if (before !== undefined) return before as Part;
    const hidden = await vault.hide(part, 'found', true);
    if (hidden === part) clean.add(part);
    else replaced.set(part, hidden);
    return hidden;
  };
  /** One after the other: what is learnt from one is found in the next. */
  const hideAll = async (request: ModelRequest): Promise<ModelRequest> => {
    const system: TextBlock[] = [];
    for (const block of request.system) system.push(await hideOne(block));
    const messages: MessageParam[] = [];
    for (const message of request.messages) messages.push(isNew(message) ? await hideOne(message) : message);
    return { ...request, system, messages };
  };

  return {
    ...qualitiesOf(provider),
    stream(request, limits, signal) {
      if (isClean(request)) return provider.stream(request, limits, signal);
      return later(async () => provider.stream(await hideAll(request), limits, signal));
    },
  };
}
