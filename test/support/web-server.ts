// Servers of the web for tests: names and public addresses that all lead to a server on loopback, and a note of every
// address that anything connected to. Nothing of it leaves the machine.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createNodeHost } from '../../src/host/node-host.js';
import {
  type Dial,
  type FetchedPage,
  fetchPage,
  type Lookup,
  type WebReach,
  type WebRules,
} from '../../src/providers/web/index.js';
import { convertPage } from '../../src/session/web/open-session-web.js';
import { addressBytes, isPublicAddress } from '../../src/util/web-address.js';

export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

export interface TestWeb {
  readonly port: number;
  /** `METHOD host/path`, of each request that came. */
  readonly requests: string[];
  /** Every address that was dialled, with its port. */
  readonly dialled: string[];
  /** Those of them that are not public. */
  forbidden(): readonly string[];
  readonly reach: WebReach;
  get(url: string, changes?: Partial<WebReach>, signal?: AbortSignal): Promise<FetchedPage>;
}

/** Of the documentation of nobody: any public address will do, for none is really dialled. */
export const PUBLIC = '93.184.215.14';

export const NO_RULES: WebRules = { mayBePrivate: () => false, whyDenied: () => null };

/** @param names what they are looked up as; all others are public */
export async function startWeb(
  serve: Serve,
  names: Readonly<Record<string, readonly string[]>> = {},
): Promise<TestWeb> {
  const requests: string[] = [];
  const dialled: string[] = [];
  const server = createServer({ maxHeaderSize: 256 * 1024 }, (request, response) => {
    requests.push(`${request.method} ${request.headers.host}${request.url}`);
    response.on('error', () => undefined);
    serve(request, response);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const dial: Dial = (address, wanted) => {
    dialled.push(`${address}:${wanted}`);
    return net.connect({ host: '127.0.0.1', port });
  };
  const lookup: Lookup = async (name) => names[name] ?? [PUBLIC];
  const { clock } = createNodeHost();
  // Plain HTTP on any port but 80 is asked for as it is.
  const reach: WebReach = {
    clock,
    convert: convertPage,
    rules: NO_RULES,
    routeTo: async () => undefined,
    lookup,
    dial,
  };
  const forbidden = () =>
    dialled.filter((each) => {
      const bytes = addressBytes(each.slice(0, each.lastIndexOf(':')));
      return bytes === null || !isPublicAddress(bytes);
    });
  const get: TestWeb['get'] = (url, changes = {}, signal = new AbortController().signal) =>
    fetchPage(url, { ...reach, ...changes }, signal);
  return { port, requests, dialled, forbidden, reach, get };
}

/** Answers with one text. */
export function page(text: string, type = 'text/html; charset=utf-8', status = 200): Serve {
  return (_, response) => response.writeHead(status, { 'content-type': type }).end(text);
}
