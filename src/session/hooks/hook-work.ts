// What a hook of settings or of a plugin does, by its type; foreign data is checked here. One rule: what cannot be used is
// told, and nothing is guessed.
import { DEFAULT_TIMEOUT_SECONDS, type HookAction } from '../../hooks/declared-hooks.js';
import { isRecord } from '../../util/json.js';
import { isFilled, shorten } from '../../util/text.js';
import { readAddress } from '../../util/web-address.js';

export interface UsableWork {
  readonly fault: null;
  /** The line for a shell; of another type, what is done in a line. */
  readonly command: string;
  /** Null for a command. */
  readonly action: HookAction | null;
  /** Used if the hook names none. */
  readonly timeoutSeconds: number;
}

export interface UnusableWork {
  /** Why it cannot be used. */
  readonly fault: string;
  /** As far as it can be told. */
  readonly command: string | null;
}

export type HookWork = UsableWork | UnusableWork;

const PROMPT_SECONDS = 30;
/** Belong to the connection, not to who sends something over it. */
const OWN_HEADERS = ['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'expect', 'te', 'trailer'];
const HEADER_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
const SHOWN = 200;

/** What settings say of hooks that send something; undefined: nothing. */
export interface HttpHookRules {
  readonly urls?: readonly string[] | undefined;
  readonly variables?: readonly string[] | undefined;
}

export function hookWork(said: Readonly<Record<string, unknown>>, rules: HttpHookRules = {}): HookWork {
  const { type = 'command', command } = said;
  switch (type) {
    case 'command':
      return isFilled(command)
        ? { fault: null, command, action: null, timeoutSeconds: DEFAULT_TIMEOUT_SECONDS }
        : unusable('it has no command');
    case 'http':
      return httpWork(said, rules);
    case 'prompt':
    case 'agent': {
      const { prompt, model } = said;
      if (!isFilled(prompt)) return unusable('it has no prompt');
      if (model !== undefined && !isFilled(model)) return unusable('its model is not a text', prompt);
      const asks = type === 'prompt' ? `asks a model: ${prompt}` : `asks an agent: ${prompt}`;
      return usable(asks, { type, prompt, model }, type === 'prompt' ? PROMPT_SECONDS : DEFAULT_TIMEOUT_SECONDS);
    }
    case 'mcp_tool': {
      const { server, tool, input = {} } = said;
      if (!isFilled(server) || !isFilled(tool)) return unusable('it needs a server and a tool');
      const line = `calls ${server}: ${tool}`;
      return isRecord(input)
        ? usable(line, { type, server, tool, input })
        : unusable('its input is not an object', line);
    }
    default:
      return unusable(
        `hooks of type ${JSON.stringify(type)} are not supported in this version; command, http, prompt, agent and mcp_tool are`,
        isFilled(command) ? command : null,
      );
  }
}

function httpWork(
  { url, headers = {}, allowedEnvVars = [] }: Readonly<Record<string, unknown>>,
  { urls, variables }: HttpHookRules,
): HookWork {
  if (!isFilled(url)) return unusable('it has no url');
  const line = `POST ${shorten(url, SHOWN)}`;
  const address = readAddress(url);
  if (address.kind === 'unusable') return unusable(`its url cannot be used: ${address.why}`, line);
  if (urls?.some((pattern) => meansUrl(pattern, url)) === false)
    return unusable('settings (allowedHttpHookUrls) do not list its url', line);
  if (!isRecord(headers) || !Object.values(headers).every((value) => typeof value === 'string'))
    return unusable('its headers are not an object of texts', line);
  const wrong = Object.keys(headers).find(
    (name) => !HEADER_NAME.test(name) || OWN_HEADERS.includes(name.toLowerCase()),
  );
  if (wrong !== undefined) return unusable(`it may not set the header ${JSON.stringify(shorten(wrong, 60))}`, line);
  if (!Array.isArray(allowedEnvVars) || !allowedEnvVars.every(isFilled))
    return unusable('its allowedEnvVars are not a list of names', line);
  const named = variables === undefined ? allowedEnvVars : allowedEnvVars.filter((name) => variables.includes(name));
  return usable(line, {
    type: 'http',
    url,
    headers: headers as Readonly<Record<string, string>>,
    allowedEnvVars: named,
  });
}

/** `*` stands for any text. */
function meansUrl(pattern: string, url: string): boolean {
  const parts = pattern.split('*');
  let rest = url;
  for (const [at, part] of parts.entries()) {
    const found =
      at === 0
        ? rest.startsWith(part)
          ? 0
          : -1
        : at === parts.length - 1 && part !== ''
          ? rest.endsWith(part)
            ? rest.length - part.length
            : -1
          : rest.indexOf(part);
    if (found === -1) return false;
    rest = rest.slice(found + part.length);
  }
  return parts.length > 1 || rest === '';
}

function usable(command: string, action: HookAction, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS): UsableWork {
  return { fault: null, command, action, timeoutSeconds };
}

function unusable(fault: string, command: string | null = null): UnusableWork {
  return { fault, command };
}
