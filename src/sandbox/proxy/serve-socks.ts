// SOCKS 5 for one connection: a name and a password, then CONNECT to a host. Rule: nothing else of the protocol is done.
import net, { type Socket } from 'node:net';
import { type Egress, joinSockets } from './egress.js';

const VERSION = 5;
const LOGIN = 2;
const NO_METHOD = 0xff;
const CONNECT = 1;
const REPLY = { done: 0, failed: 4, refused: 2, notACommand: 7, notAnAddress: 8 } as const;

/** Contract: rejects, or ends the socket, if the other side does not keep to the protocol. */
export async function serveSocks(socket: Socket, egress: Egress): Promise<void> {
  const { read, release } = createReader(socket);
  const [, methodCount = 0] = await read(2);
  const methods = await read(methodCount);
  if (!methods.includes(LOGIN)) {
    socket.end(Buffer.from([VERSION, NO_METHOD]));
    return;
  }
  socket.write(Buffer.from([VERSION, LOGIN]));
  if (!(await isKnown(read, egress))) {
    socket.end(Buffer.from([1, 1]));
    return;
  }
  socket.write(Buffer.from([1, 0]));
  const [version, command, , kind] = await read(4);
  if (version !== VERSION) throw new Error('This is not SOCKS 5.');
  const host = await readHost(read, kind ?? 0);
  const port = (await read(2)).readUInt16BE(0);
  if (command !== CONNECT || host === null) {
    answer(socket, host === null ? REPLY.notAnAddress : REPLY.notACommand).end();
    return;
  }
  const opened = await egress.open(host, port);
  if (!(opened instanceof net.Socket)) {
    answer(socket, opened.isRefused ? REPLY.refused : REPLY.failed).end();
    return;
  }
  answer(socket, REPLY.done);
  release();
  joinSockets(socket, opened, egress.nameCheck(host, port));
}

type Read = (length: number) => Promise<Buffer>;

async function isKnown(read: Read, { login }: Egress): Promise<boolean> {
  const [, userLength = 0] = await read(2);
  const user = (await read(userLength)).toString();
  const [passwordLength = 0] = await read(1);
  const password = (await read(passwordLength)).toString();
  return user === login.user && password === login.password;
}

async function readHost(read: Read, kind: number): Promise<string | null> {
  if (kind === 1) return (await read(4)).join('.');
  if (kind === 3) {
    const [length = 0] = await read(1);
    return (await read(length)).toString('latin1');
  }
  if (kind !== 4) return null;
  const bytes = await read(16);
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16));
  return `[${groups.join(':')}]`;
}

function answer(socket: Socket, reply: number): Socket {
  socket.write(Buffer.from([VERSION, reply, 0, 1, 0, 0, 0, 0, 0, 0]));
  return socket;
}

interface Reader {
  read: Read;
  /** Gives back what was taken and not asked for. */
  release(): void;
}

function createReader(socket: Socket): Reader {
  let taken: Buffer = Buffer.alloc(0);
  return {
    async read(length) {
      while (taken.length < length) {
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) await moreOf(socket);
        else taken = Buffer.concat([taken, chunk]);
      }
      const wanted = taken.subarray(0, length);
      taken = taken.subarray(length);
      return wanted;
    },
    release() {
      if (taken.length > 0) socket.unshift(taken);
    },
  };
}

/** Rejects if nothing more comes. */
function moreOf(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      socket.off('readable', more);
      socket.off('end', gone);
      socket.off('close', gone);
      act();
    };
    const more = (): void => settle(resolve);
    const gone = (): void => settle(() => reject(new Error('The connection ended too soon.')));
    if (socket.destroyed || socket.readableEnded) return gone();
    socket.on('readable', more);
    socket.on('end', gone);
    socket.on('close', gone);
  });
}
