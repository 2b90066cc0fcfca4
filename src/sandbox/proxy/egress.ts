// What the protocols of the proxy share: who may use it, how a connection out is had, and a look at what a client sends through a
// tunnel. Rule: no byte of a message that asks for names goes on before the names are known, and a name that may not be asked for
// does not reach the server.
import type { Socket } from 'node:net';
import { Transform } from 'node:stream';
import { addressBytes, isPublicAddress } from '../../util/web-address.js';
import { type DomainPattern, matchesDomain, plainHost, refusesHost } from '../domain-pattern.js';

export interface ProxyLogin {
  readonly user: string;
  readonly password: string;
}

/** What those who serve a protocol get. */
export interface Egress {
  readonly login: ProxyLogin;
  /** A connection to an admitted address, or why there is none. Never rejects. */
  open(host: string, port: number): Promise<Socket | Refusal>;
  admit(host: string, port: number): Promise<Admission>;
  /** Whether TLS to a host that was admitted may ask for another name. Tells a refusal. */
  nameCheck(host: string, port: number): NameCheck;
}

export interface Refusal {
  readonly isRefused: boolean;
  readonly why: string;
}

/** @param client the side of the commands: what it sends goes through a gate for names */
export function joinSockets(client: Socket, server: Socket, check: NameCheck): void {
  const gate = createNameGate(check);
  gate.on('error', () => {
    server.destroy();
    client.end(TLS_ALERT, () => client.destroy());
  });
  client.on('close', () => {
    gate.destroy();
    server.destroy();
  });
  server.on('close', () => {
    if (!client.writableEnded) client.destroy();
  });
  client.pipe(gate).pipe(server).pipe(client);
}

// Whether a sandboxed command may connect to a host, and at which address: looked up once, so that a name cannot mean
// another machine a moment later.

export interface EgressRules {
  readonly allowed: readonly DomainPattern[];
  readonly denied: readonly DomainPattern[];
}

/** All addresses of a name. Rejects if there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export type Admission =
  | { readonly kind: 'admitted'; readonly host: string; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly host: string; readonly why: string }
  | { readonly kind: 'unknown'; readonly host: string; readonly why: string };

/** Contract: never rejects. @param asked as the command wrote it */
export async function admitHost(asked: string, port: number, rules: EgressRules, resolve: Resolve): Promise<Admission> {
  const host = plainHost(asked);
  if (host === null) return refuse(printable(asked), 'this is no plain host name or address');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return refuse(host, 'this is no port');
  if (isDenied(host, rules)) return refuse(host, 'sandbox.network.deniedDomains names it');
  const pattern = rules.allowed.find((allowed) => matchesDomain(allowed, host, port));
  if (pattern === undefined) return refuse(host, `sandbox.network.allowedDomains does not name it with port ${port}`);
  if (pattern.kind === 'range') return { kind: 'admitted', host, addresses: [host] };
  const addresses = await resolve(host).catch(() => null);
  if (addresses === null || addresses.length === 0) return { kind: 'unknown', host, why: 'the name has no address' };
  const mayBeLocal = pattern.kind === 'exact' && pattern.host === 'localhost';
  const usable = addresses.filter((address) => {
    if (isDenied(address, rules)) return false;
    if (mayBeLocal || isPublic(address)) return true;
    return rules.allowed.some((allowed) => matchesDomain(allowed, address, port));
  });
  if (usable.length === 0) return refuse(host, 'it leads to an address that is not of the public internet');
  return { kind: 'admitted', host, addresses: usable };
}

/**
 * Why TLS to an admitted host must not ask for a name; null if it may. Servers of many sites answer for each that is
 * asked for. An address that was allowed is a machine, whatever it is called.
 */
export function whyNotNamed(asked: string, port: number, name: string, rules: EgressRules): string | null {
  const host = plainHost(name);
  if (host === null) return `TLS asks there for ${printable(name)}, which is no plain host name`;
  if (isDenied(host, rules)) return `TLS asks there for ${host}, which sandbox.network.deniedDomains names`;
  const isMachine = addressBytes(plainHost(asked) ?? '') !== null;
  if (isMachine || rules.allowed.some((allowed) => matchesDomain(allowed, host, port))) return null;
  return `TLS asks there for ${host}, which sandbox.network.allowedDomains does not name`;
}

/** A resolver's answer that is no address leads nowhere that is public. */
function isPublic(address: string): boolean {
  const bytes = addressBytes(address);
  return bytes !== null && isPublicAddress(bytes);
}

function isDenied(host: string, { denied }: EgressRules): boolean {
  return denied.some((pattern) => (pattern.port === null ? refusesHost(pattern, host) : false));
}

function refuse(host: string, why: string): Admission {
  return { kind: 'refused', host, why };
}

/** It is shown to people, and may be anything. */
function printable(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** Why a name may not be asked for; null if it may. */
type NameCheck = (name: string) => string | null;

const HANDSHAKE = 0x16;
const CHANGE_OF_CIPHER = 0x14;
const TLS_MAJOR = 3;
const HEAD = 5;
/** A record's content, and what encryption may add. */
const MAX_RECORD = 16_384 + 2_048;
const CLIENT_HELLO = 1;
const MAX_HELLO = 65_536;

/** What a client is told: access denied, and the connection ends. */
const TLS_ALERT = Buffer.from([0x15, 3, 1, 0, 2, 2, 49]);

/**
 * Passes on what does not begin as TLS does, and of TLS what asks for names that may be asked for. Each message that asks
 * is looked at, for a server may have a client ask again.
 * Contract: fails with an error that says why, if something must not go on.
 */
export function createNameGate(check: NameCheck): Transform {
  const work = new Gate(check);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        done(null, work.take(chunk));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
}

class Gate {
  readonly #check: NameCheck;
  #isTls: boolean | null = null;
  #isAsked = false;
  /** Of a record that is not whole yet. */
  #held: Buffer = Buffer.alloc(0);
  /** What still comes of a record that goes on as it comes. */
  #passing = 0;
  /** Handshake messages, as far as they are not whole. */
  #messages: Buffer = Buffer.alloc(0);

  constructor(check: NameCheck) {
    this.#check = check;
  }

  /** What may go on now. */
  take(chunk: Buffer): Buffer {
    if (this.#isTls === false) return chunk;
    let rest: Buffer = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (this.#isTls === null) {
      if (rest[0] !== HANDSHAKE || (rest.length > 1 && rest[1] !== TLS_MAJOR)) {
        this.#isTls = false;
        return rest;
      }
      if (rest.length > 1) this.#isTls = true;
    }
    const passed: Buffer[] = [];
    for (let size = this.#nextSize(rest); size > 0; size = this.#nextSize(rest)) {
      passed.push(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    this.#held = rest;
    return Buffer.concat(passed);
  }

  /** How much from the start may go on; 0 if more must come first. */
  #nextSize(rest: Buffer): number {
    if (this.#passing > 0) {
      const size = Math.min(this.#passing, rest.length);
      this.#passing -= size;
      return size;
    }
    if (rest.length < HEAD) return 0;
    const kind = rest[0];
    const length = rest.readUInt16BE(3);
    if (rest[1] !== TLS_MAJOR || length > MAX_RECORD) throw new Error('this is no TLS');
    if (kind !== HANDSHAKE) {
      if (!this.#isAsked) throw new Error('this is no beginning of TLS');
      if (kind === CHANGE_OF_CIPHER) this.#messages = Buffer.alloc(0);
      this.#passing = HEAD + length;
      return this.#nextSize(rest);
    }
    if (rest.length < HEAD + length) return 0;
    this.#read(rest.subarray(HEAD, HEAD + length));
    return HEAD + length;
  }

  #read(content: Buffer): void {
    this.#messages = Buffer.concat([this.#messages, content]);
    while (this.#messages.length >= 4) {
      const kind = this.#messages[0];
      const length = this.#messages.readUIntBE(1, 3);
      if (!this.#isAsked && (kind !== CLIENT_HELLO || length > MAX_HELLO))
        throw new Error('this is no beginning of TLS');
      if (length > MAX_HELLO) {
        this.#messages = Buffer.alloc(0); // it is encrypted, so its length is none
        return;
      }
      if (this.#messages.length < 4 + length) return;
      if (kind === CLIENT_HELLO) this.#ask(this.#messages.subarray(4, 4 + length));
      this.#messages = this.#messages.subarray(4 + length);
    }
  }

  #ask(hello: Buffer): void {
    const names = helloNames(hello);
    if (names === null && !this.#isAsked) throw new Error('this is no beginning of TLS');
    for (const name of names ?? []) {
      const why = this.#check(name);
      if (why !== null) throw new Error(why);
    }
    this.#isAsked = true;
  }
}

// The names that a TLS client asks a server for, of its first message. Pure. Nothing else of TLS is looked at.

const RANDOM_AT = 2;
const RANDOM_LENGTH = 32;
const SERVER_NAME = 0;
const HOST_NAME = 0;

/**
 * Of a whole ClientHello, without the head of the handshake message. No names if it has none; null if it is no
 * ClientHello.
 */
export function helloNames(body: Buffer): readonly string[] | null {
  try {
    let at = RANDOM_AT + RANDOM_LENGTH;
    at += 1 + body.readUInt8(at); // session
    at += 2 + body.readUInt16BE(at); // ciphers
    at += 1 + body.readUInt8(at); // compression
    if (at === body.length) return [];
    const end = at + 2 + body.readUInt16BE(at);
    if (end !== body.length) return null;
    const names: string[] = [];
    for (at += 2; at < end; ) {
      const kind = body.readUInt16BE(at);
      const length = body.readUInt16BE(at + 2);
      if (at + 4 + length > end) return null;
      if (kind === SERVER_NAME) names.push(...namesOf(body.subarray(at + 4, at + 4 + length)));
      at += 4 + length;
    }
    return names;
  } catch (error) {
    if (error instanceof RangeError) return null; // it ends too soon
    throw error;
  }
}

/** @throws RangeError */
function namesOf(list: Buffer): string[] {
  const names: string[] = [];
  const end = 2 + list.readUInt16BE(0);
  for (let at = 2; at < end; ) {
    const length = list.readUInt16BE(at + 1);
    if (at + 3 + length > list.length) throw new RangeError('A name is longer than its list.');
    if (list.readUInt8(at) === HOST_NAME) names.push(list.toString('latin1', at + 3, at + 3 + length));
    at += 3 + length;
  }
  return names;
}
