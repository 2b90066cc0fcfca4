// A hook that sends the event to an address and reads the answer as what a command prints. One rule: an address of this
// machine or of a private network is reached only for whoever owns the machine, and no redirect is followed.
import { admitAddress, dialAddress, lookUp, sendRequest, upgraded, type WebResponse } from '../providers/web/index.js';
import { isPublicHost, readAddress } from '../util/web-address.js';
import { readPrinted } from './command-answer.js';
import type { HookAnswer } from './declared-hook.js';
import type { ActionHook, HookAction, HookWeb } from './hook-action.js';

type HttpAction = Extract<HookAction, { readonly type: 'http' }>;

/** Bytes. */
const MAX_ANSWER = 1024 * 1024;
/** Whoever waits for the hook ends it at its timeout, and says so; this is for what nobody waits for. Milliseconds. */
const GRACE_MS = 1_000;
/** Whose settings may name what is not public. */
const OWNERS = ['managed', 'user', 'flag'];
const NOT_FOR_PROJECTS =
  'it is not on the public internet, and only hooks of managed settings, of the user or of the option settings may go there';

/**
 * @param text the event as JSON
 * @throws ToolError with why there is no answer; AbortError
 */
export async function postEvent(
  hook: ActionHook,
  action: HttpAction,
  text: string,
  environment: Readonly<Record<string, string>>,
  { reach, isOpenToProject }: HookWeb,
  signal: AbortSignal,
): Promise<HookAnswer> {
  const address = readAddress(action.url);
  if (address.kind === 'unusable') return failed(`its address cannot be used: ${address.why}`);
  const { host } = address;
  const url = upgraded(address.url, address.isPublic);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (hook.isConfined && !isOpenToProject(bare, port))
    return failed(`${url.host} is not in sandbox.network.allowedDomains, and a hook of a project reaches nothing else`);
  const isOwners = OWNERS.includes(hook.scope);
  const rules = {
    mayBePrivate: (name: string) => isOwners && name === bare,
    whyDenied: (name: string, at: number) =>
      isOwners || isPublicHost(name) ? reach.rules.whyDenied(name, at) : NOT_FOR_PROJECTS,
  };
  const route = await reach.routeTo(url);
  const isLookedUpElsewhere = route?.proxy != null;
  const { addresses } = await admitAddress(host, port, { rules, lookup: reach.lookup ?? lookUp, isLookedUpElsewhere });
  const response = await sendRequest(
    { url, headers: { accept: 'application/json', ...headersOf(action, environment) }, body: text },
    { addresses, route, dial: reach.dial ?? dialAddress, clock: reach.clock },
    { totalMs: hook.timeoutMs + GRACE_MS, maxBytes: MAX_ANSWER },
    signal,
    ({ status }) => isGood(status),
  );
  return readResponse(hook, url, response);
}

function readResponse(hook: ActionHook, { host }: URL, { status, bytes, isWhole }: WebResponse): HookAnswer {
  if (status >= 300 && status < 400) return failed(`${host} redirects (${status}), and hooks follow no redirect`);
  if (!isGood(status)) return failed(`${host} answered with the status ${status}`);
  if (!isWhole) return failed(`${host} answered with more than ${MAX_ANSWER} bytes`);
  const stdout = new TextDecoder().decode(bytes);
  return readPrinted(hook.event, stdout, { stdout, stderr: '', exitCode: null });
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

function failed(error: string): HookAnswer {
  return { output: undefined, error };
}

/** What is not allowed, or not set, is sent as nothing. */
function headersOf(
  { headers, allowedEnvVars }: HttpAction,
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const variable = (name: string) => (allowedEnvVars.includes(name) ? (environment[name] ?? '') : '');
  const filled = (text: string) =>
    text.replace(/\$\{(\w+)\}|\$(\w+)/g, (_, braced?: string, plain?: string) => variable(braced ?? plain ?? ''));
  return {
    'content-type': 'application/json',
    ...Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), filled(text)])),
  };
}
