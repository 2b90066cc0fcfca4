// The scripted MCP server of `mcp-server.mjs` as a definition, and what it wrote down.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostClock } from '../../src/host/host.js';
import { createNodeHost } from '../../src/host/node-host.js';
import type { StdioServerDefinition } from '../../src/mcp/server-definition.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import { findProcesses } from './process-scan.js';

export const SERVER_FILE = fileURLToPath(new URL('mcp-server.mjs', import.meta.url));

/** As `Script` in `mcp-server.mjs`; files are names in the folder. */
export interface ServerScript {
  readonly tools?: string;
  readonly count?: number;
  readonly page?: number;
  readonly gate?: string;
  readonly silent?: readonly string[];
  readonly garbage?: boolean;
  readonly version?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  readonly ignoresTerm?: boolean;
  readonly child?: boolean;
  readonly crashOnce?: string;
}

export interface ScriptedServer {
  readonly definition: StdioServerDefinition;
  /** Lines of its log. */
  log(): string[];
  /** How often it was started. */
  starts(): number;
  /** What of it lives, with all that it started. */
  alive(): number[];
}

/** @param folder where its files are */
export function scriptedServer(folder: string, script: ServerScript = {}, name = 's'): ScriptedServer {
  const log = path.join(folder, `${name}.log`);
  const inFolder = (file: string | undefined) => (file === undefined ? undefined : path.join(folder, file));
  const { tools, gate, crashOnce } = script;
  const words = { ...script, log, tools: inFolder(tools), gate: inFolder(gate), crashOnce: inFolder(crashOnce) };
  const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
  return {
    definition: { name, command: process.execPath, args: [SERVER_FILE, JSON.stringify(words)], env: { PROBE: log } },
    alive: () => findProcesses(log),
    log: lines,
    starts: () => lines().filter((line) => line.startsWith('start ')).length,
  };
}

/** How long a prompt waits for servers: the first, and a later one. */
const SERVER_WAITS = [5_000, 2_000];

/** The clock of this machine, by which servers that work are waited for, however slow it is. */
export function patientClock(): HostClock {
  const { clock } = createNodeHost();
  return { ...clock, after: (ms, callback) => clock.after(SERVER_WAITS.includes(ms) ? ms * 60 : ms, callback) };
}

/** What became of each server by the end of these messages. */
export function serversOf(messages: readonly SDKMessage[]): { readonly name: string; readonly status: string }[] {
  const told = messages.flatMap((message) => {
    if (message.type !== 'system') return [];
    if (message.subtype === 'init') return [message.mcp_servers];
    return message.subtype === 'mcp_status_change' ? [message.servers] : [];
  });
  return (told.at(-1) ?? []).map(({ name, status }) => ({ name, status }));
}
