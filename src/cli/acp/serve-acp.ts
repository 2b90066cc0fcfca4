// `turnwright acp`: one connection to an editor over stdin and stdout, and the sessions that it opens. One rule: what is
// advertised is what is answered, so both stand in one table.
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type AgentApp,
  type AgentCapabilities,
  type AgentConnection,
  type AuthMethod,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
} from '@agentclientprotocol/sdk';
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { EngineError } from '../../protocol/errors.js';
import type { McpServerConfig } from '../../protocol/mcp.js';
import type { PermissionMode } from '../../protocol/permissions.js';
import { lacksKey } from '../../sdk/faces/index.js';
import type { DebugLog } from '../../sdk/logs/index.js';
import { type Options, plainOptions } from '../../sdk/options/index.js';
import { deleteSession, listSessions } from '../../sdk/sessions.js';
import { withSettings } from '../../sdk/settings/index.js';
import { errorText, shorten } from '../../util/text.js';
import { VERSION } from '../../util/version.js';
import type { CliIo } from '../cli-io.js';
import { AcpSession, type OpenedSession } from './acp-session.js';
import { invalidParams, keyRequired, requestError } from './content.js';

export interface ServeAcpOptions {
  /** Of the command line: what every session begins with. */
  readonly options: Options;
  readonly io: CliIo;
  readonly log: DebugLog;
}

/** What a request says of the session that it opens. */
interface SessionRequest {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: Parameters<typeof mcpServersOf>[0];
}

/** Characters of a path that are repeated. */
const MAX_PATH = 1_000;
/** The way to a key that the agent itself knows of. */
const KEY_METHOD = 'provider-key';
const LOGIN_METHOD = 'turnwright-login';

const CAPABILITIES: AgentCapabilities = {
  loadSession: true,
  mcpCapabilities: { http: true, sse: true },
  promptCapabilities: { image: true, embeddedContext: true },
  sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
};

/**
 * Serves until the client goes away, or `io.lifetime` is aborted. Settles when no session runs any more.
 * @throws EngineError if the client sent what ended the connection
 */
export async function serveAcp({ options, io, log }: ServeAcpOptions): Promise<void> {
  const host = createNodeHost();
  const sessions = new Map<string, AcpSession>();
  let capabilities: ClientCapabilities = {};
  const say = (line: string) => void io.err.write(`${line}\n`);

  const find = (sessionId: string): AcpSession => {
    const session = sessions.get(sessionId);
    if (session === undefined) throw RequestError.sessionNotFound(sessionId);
    return session;
  };

  /** @throws RequestError */
  async function open(id: string, request: SessionRequest, isStored: boolean): Promise<[AcpSession, OpenedSession]> {
    const { cwd, additionalDirectories = [], mcpServers } = request;
    for (const folder of [cwd, ...additionalDirectories]) await requireFolder(folder);
    const given: Options = {
      ...options,
      cwd,
      additionalDirectories: [...(options.additionalDirectories ?? []), ...additionalDirectories],
      mcpServers: { ...options.mcpServers, ...mcpServersOf(mcpServers) },
    };
    if (!isStored && (await lacksKey(given))) throw keyRequired();
    // Whoever opens it again goes on with it here.
    await sessions.get(id)?.close();
    const mode = await modeAtStart(given);
    const session = new AcpSession({
      id,
      isStored,
      cwd,
      options: given,
      mode,
      host,
      client: () => connection.client,
      capabilities,
      log,
      say,
    });
    sessions.set(id, session);
    try {
      return [session, await session.open()];
    } catch (error) {
      sessions.delete(id);
      throw error;
    }
  }

  async function modeAtStart(given: Options): Promise<PermissionMode> {
    try {
      return (await withSettings(plainOptions(given), host)).options.permissionMode ?? 'default';
    } catch (error) {
      throw requestError(error);
    }
  }

  const app = agent({ name: 'turnwright' })
    .onRequest(methods.agent.initialize, ({ params }): InitializeResponse => {
      capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentCapabilities: CAPABILITIES,
        authMethods: authMethods(capabilities),
        agentInfo: { name: 'turnwright', title: 'Turnwright', version: VERSION },
      };
    })
    .onRequest(methods.agent.authenticate, async ({ params }) => {
      if (params.methodId !== KEY_METHOD)
        throw invalidParams(`There is no way to authenticate "${params.methodId}". Name ${KEY_METHOD}.`);
      if (await lacksKey({ ...options, cwd: io.startedIn() })) throw keyRequired();
      return {};
    })
    .onRequest(methods.agent.session.new, async ({ params }) => {
      const sessionId = randomUUID();
      const [session, opened] = await open(sessionId, params, false);
      afterAnswer(() => session.introduce());
      return { sessionId, ...opened };
    })
    .onRequest(methods.agent.session.load, async ({ params }) => {
      const [session, opened] = await open(params.sessionId, params, true);
      await session.replay();
      afterAnswer(() => session.introduce());
      return opened;
    })
    .onRequest(methods.agent.session.resume, async ({ params }) => {
      const [session, opened] = await open(params.sessionId, params, true);
      afterAnswer(() => session.introduce());
      return opened;
    })
    .onRequest(methods.agent.session.list, async ({ params }) => {
      if (params.cwd != null) requireAbsolute(params.cwd);
      return sessionList(params, host).catch((error: unknown) => Promise.reject(requestError(error)));
    })
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => {
      const session = find(sessionId);
      sessions.delete(sessionId);
      await session.close();
      return {};
    })
    .onRequest(methods.agent.session.delete, async ({ params: { sessionId } }) => {
      const session = sessions.get(sessionId);
      sessions.delete(sessionId);
      await session?.close();
      await deleteSession(sessionId, { host }).catch((error: unknown) => {
        throw requestError(error, sessionId);
      });
      return {};
    })
    .onRequest(methods.agent.session.setMode, async ({ params: { sessionId, modeId } }) => {
      await find(sessionId).setMode(modeId);
      return {};
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params: { sessionId, configId, value } }) => ({
      configOptions: await find(sessionId).setConfigOption(configId, value),
    }))
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt }, signal }) =>
      find(sessionId).prompt(prompt, signal),
    )
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => sessions.get(sessionId)?.cancel());

  let failure: unknown = null;
  const connection = connect(app, io, (error) => {
    failure = error;
  });
  const onEnd = () => connection.close();
  io.lifetime.signal.addEventListener('abort', onEnd, { once: true });
  io.out.onClosed(onEnd);
  await connection.closed;
  await Promise.all([...sessions.values()].map((session) => session.close()));
  if (failure !== null)
    throw new EngineError('host_failed', `The connection to the editor was closed: ${errorText(failure)}.`, {
      cause: failure,
    });
}

function connect(app: AgentApp, io: CliIo, onFailure: (error: unknown) => void): AgentConnection {
  const decoder = new TextDecoder();
  const output = new WritableStream<Uint8Array>({
    write: (bytes) => io.out.write(decoder.decode(bytes, { stream: true })),
  });
  const { readable, writable } = ndJsonStream(output, inputOf(io.stdin));
  return app.connect({ writable, readable: told(readable, onFailure) });
}

/** The same stream; if it breaks, as by a message that is too large, it ends, and that is told. */
function told<T>(readable: ReadableStream<T>, onFailure: (error: unknown) => void): ReadableStream<T> {
  const reader = readable.getReader();
  let isOver = false;
  return new ReadableStream<T>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (isOver) return;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onFailure(error);
        controller.close();
      }
    },
    cancel(reason) {
      isOver = true;
      return reader.cancel(reason);
    },
  });
}

/** The bytes of a stream until it ends or breaks, which is the same here. */
function inputOf(stdin: CliIo['stdin']): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      stdin.on('data', (chunk: Uint8Array) => {
        if (!isOver) controller.enqueue(chunk);
      });
      const onEnd = () => {
        if (!isOver) controller.close();
        isOver = true;
      };
      for (const name of ['end', 'error', 'close'] as const) stdin.on(name, onEnd);
    },
    cancel() {
      isOver = true;
      stdin.destroy?.();
    },
  });
}

/** A client knows a session once it has the answer: what is said before is lost on many. */
function afterAnswer(work: () => Promise<void>): void {
  setImmediate(() => void work());
}

function authMethods({ auth }: ClientCapabilities): AuthMethod[] {
  return [
    {
      id: KEY_METHOD,
      name: 'Key of a model provider',
      description:
        'From the environment of the editor, such as ANTHROPIC_API_KEY, or kept by "turnwright login". Set one, then try again.',
    },
    ...(auth?.terminal === true
      ? [
          {
            type: 'terminal' as const,
            id: LOGIN_METHOD,
            name: 'turnwright login',
            description: 'Asks for a key in a terminal, and keeps it.',
            args: ['login'],
          },
        ]
      : []),
  ];
}

/** @throws RequestError */
async function requireFolder(folder: string): Promise<void> {
  requireAbsolute(folder);
  const found = await stat(folder).catch(() => null); // whatever it is, it is no folder to work in
  if (found?.isDirectory() !== true)
    throw invalidParams(`${shorten(folder, MAX_PATH)} is not a folder that can be read.`);
}

/** @throws RequestError */
function requireAbsolute(folder: string): void {
  if (!path.isAbsolute(folder)) throw invalidParams(`"${shorten(folder, MAX_PATH)}" is not an absolute path.`);
}

// The MCP servers that a client brings, as options of a session.

function mcpServersOf(servers: readonly McpServer[] | undefined): Record<string, McpServerConfig> {
  return Object.fromEntries((servers ?? []).map((server) => [server.name, configOf(server)]));
}

function configOf(server: McpServer): McpServerConfig {
  if ('type' in server) {
    const { type, url, headers } = server;
    return { type, url, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
  }
  const { command, args, env } = server;
  return { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) };
}

// The stored sessions, a page at a time.

const PAGE = 50;

/** @throws RequestError for a cursor that no list gave */
async function sessionList({ cwd, cursor }: ListSessionsRequest, host: Host): Promise<ListSessionsResponse> {
  const offset = cursor == null ? 0 : Number(/^after-(\d{1,9})$/.exec(cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(offset)) throw invalidParams('The cursor does not come from session/list. Ask without one.');
  const where = cwd == null ? {} : { dir: cwd, includeWorktrees: false };
  const found = await listSessions({ ...where, host, limit: PAGE + 1, offset });
  const sessions = found.slice(0, PAGE).flatMap((info): SessionInfo[] => {
    const folder = info.cwd ?? cwd;
    // Another program wrote it, and did not say in which folder it worked: it cannot be resumed from here.
    if (folder == null) return [];
    const updatedAt = new Date(info.lastModified).toISOString();
    return [{ sessionId: info.sessionId, cwd: folder, title: info.summary, updatedAt }];
  });
  return found.length > PAGE ? { sessions, nextCursor: `after-${offset + PAGE}` } : { sessions };
}
