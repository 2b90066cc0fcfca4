// The address that a browser is sent back to after a sign-in: a small server of this machine that lives for one answer.
// One rule: it listens to this machine only, and takes nothing but a GET of its own address.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RedirectListener {
  /** What the sign-in names as the address to come back to. */
  readonly redirectUri: string;
  close(): void;
}

/** What the person in front of the browser reads. */
export interface RedirectAnswer {
  readonly isDone: boolean;
  readonly text: string;
}

const PATH = '/callback';
const ADDRESSES = ['127.0.0.1', '::1'] as const;
const MAX_ADDRESS = 16 * 1024;

/**
 * @param port 0 for any that is free
 * @param onAnswer told of each whole address that came; its answer is shown. Contract: never rejects
 * @throws Error if the port is taken
 */
export async function listenForRedirect(
  port: number,
  onAnswer: (address: string) => Promise<RedirectAnswer>,
): Promise<RedirectListener> {
  let redirectUri = '';
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url = '', method, headers } = incoming;
    const own = new URL(redirectUri);
    // A page elsewhere may have given this machine a name of its own.
    const isOwn = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(headers.host ?? '');
    const address = url.length <= MAX_ADDRESS && URL.canParse(url, own.href) ? new URL(url, own) : null;
    if (method !== 'GET' || !isOwn || address?.pathname !== PATH || !url.startsWith('/'))
      return void outgoing.writeHead(404, { connection: 'close' }).end();
    void onAnswer(address.href).then(({ isDone, text }) => {
      outgoing.writeHead(isDone ? 200 : 400, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'",
        'referrer-policy': 'no-referrer',
        connection: 'close',
      });
      outgoing.end(page(text));
    });
  };
  const first = await listen(createServer(answer), port, ADDRESSES[0]);
  const own = (first.address() as AddressInfo).port;
  // `localhost` is either of the two; a machine without IPv6 has the first only.
  const second = await listen(createServer(answer), own, ADDRESSES[1]).catch(() => null);
  redirectUri = `http://localhost:${own}${PATH}`;
  return {
    redirectUri,
    close() {
      for (const server of [first, second]) server?.close();
    },
  };
}

function listen(server: Server, port: number, address: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => resolve(server));
  });
}

function page(text: string): string {
  const shown = text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
  return `<!doctype html><meta charset="utf-8"><title>Turnwright</title><p>${shown}</p>`;
}
