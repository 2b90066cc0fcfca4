// The client's side of SOCKS 5 (RFC 1928, 1929): a greeting, a login where the proxy wants one, and the target. Names
// are given to the proxy as they are: it looks them up.
import net from 'node:net';
import { ProxyAnswer } from './proxy-answer.js';

const VERSION = 5;
const LOGIN_VERSION = 1;
const NO_LOGIN = 0;
const WITH_LOGIN = 2;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [1, 'failed'],
  [2, 'does not allow the connection'],
  [3, 'cannot reach the network'],
  [4, 'cannot reach the host'],
  [5, 'was refused by the host'],
  [6, 'waited too long'],
  [7, 'does not know the command'],
  [8, 'does not know such addresses'],
]);

/**
 * Resolves when what is written to the socket reaches the target. Nothing behind the handshake is taken from it.
 * @throws ProxyAnswer
 */
export async function socksHandshake(
  socket: net.Socket,
  host: string,
  port: number,
  login: { readonly user: string; readonly password: string } | null,
): Promise<void> {
  const methods = login === null ? [NO_LOGIN] : [NO_LOGIN, WITH_LOGIN];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await take(socket, 2);
  if (version !== VERSION) throw new ProxyAnswer('answered with something that is not SOCKS 5');
  if (method === WITH_LOGIN && login !== null) await logIn(socket, login);
  else if (method !== NO_LOGIN) throw new ProxyAnswer('wants a user and a password; write them into its address');

  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressBytes(host), portBytes(port)]));
  const [, reply = 1, , kind] = await take(socket, 4);
  if (reply !== 0) throw new ProxyAnswer(REFUSALS.get(reply) ?? `failed (${reply})`);
  const length = kind === IPV4 ? 4 : kind === IPV6 ? 16 : ((await take(socket, 1))[0] ?? 0);
  await take(socket, length + 2);
}

async function logIn(socket: net.Socket, { user, password }: { user: string; password: string }): Promise<void> {
  const [name, word] = [Buffer.from(user), Buffer.from(password)];
  if (name.length > 255 || word.length > 255) throw new ProxyAnswer('takes no user or password of more than 255 bytes');
  socket.write(Buffer.concat([Buffer.from([LOGIN_VERSION, name.length]), name, Buffer.from([word.length]), word]));
  const [, status] = await take(socket, 2);
  if (status !== 0) throw new ProxyAnswer('refused the user or the password');
}

function addressBytes(host: string): Buffer {
  const family = net.isIP(host);
  if (family === 4) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  if (family === 6) return Buffer.from([IPV6, ...bytesOfIpv6(host)]);
  const name = Buffer.from(host);
  if (name.length > 255) throw new ProxyAnswer('takes no name of more than 255 bytes');
  return Buffer.concat([Buffer.from([NAME, name.length]), name]);
}

function bytesOfIpv6(host: string): number[] {
  // URL writes an address in its shortest form, and an IPv4 part in hexadecimal: only groups and one gap are left.
  const [head = '', tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
  const [before, behind] = [groups(head), groups(tail ?? '')];
  const all = [...before, ...new Array<number>(8 - before.length - behind.length).fill(0), ...behind];
  return all.flatMap((group) => [group >> 8, group & 255]);
}

function portBytes(port: number): Buffer {
  return Buffer.from([port >> 8, port & 255]);
}

/** Exactly so many bytes. @throws ProxyAnswer where the connection ends before */
function take(socket: net.Socket, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (length === 0) {
      resolve(Buffer.alloc(0));
      return;
    }
    const settle = (act: () => void): void => {
      socket.off('readable', onReadable);
      socket.off('error', onError);
      socket.off('close', onClose);
      act();
    };
    const onReadable = (): void => {
      const bytes = socket.read(length) as Buffer | null;
      if (bytes === null) return;
      if (bytes.length === length) settle(() => resolve(bytes));
      else settle(() => reject(new ProxyAnswer('closed the connection')));
    };
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (): void => settle(() => reject(new ProxyAnswer('closed the connection')));
    socket.on('readable', onReadable);
    socket.on('error', onError);
    socket.on('close', onClose);
    onReadable();
  });
}
