// The vault of a session: what it knows to be secret, the key of its placeholders, and the shield in front of the model.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import type { MessageParam, TextBlock } from '../../protocol/content.js';
import {
  later,
  type ModelRequest,
  type Provider,
  qualitiesOf,
  type ToolDefinition,
} from '../../providers/contract/index.js';
import { createSecrets, type Secrets } from '../../providers/keys/index.js';
import { createSecretVault } from '../../secrets/create-vault.js';
import { isOwnCredential, knownSecrets } from '../../secrets/known-values.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import { sameStart } from '../../util/lists.js';
import { homeFolder } from '../store/index.js';

type Env = Readonly<Record<string, string | undefined>>;

export interface VaultSurroundings {
  readonly host: Host;
  /** The session's own. */
  readonly env: Env;
  /** Credentials that are found elsewhere than in variables, some of them later. Default: none. */
  readonly secrets?: Secrets;
  /** False: nothing may be written, so ids are new in each process if no session kept a key yet. Default true. */
  readonly keepsKey?: boolean;
}

export function createSessionVault({
  host,
  env,
  secrets = createSecrets(),
  keepsKey = true,
}: VaultSurroundings): SecretVault {
  let known: { readonly version: number; readonly values: ReadonlyMap<string, string> } | null = null;
  return createSecretVault({
    known() {
      const { version } = secrets;
      if (known?.version !== version) known = { version, values: knownSecrets(env, secrets) };
      return known.values;
    },
    isOwn: (value) => isOwnCredential(value, env, secrets),
    key: async () => placeholderKey(host, env, keepsKey),
    sha256: (bytes) => host.sha256(bytes),
  });
}

// The key that makes the ids of placeholders: the user's own, in a file that nobody else may read.

const KEY = /^[0-9a-f]{32,128}$/;

/** `placeholder-key` in the user's own folder. Whoever has it can tell whether a guess of a secret is right. */
export function placeholderKeyFile(host: Pick<Host, 'env' | 'platform'>, env: Env): string {
  return path.join(homeFolder(host, env), 'placeholder-key');
}

/** The user's own, made with the first secret. One of this process if it cannot be kept. */
async function placeholderKey(host: Host, env: Env, keepsKey: boolean): Promise<string> {
  const file = placeholderKeyFile(host, env);
  const fresh = `${host.ids.uuid()}${host.ids.uuid()}`.replaceAll('-', '');
  const before = await readKey(host, file);
  if (before !== null) return before;
  if (!keepsKey) return fresh;
  try {
    await host.fs.createFile(file, `${fresh}\n`, { mode: 0o600 });
    return fresh;
  } catch (error) {
    if (!isFileError(error)) throw error;
    // Another process was first, or nothing can be written there.
    return (await readKey(host, file)) ?? fresh;
  }
}

/** Null if there is none that can be used. */
async function readKey(host: Host, file: string): Promise<string | null> {
  try {
    const text = new TextDecoder().decode(await host.fs.readFile(file)).trim();
    return KEY.test(text) ? text : null;
  } catch (error) {
    if (isFileError(error)) return null;
    throw error;
  }
}

// Stands in front of the provider of a session: no request has a secret in what the engine, a tool, a file or a hook put
// into it. What the model itself said goes back as it came.

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
