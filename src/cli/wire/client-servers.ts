// MCP servers that run in the client: each is a server of this process whose messages cross as control requests, so that
// it can do whatever a server can. One rule: a server that does not answer is told and left out, and never holds up the
// session.
import type { ConnectableMcpServer, McpSdkServerConfigWithInstance } from '../../protocol/mcp.js';
import type { Fields } from '../../sdk/wire/index.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import type { WireClient } from './client.js';

/** The first message of a session waits so long for one: an answer has to come over the wire. Milliseconds. */
const FIRST_WAIT_MS = 1_000;
const INTERNAL_ERROR = -32_603;

export interface ClientServers {
  /** A server of the client by its name there, as one that runs here. */
  server(name: string): McpSdkServerConfigWithInstance;
  /** The same servers, those of the client among them as such: it names them without the instance that it keeps. */
  withInstances(servers: Fields): Fields;
  /** What a server of the client says by itself. @throws Error if there is none of that name */
  receive(name: string, message: Fields): void;
}

/** The end of a connection that the session holds. */
interface Link {
  onmessage?: (message: Fields) => void;
  send(message: object): Promise<void>;
}

/** @param onProblem told why a server cannot be used, in words for people */
export function createClientServers(client: WireClient, onProblem: (why: string) => void): ClientServers {
  const links = new Map<string, Link>();
  const server = (name: string): McpSdkServerConfigWithInstance => ({
    type: 'sdk',
    name,
    instance: clientServer(client, name, { links, onProblem }),
  });
  return {
    server,
    withInstances: (servers) =>
      Object.fromEntries(
        Object.entries(servers).map(([name, config]) => [name, isOfClient(config) ? server(name) : config]),
      ),
    receive(name, message) {
      const link = links.get(name);
      if (link === undefined) throw new Error(`There is no MCP server ${JSON.stringify(name)} of the client here.`);
      void link.send(message).catch(() => undefined); // the session is over
    },
  };
}

/** True for a definition of a server that the client keeps. */
export function isOfClient(config: unknown): boolean {
  return isRecord(config) && config['type'] === 'sdk' && config['instance'] === undefined;
}

function clientServer(
  client: WireClient,
  server_name: string,
  { links, onProblem }: { readonly links: Map<string, Link>; onProblem(why: string): void },
): ConnectableMcpServer & { readonly transport: Link | undefined; readonly firstWaitMs: number } {
  /** Requests of ours that are under way there, by their ids. */
  const asked = new Map<unknown, AbortController>();
  const post = (message: Fields, signal?: AbortSignal) =>
    client.request('mcp_message', { server_name, message }, signal);
  const ask = async (link: Link, { id, method, ...rest }: Fields): Promise<void> => {
    const controller = new AbortController();
    asked.set(id, controller);
    let answer: unknown;
    try {
      answer = (await post({ ...rest, id, method }, controller.signal))['mcp_response'];
      if (!isRecord(answer)) throw new Error(`it gave no answer to ${String(method)}.`);
    } catch (error) {
      if (controller.signal.aborted) return;
      const why = errorText(error);
      if (method === 'initialize') onProblem(`the MCP server ${server_name} of the client cannot be used: ${why}`);
      answer = { jsonrpc: '2.0', error: { code: INTERNAL_ERROR, message: why } };
    } finally {
      asked.delete(id);
    }
    // One client answers with an id of its own.
    await link.send({ ...(answer as object), id }).catch(() => undefined); // the session is over
  };
  const forward = (link: Link, message: Fields): void => {
    const { id, method, params } = message;
    if (id !== undefined && typeof method === 'string') return void ask(link, message);
    // A client answers what needs no answer too, or does not: nobody waits for it.
    void post(message).catch(() => undefined);
    if (method !== 'notifications/cancelled' || !isRecord(params)) return;
    asked.get(params['requestId'])?.abort();
  };
  return {
    firstWaitMs: FIRST_WAIT_MS,
    get transport() {
      return links.get(server_name);
    },
    async connect(given: never) {
      const link = given as Link;
      link.onmessage = (message) => forward(link, message);
      links.set(server_name, link);
    },
    async close() {
      links.delete(server_name);
      for (const controller of asked.values()) controller.abort();
    },
  };
}
