// What a look at a set-up needs and no other command tells: which settings files there could be, whether commands can be
// confined, which way requests take, what git and the stored sessions are like, what a session would load. Only looks: nothing is kept or changed.
import { takeGitSnapshot } from '../../context/git/index.js';
import { findInstructionPlaces, readInstructions } from '../../context/instructions/index.js';
import { lookUpwards, repositoryAbove } from '../../context/look.js';
import type { ProjectServer } from '../../context/project-servers.js';
import { lookAt, placesFor, type SettingsPlace } from '../../context/settings/index.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { LoadedPart, RejectedPart } from '../../protocol/system-messages.js';
import { createConnections } from '../../providers/http/index.js';
import type { SandboxStatus } from '../../sandbox/command-sandbox.js';
import { sandboxOptions } from '../../sandbox/policy.js';
import { openModelAccess, openModelReach } from '../../session/models/index.js';
import { openSessionSandbox } from '../../session/sandbox/index.js';
import { damageText, homeFolder, listFiles, readTranscriptFile, sessionFolders } from '../../session/store/index.js';
import { mapBounded } from '../../util/map-bounded.js';
import { errorText } from '../../util/text.js';
import { modelOptions } from '../models/index.js';
import type { LoadedParts } from '../plugins/index.js';
import { resolveOptions } from '../resolve-options.js';
import { withSettings } from '../settings/index.js';

/** A file that a session would read. */
export interface SettingsFile {
  readonly scope: SettingsPlace['scope'];
  /** Absolute. */
  readonly file: string;
  readonly isThere: boolean;
}

/** Every settings file that a session in the folder would look for, from the strongest to the weakest. */
export async function settingsFiles(host: Host, cwd: string): Promise<readonly SettingsFile[]> {
  const above = repositoryAbove(await lookUpwards(host, cwd));
  const places = placesFor({ home: homeFolder(host), homedir: host.platform.homedir, cwd, above }, undefined);
  const found = await lookAt(host, places);
  return places.map(({ scope, file }, at) => ({ scope, file, isThere: found[at] != null }));
}

export interface SandboxFacts extends SandboxStatus {
  /** True if the settings of the folder switch it on. */
  readonly isOn: boolean;
}

/** Tries the sandbox as a session in the folder would, whether it is switched on or not. @throws ConfigError */
export async function sandboxFacts(host: Host, cwd: string): Promise<SandboxFacts> {
  const { options, settings } = await withSettings({ cwd }, host);
  const env = { ...host.env, ...options.env };
  const managed = settings?.effective.managed.sandbox;
  const read = sandboxOptions({ option: options.sandbox ?? {}, managed });
  const machine = { host, env, onNotice: () => undefined };
  const { commands } = await openSessionSandbox({ cwd }, { ...read, enabled: true }, machine);
  await commands.close();
  return { ...commands.status, isOn: read?.enabled === true };
}

export interface Way {
  /** The proxy without user and password; null if requests go straight. */
  readonly proxy: string | null;
  /** True if certificates of authorities that the user names are believed. */
  readonly hasOwnAuthorities: boolean;
}

/** The way of requests to an address. @throws ConfigError for a proxy or a file of authorities that cannot be used */
export async function wayTo(host: Host, address: string): Promise<Way> {
  const choice = await routeTo(host, address);
  const route = typeof choice === 'function' ? await choice() : choice;
  if (typeof route !== 'object') return { proxy: null, hasOwnAuthorities: false };
  const { proxy, authorities } = route;
  return {
    proxy: proxy === null ? null : `${proxy.protocol}//${proxy.host}`,
    hasOwnAuthorities: authorities !== null,
  };
}

async function routeTo(host: Host, address: string) {
  const { options } = await withSettings({}, host);
  const env = { ...host.env, ...options.env };
  const models = await modelOptions(options, host);
  return openModelReach(host, openModelAccess(host, env, models, options.model), models).routeTo(address);
}

/**
 * Sends one small request without a key, the way that requests to a model take.
 * @returns the status of the answer: any says that somebody is there
 * @throws ModelError if nobody answered; ConfigError
 */
export async function reach(host: Host, address: string, signal: AbortSignal): Promise<number> {
  if (!URL.canParse(address)) throw new ConfigError(`${address} is not an address.`);
  const url = new URL(address);
  const connections = createConnections(url, host.clock, await routeTo(host, address));
  try {
    const transport = await connections.open();
    return await new Promise<number>((resolve, reject) => {
      const request = { url, headers: { 'content-type': 'application/json' }, body: '{}' };
      const exchange = transport.send(request, {
        head: (status) => resolve(status),
        data: () => undefined,
        end: () => undefined,
        fail: (describe) => void Promise.resolve(describe()).then(reject, reject),
      });
      signal.addEventListener('abort', () => {
        exchange.cancel();
        reject(new ConfigError(`${url.origin} did not answer in time.`));
      });
    });
  } finally {
    connections.close();
  }
}

/** The MCP servers that files of the folder define. @throws ConfigError */
export async function projectServers(host: Host, cwd: string): Promise<readonly ProjectServer[]> {
  return (await withSettings({ cwd }, host)).settings?.effective.servers ?? [];
}

export interface RepositoryFacts {
  /** Time that a session would wait for the status, milliseconds. */
  readonly statusMs: number;
  /** Why there is no status, a clause; null if there is one. */
  readonly missing: string | null;
}

/** Null if the folder is in no repository. @throws ConfigError */
export async function repositoryFacts(host: Host, cwd: string, signal: AbortSignal): Promise<RepositoryFacts | null> {
  const { options, notices } = await withSettings({ cwd }, host);
  const mayRunGit = !notices.some(({ code }) => code === 'folder_not_trusted');
  const since = host.clock.monotonic();
  const taken = await takeGitSnapshot({ host, env: { ...host.env, ...options.env }, cwd, mayRunGit, signal });
  return taken === null ? null : { statusMs: host.clock.monotonic() - since, missing: taken.missing ?? null };
}

/** The folder that sessions and keys are kept in. */
export function keptIn(host: Host): string {
  return homeFolder(host);
}

export interface StoredFacts {
  readonly home: string;
  readonly sessions: number;
  /** Of all transcripts. */
  readonly bytes: number;
  /** So many of them, the newest, were read. */
  readonly read: number;
  readonly damaged: readonly { readonly sessionId: string; readonly file: string; readonly what: string }[];
}

/** Sessions that are read, the newest; of each what a session that goes on would read at most. */
const READ_SESSIONS = 40;
const READ_BYTES = 2 * 1024 * 1024;

/** Stops reading when `signal` is aborted. */
export async function storedFacts(host: Host, signal: AbortSignal): Promise<StoredFacts> {
  const home = homeFolder(host);
  const files = await listFiles(host, await sessionFolders(host, home, undefined));
  const newest = files.slice(0, READ_SESSIONS);
  const read = await mapBounded(newest, 4, async ({ sessionId, file }) => {
    if (signal.aborted) return null;
    const options = { sessionId, isSidechain: false, maxBytes: READ_BYTES };
    const what = await readTranscriptFile(host, file, options).then(
      ({ entries, damage }) => (entries.length === 0 ? 'holds no conversation' : damageText(damage)),
      (error: unknown) => `cannot be read: ${errorText(error)}`,
    );
    return { sessionId, file, what };
  });
  const seen = read.filter((each) => each !== null);
  return {
    home,
    sessions: files.length,
    bytes: files.reduce((sum, { stat }) => sum + stat.size, 0),
    read: seen.length,
    damaged: seen.flatMap(({ what, ...each }) => (what === null ? [] : [{ ...each, what }])),
  };
}

/**
 * What a session in a folder would have of files and plugins, as `system/init` has it, with the instruction files.
 * @param cwd absolute
 * @throws ConfigError
 */
export async function loadedIn(host: Host, cwd: string, trustFolder: boolean): Promise<LoadedParts> {
  const config = await resolveOptions({ cwd, host, model: 'offline', ...(trustFolder ? { trustFolder } : {}) }, host);
  const { loaded, rejected } = config.loaded?.() ?? { loaded: [], rejected: [] };
  const sources = config.instructionSources ?? {};
  const { places, folders } = await findInstructionPlaces(host, cwd, await lookUpwards(host, cwd), sources);
  const read = await readInstructions(places, { host, cwd, folders, sources });
  return {
    loaded: [
      ...loaded,
      ...[...read.files, ...read.waiting.flatMap(({ files }) => files)].map(
        ({ source, type, file }): LoadedPart => ({
          kind: 'instructions',
          name: source,
          scope: type.toLowerCase(),
          source: file,
        }),
      ),
    ],
    rejected: [
      ...rejected,
      ...read.leftOut.map(
        ({ source, why }): RejectedPart => ({ kind: 'instructions', name: source, source, reason: why }),
      ),
    ],
  };
}
