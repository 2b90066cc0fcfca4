// What a client sends through a tunnel, looked at as far as it is the beginning of TLS: a name that may not be asked for
// does not reach the server. Rule: no byte of a message that asks for names goes on before the names are known.
import { Transform } from 'node:stream';

/** Why a name may not be asked for; null if it may. */
export type NameCheck = (name: string) => string | null;

const HANDSHAKE = 0x16;
const CHANGE_OF_CIPHER = 0x14;
const TLS_MAJOR = 3;
const HEAD = 5;
/** A record's content, and what encryption may add. */
const MAX_RECORD = 16_384 + 2_048;
const CLIENT_HELLO = 1;
const MAX_HELLO = 65_536;

/** What a client is told: access denied, and the connection ends. */
export const TLS_ALERT = Buffer.from([0x15, 3, 1, 0, 2, 2, 49]);

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
