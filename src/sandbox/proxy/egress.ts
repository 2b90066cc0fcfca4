// What the protocols of the proxy share: who may use it, and how a connection out is had.
import type { Socket } from 'node:net';
import { addressBytes, isPublicAddress } from '../../util/web-address.js';
import { type DomainPattern, matchesDomain, matchesHost, plainHost } from '../domain-pattern.js';
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
  return denied.some((pattern) => (pattern.port === null ? matchesHost(pattern, host) : false));
}

function refuse(host: string, why: string): Admission {
  return { kind: 'refused', host, why };
}

/** It is shown to people, and may be anything. */
function printable(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
