// What the protocols of the proxy share: who may use it, and how a connection out is had.
import type { Socket } from 'node:net';
import type { Admission } from './admit-host.js';

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
}

export interface Refusal {
  readonly isRefused: boolean;
  readonly why: string;
}

export function joinSockets(one: Socket, other: Socket): void {
  one.on('close', () => other.destroy());
  other.on('close', () => one.destroy());
  one.pipe(other).pipe(one);
}
