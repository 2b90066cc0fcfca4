// What the protocols of the proxy share: who may use it, and how a connection out is had.
import type { Socket } from 'node:net';
import type { Admission } from './admit-host.js';
import { createNameGate, type NameCheck, TLS_ALERT } from './name-gate.js';

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

/** @param client where commands are: what it sends goes through a gate for names */
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
