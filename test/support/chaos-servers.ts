// Servers that misbehave, each over every transport: what `chaos-server.mjs` does, as definitions of servers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createLinkedTransport } from '../../src/mcp/in-process/linked-transport.js';
import { type McpServerDefinition, readDefinition } from '../../src/mcp/server-definition.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { collect } from '../../src/testing/model/collect.js';
import { text, toolCall } from '../../src/testing/model/script.js';
import { scriptedModel } from '../../src/testing/model/scripted-model.js';
import { behave } from './chaos-server.mjs';
import { temporaryFolder, testEngine } from './engine.js';
import { findProcesses } from './process-scan.js';

/** The longest call of a server that never answers. */
export const CHAOS_LIMIT_MS = 200;

export interface ChaosServer {
  readonly definition: McpServerDefinition;
  /** What of it lives. */
  alive(): number;
}

const FILE = fileURLToPath(new URL('chaos-server.mjs', import.meta.url));

function overStdio(kind: string, folder: string): ChaosServer {
  const mark = path.join(folder, 'chaos.log');
  const definition = { name: 's', command: process.execPath, args: [FILE, kind, mark], env: {} };
  return { definition, alive: () => findProcesses(mark).length };
}

/** Each message is answered by a stream of events. */
async function overHttp(kind: string): Promise<ChaosServer> {
  const state = { wasHere: false };
  const { url } = await listen(async (incoming, outgoing) => {
    if (incoming.method !== 'POST') return void outgoing.writeHead(405).end();
    const message = JSON.parse(await bodyOf(incoming));
    if (message.id === undefined) return void outgoing.writeHead(202).end();
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    const raw = (line: string) => void outgoing.write(`event: message\ndata: ${line}\n\n`);
    const die = () => {
      state.wasHere = true;
      outgoing.destroy();
    };
    behave(kind, message, wireOf(raw, die), state);
    if (!CHAOS_HELD.includes(kind) || message.method !== 'tools/call') outgoing.end();
  });
  return { definition: definitionOf('http', url), alive: () => 0 };
}

/** One stream of events down, posts up. */
async function overSse(kind: string): Promise<ChaosServer> {
  const state = { wasHere: false };
  let stream: ServerResponse | null = null;
  const { url } = await listen(async (incoming, outgoing) => {
    if (incoming.method === 'GET') {
      stream = outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      return void stream.write('event: endpoint\ndata: /messages\n\n');
    }
    const message = JSON.parse(await bodyOf(incoming));
    outgoing.writeHead(202).end();
    const raw = (line: string) => void stream?.write(`event: message\ndata: ${line}\n\n`);
    const die = () => {
      state.wasHere = true;
      stream?.destroy();
    };
    behave(kind, message, wireOf(raw, die), state);
  });
  return { definition: definitionOf('sse', `${url}sse`), alive: () => 0 };
}

/** What a program gives as `instance`, of no library. */
function inProcess(kind: string): ChaosServer {
  const state = { wasHere: false };
  let links = 0;
  const instance = {
    async connect(link: Link) {
      links += 1;
      const send = (message: unknown) => void link.send(message).catch(() => undefined); // the session ended
      const die = () => {
        state.wasHere = true;
        void link.close();
      };
      link.onmessage = (message) =>
        behave(
          kind,
          message,
          { send: (each) => send({ jsonrpc: '2.0', ...each }), raw: (line) => send({ line }), die },
          state,
        );
      link.onclose = () => {
        links -= 1;
      };
    },
    close: async () => undefined,
  };
  const definition = { name: 's', open: async () => createLinkedTransport(instance as never) };
  return { definition, alive: () => links };
}

interface Link {
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: (message: Parameters<typeof behave>[1]) => void;
  onclose?: () => void;
}

async function listen(answer: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>) {
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of incoming) body += chunk;
  return body;
}

function wireOf(raw: (line: string) => void, die: () => void) {
  return { send: (message: object) => raw(JSON.stringify({ jsonrpc: '2.0', ...message })), raw, die };
}

function definitionOf(type: 'http' | 'sse', url: string): McpServerDefinition {
  const definition = readDefinition('s', { type, url });
  if (typeof definition === 'string') throw new Error(definition);
  return definition;
}

export const CHAOS_TRANSPORTS: Readonly<
  Record<string, (kind: string, folder: string) => ChaosServer | Promise<ChaosServer>>
> = {
  stdio: overStdio,
  http: overHttp,
  sse: overSse,
  'this process': inProcess,
};

/** What the model reads of its call of the tool `a`. */
export const CHAOS_KINDS: Readonly<Record<string, RegExp>> = {
  hang: new RegExp(`did not answer within ${CHAOS_LIMIT_MS} ms`),
  late: new RegExp(`did not answer within ${CHAOS_LIMIT_MS} ms`),
  die: /The MCP server s failed/,
  restart: /The MCP server s failed/,
  flood: /after the flood/,
  twice: /first/,
  other: new RegExp(`did not answer within ${CHAOS_LIMIT_MS} ms`),
  invalid: /after the rubbish|The MCP server s failed/,
  many: /a ran/,
  huge: /bytes omitted; the full result/,
  collide: /a ran/,
  imitate: /a ran/,
  inject: /a ran/,
  broken: /a ran/,
  nonsense: /not a result of a tool/,
};
/** Those that get no answer in time. */
export const CHAOS_HELD: readonly string[] = ['hang', 'other', 'late'];

/** The texts of all results of tools. */
export function chaosResults(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) =>
    message.type === 'user' && Array.isArray(message.message.content)
      ? message.message.content.flatMap((block) =>
          block.type === 'tool_result' ? [JSON.stringify(block.content)] : [],
        )
      : [],
  );
}

/** A session with such a server: the model calls its tool, says `one`, and at the second prompt `two`. */
export async function chaosSession(transport: string, kind: string) {
  const folder = await temporaryFolder();
  const server = await CHAOS_TRANSPORTS[transport]?.(kind, folder);
  if (server === undefined) throw new Error('no such transport');
  const model = scriptedModel([toolCall('mcp__s__a', {}), text('one'), text('two')]);
  const { engine } = await testEngine(model, {
    cwd: folder,
    mcpServers: [server.definition],
    toolSearch: 'never',
    ...(CHAOS_HELD.includes(kind) ? { limits: { mcpToolTimeoutMs: CHAOS_LIMIT_MS } } : {}),
  });
  return { server, model, engine, submit: (prompt: string) => collect(engine.submitMessage(prompt)) };
}
