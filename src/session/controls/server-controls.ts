// The MCP servers of a session that runs: connected again, switched on and off, exchanged, read. One rule: what changes
// counts from the next request on, and a prompt that runs goes on.
import { mcpServerRule } from '../../mcp/tool-names.js';
import type {
  McpCallOptions,
  McpSetServersResult,
  McpToken,
  SDKControlMcpCallResponse,
  SDKControlMcpReadResourceResponse,
} from '../../protocol/control.js';
import { ConfigError, ToolError } from '../../protocol/errors.js';
import type { McpCompleteParams } from '../../protocol/mcp.js';
import type { AnyTool, ToolContext } from '../../tools/tool.js';
import { isRecord } from '../../util/json.js';
import type { Session, SessionRuntime } from '../core/index.js';
import type { NewServer, SessionServers } from '../mcp/index.js';

/** A server may be slow, and a client waits. Milliseconds. */
const TIMEOUT_MS = 60_000;

export async function reconnectServer({ servers }: SessionRuntime, name: string): Promise<void> {
  await known(servers.now, name).reconnect(name);
}

export async function toggleServer({ servers }: SessionRuntime, name: string, enabled: boolean): Promise<void> {
  if (typeof enabled !== 'boolean')
    throw new ConfigError('toggleMcpServer takes the name of a server and true or false.');
  await known(servers.now, name).toggle(name, enabled);
}

export async function setServers(
  { servers }: SessionRuntime,
  wanted: readonly NewServer[],
): Promise<McpSetServersResult> {
  if (servers.now === null && wanted.length === 0) return { added: [], removed: [], errors: {} };
  return (await servers.open()).set(wanted);
}

/** @throws ConfigError, and Error with what the server said */
export async function readServerResource(
  { host }: Session,
  { servers }: SessionRuntime,
  name: string,
  uri: string,
  ended: AbortSignal,
): Promise<SDKControlMcpReadResourceResponse> {
  if (typeof uri !== 'string' || uri === '') throw new ConfigError('readMcpResource takes a server and an address.');
  const found = known(servers.now, name);
  return withinTime(host, ended, async (signal) => ({ contents: await found.readResource(name, uri, signal) }));
}

export async function completeArgument(
  { host }: Session,
  { servers }: SessionRuntime,
  name: string,
  params: McpCompleteParams,
  ended: AbortSignal,
): Promise<{ readonly values: string[] }> {
  const found = known(servers.now, name);
  return withinTime(host, ended, async (signal) => ({ values: [...(await found.complete(name, params, signal))] }));
}

/** @throws ConfigError, and Error with what is wrong with the server's way to sign in */
export async function authenticate(
  { servers }: SessionRuntime,
  name: string,
  redirectUri: string | undefined,
): Promise<{ readonly authUrl?: string; readonly requiresUserAction: boolean }> {
  const isAddress = redirectUri === undefined || (typeof redirectUri === 'string' && URL.canParse(redirectUri));
  if (!isAddress)
    throw new ConfigError('mcpAuthenticate takes a server and the address that the browser comes back to.');
  const authUrl = await known(servers.now, name).signIn.begin(name, redirectUri);
  return authUrl === null ? { requiresUserAction: false } : { authUrl, requiresUserAction: true };
}

/** @throws ConfigError, and Error if that is no answer to what was begun */
export async function submitCallback({ servers }: SessionRuntime, name: string, callbackUrl: string): Promise<void> {
  if (typeof callbackUrl !== 'string' || callbackUrl === '')
    throw new ConfigError('mcpSubmitOAuthCallbackUrl takes a server and the address that the browser came back to.');
  await known(servers.now, name).signIn.submit(name, callbackUrl);
}

export async function clearAuth({ servers }: SessionRuntime, name: string): Promise<void> {
  await known(servers.now, name).signIn.clear(name);
}

const SHORTEST_CALL_MS = 1_000;
const LONGEST_CALL_MS = 600_000;

/**
 * Calls a tool for the host: no model asks for it, none sees what it gives, and nobody is asked about it.
 * @throws ConfigError; ToolError with what the server said
 */
export async function callTool(
  { host }: Session,
  { servers, loop }: SessionRuntime,
  name: string,
  input: Readonly<Record<string, unknown>>,
  { timeoutMs }: McpCallOptions,
  ended: AbortSignal,
): Promise<SDKControlMcpCallResponse> {
  if (typeof name !== 'string' || !name.startsWith('mcp__'))
    throw new ConfigError('callMcpTool takes the full name of a tool of a server, such as mcp__files__list.');
  if (!isRecord(input)) throw new ConfigError('callMcpTool takes the arguments of the tool as an object.');
  const isTime = timeoutMs === undefined || (Number.isInteger(timeoutMs) && timeoutMs > 0);
  if (!isTime) throw new ConfigError('timeoutMs of callMcpTool must be a whole number of milliseconds.');
  const tool = await known(servers.now, name).toolOf(name, ended);
  const why = tool.mustAsk?.();
  if (why != null)
    throw new ConfigError(
      `${name} is not called: ${why}. Let the model call it once in the session: then somebody is asked.`,
    );
  const late = new AbortController();
  const limit = timeoutMs === undefined ? null : Math.min(Math.max(timeoutMs, SHORTEST_CALL_MS), LONGEST_CALL_MS);
  const cancel = limit === null ? () => undefined : host.clock.after(limit, () => late.abort());
  try {
    const context = loop.toolContext(host.ids.uuid(), AbortSignal.any([ended, late.signal]));
    const { data } = await (tool.run as (input: unknown, context: ToolContext) => ReturnType<AnyTool['run']>)(
      input,
      context,
    );
    return data as SDKControlMcpCallResponse;
  } catch (error) {
    if (late.signal.aborted) throw new ToolError(`The tool ${name} gave nothing within ${limit} ms.`);
    throw error;
  } finally {
    cancel();
  }
}

/** Uses a token that the host got elsewhere. */
export async function injectToken({ servers }: SessionRuntime, name: string, token: McpToken): Promise<void> {
  const { accessToken, expiresAt } = (isRecord(token) ? token : {}) as Partial<McpToken>;
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken))
    throw new ConfigError('injectMcpToken takes a server and { accessToken, expiresAt? }.');
  if (expiresAt !== undefined && !Number.isFinite(expiresAt))
    throw new ConfigError('expiresAt of injectMcpToken must be milliseconds since 1970.');
  await known(servers.now, name).signIn.use(name, { accessToken, ...(expiresAt === undefined ? {} : { expiresAt }) });
}

/** Tools of one server are decided on in another mode than the session's. */
export function overrideServerMode(
  { config }: Session,
  { servers, gate }: SessionRuntime,
  name: string,
  mode: 'default' | 'auto' | null,
): { readonly warning?: string } {
  if (mode !== null && mode !== 'default' && mode !== 'auto')
    throw new ConfigError(`The mode is ${JSON.stringify(mode)}. Give default, auto or null.`);
  if (gate.rules === null) throw new ConfigError('This session has no permissions, so its calls have no modes.');
  const isKnown = servers.now?.names.includes(name) === true;
  gate.overrideMode(mcpServerRule(name), mode);
  if (!isKnown) return { warning: `There is no MCP server ${name} yet: the mode counts once there is one.` };
  if (mode === 'auto' && config.autoMode === undefined)
    return { warning: 'This session has no judge (autoMode), so what no rule allows is asked about all the same.' };
  return {};
}

function known(servers: SessionServers | null, name: string): SessionServers {
  if (servers !== null) return servers;
  throw new ConfigError(`There is no MCP server ${String(name)}: this session has none.`);
}

async function withinTime<T>(
  { clock }: Session['host'],
  ended: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => late.abort());
  try {
    return await work(AbortSignal.any([ended, late.signal]));
  } catch (error) {
    if (late.signal.aborted) throw new Error(`The MCP server did not answer within ${TIMEOUT_MS / 1000} s.`);
    throw error;
  } finally {
    cancel();
  }
}
