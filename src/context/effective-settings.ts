// The settings of a session: every source read, what may count of each, brought together. Loaded if there is one.

import path from 'node:path';
import { type FileStat, type Host, isFileError } from '../host/host.js';
import { ConfigError } from '../protocol/errors.js';
import type { PermissionBehavior } from '../protocol/permissions.js';
import type { Settings } from '../protocol/settingsTypes.generated.js';
import { errorText } from '../util/text.js';
import { gitLeaf, gitPrograms } from './git/index.js';
import { type FoundServer, findProjectServers, type ProjectServer, whyNotEnabled } from './project-servers.js';
import {
  ALWAYS,
  admit,
  isProject,
  leavesOf,
  lockedSurfaces,
  mergeLeaves,
  parseSettings,
  type ReadSource,
  type Refused,
  readSettings,
  readSettingsFile,
  type SettingEntry,
  type SettingLeaf,
  type SettingScope,
  type SettingsLayer,
  type SettingsPlace,
  type SettingsProblem,
  valuesOf,
} from './settings/index.js';
import {
  type ActingFiles,
  isTrustedItem,
  NOT_WATCHED,
  readTrust,
  type TrustedItems,
  type TrustItem,
  trustItem,
  trustRoot,
} from './trust.js';

/** A permission rule as it stands in settings. */
export interface RuleSource {
  readonly source: string;
  readonly origin: SettingScope;
  /** Absolute folder that paths in it start from. */
  readonly base: string;
  /** Null for settings that were given as an object. */
  readonly file: string | null;
}

/**
 * Who vouches for the folder: the host or the command line (`granted`); the user, for every value as it stands now
 * (`remembered`); nobody, and nothing of it would act (`not_needed`); nobody, and some of it does not act (`missing`).
 */
export type FolderTrust = 'granted' | 'remembered' | 'not_needed' | 'missing';

/** What all sources come to. */
export interface EffectiveSettings {
  readonly values: Settings;
  /** Of managed sources alone: nothing weakens it. */
  readonly managed: Settings;
  /** Keys of lists that some source gives, also empty ones. */
  readonly lists: readonly string[];
  /** Every value that counts, with its origin and what it overrode. */
  readonly entries: readonly SettingEntry[];
  readonly rules: Readonly<Record<PermissionBehavior, readonly RuleSource[]>>;
  /** Values that do not count, and why. */
  readonly refused: readonly Refused[];
  readonly problems: readonly SettingsProblem[];
  readonly trust: FolderTrust;
  /** What would act if the folder were trusted; empty unless `trust` is `missing`. */
  readonly untrusted: readonly TrustItem[];
  /** What the files that a trusted value of the folder names held when they were looked at, by the value itself. */
  readonly actingFiles: ReadonlyMap<unknown, ActingFiles>;
  /** MCP servers that files of the project define. */
  readonly servers: readonly ProjectServer[];
  /** Programs that git starts in the folder while it only reads, and that nobody vouches for. */
  readonly gitPrograms: readonly TrustItem[];
  /** The real folder that trust is about. */
  readonly root: string;
  /** True if managed settings are there and cannot be read: then nobody may skip questions. */
  readonly isPolicyLost: boolean;
  /** The files that were read. */
  readonly files: readonly { readonly scope: SettingScope; readonly file: string }[];
  /** What was read of each file, by its path; null if there was none. */
  readonly sources: SettingsSources;
}

export type SettingsSources = ReadonlyMap<string, ReadSource | null>;

export interface SettingsRequest {
  /** Files, from the strongest to the weakest. */
  readonly places: readonly SettingsPlace[];
  /** What counts of a file in place of what it holds now. */
  readonly held?: SettingsSources | undefined;
  /** The option `settings`: an object, JSON, or the path of a file. */
  readonly flag: string | Settings | undefined;
  /** Fields that the host gave since, in place of those of `flag`; null: a field that counts no more. */
  readonly flagChanges?: FlagChanges | undefined;
  /** The option `managedSettings`. */
  readonly managed: Settings | undefined;
  readonly cwd: string;
  /** `$TURNWRIGHT_HOME`. */
  readonly home: string;
  /** True if the host vouches for the folder. */
  readonly isGranted: boolean;
  /** Files of the project with MCP servers, the nearest first. */
  readonly serverFiles?: readonly SettingsPlace[];
}

/** Fields of settings by their names. */
export type FlagChanges = Readonly<Record<string, unknown>>;

type SettingsHost = Pick<Host, 'fs' | 'platform' | 'sha256'>;

/** @throws ConfigError if the options are no settings, or the file that one names cannot be read */
export async function readEffectiveSettings(host: SettingsHost, request: SettingsRequest): Promise<EffectiveSettings> {
  const { places, managed, cwd, held = NOTHING_HELD } = request;
  const sources = new Map<string, ReadSource | null>();
  const read = async (place: SettingsPlace): Promise<ReadSource | null> => {
    const source = held.get(place.file);
    const found = source === undefined ? await readSettingsFile(host, place) : source;
    sources.set(place.file, found);
    return found;
  };
  const [ofFiles, ofFlag] = await Promise.all([Promise.all(places.map(read)), readFlag(read, request)]);
  const ofOption = managed === undefined ? null : await checkOption(managed, 'managedSettings', 'managed', cwd);
  // A file of the machine stands above what the host says.
  const all = [...ofFiles.filter((_, at) => places[at]?.scope === 'managed'), ofOption, ofFlag].concat(
    ofFiles.filter((_, at) => places[at]?.scope !== 'managed'),
  );
  const problems = all.flatMap((each) => each?.problems ?? []);
  const layers = all.flatMap((each) => (each?.layer == null ? [] : [each.layer]));
  const isPolicyLost = places.some((place, at) => place.scope === 'managed' && isLost(ofFiles[at] ?? null));
  const openFiles = await filesOthersWrite(host, places, ofFiles);
  for (const file of openFiles)
    problems.push({ file, key: null, message: 'can be written by others, so only what restricts counts of it' });
  return bringTogether(host, request, { layers, problems, openFiles, isPolicyLost, sources });
}

interface Sources {
  readonly layers: readonly SettingsLayer[];
  readonly problems: SettingsProblem[];
  readonly openFiles: ReadonlySet<string>;
  readonly isPolicyLost: boolean;
  readonly sources: SettingsSources;
}

const NOTHING_HELD: SettingsSources = new Map();

async function bringTogether(host: SettingsHost, request: SettingsRequest, read: Sources) {
  const { layers, problems, openFiles, isPolicyLost, sources } = read;
  const ofLayers = layers.flatMap(leavesOf);
  const servers = await openServers(host, request, ofLayers, problems);
  const leaves = [...ofLayers, ...servers.flatMap(({ leaf, why }) => (why === null ? [leaf] : []))];
  const trusted = await openTrust(host, request, leaves, problems);
  const { leaves: kept, refused: all } = admit(leaves, {
    isTrusted: trusted.has,
    isGranted: request.isGranted,
    openFiles,
  });
  const refused = all.map((each) => (each.needsTrust ? withoutUnwatched(each, trusted.items) : each));
  const entries = mergeLeaves(kept.filter((leaf) => ofLayers.includes(leaf)));
  const untrusted = trusted.items.filter(({ leaf }) => refused.some((each) => each.needsTrust && each.leaf === leaf));
  const isAsked = kept.some((leaf) => isProject(leaf) && trusted.items.some((item) => item.leaf === leaf));
  return {
    values: valuesOf(entries),
    managed: valuesOf(mergeLeaves(kept.filter(({ scope }) => scope === 'managed'))),
    entries,
    lists: layers.flatMap(({ scope, values }) =>
      scope === 'project' || scope === 'local' ? [] : Object.keys(values).filter((key) => Array.isArray(values[key])),
    ),
    rules: {
      deny: rulesOf(entries, 'permissions.deny'),
      ask: rulesOf(entries, 'permissions.ask'),
      allow: rulesOf(entries, 'permissions.allow'),
    },
    refused,
    problems,
    trust: request.isGranted ? 'granted' : untrusted.length > 0 ? 'missing' : isAsked ? 'remembered' : 'not_needed',
    untrusted,
    actingFiles: new Map(trusted.items.flatMap(({ leaf, files }) => (files === null ? [] : [[leaf.value, files]]))),
    servers: servers.map(({ leaf, why, ...server }) => ({
      ...server,
      files: trusted.items.find((item) => item.leaf === leaf)?.files ?? null,
      state: why ?? (kept.includes(leaf) ? 'used' : 'not_trusted'),
    })),
    gitPrograms: trusted.gitPrograms,
    root: trusted.root,
    isPolicyLost,
    files: layers.flatMap(({ scope, file }) => (file === null ? [] : [{ scope, file }])),
    sources,
  } satisfies EffectiveSettings;
}

/** Few projects bring servers, so what looks at them is loaded for those. */
async function openServers(
  host: SettingsHost,
  { serverFiles = [], isGranted }: SettingsRequest,
  leaves: readonly SettingLeaf[],
  problems: SettingsProblem[],
): Promise<(FoundServer & { readonly why: 'disabled' | 'not_enabled' | null })[]> {
  if (serverFiles.length === 0) return [];
  const found = await findProjectServers(host, serverFiles, problems);
  const settingsOf = (isWanted: (leaf: SettingLeaf) => boolean) => valuesOf(mergeLeaves(leaves.filter(isWanted)));
  const rules = {
    disabled: settingsOf(({ key }) => key === 'disabledMcpjsonServers').disabledMcpjsonServers ?? [],
    settings: settingsOf((leaf) => !isProject(leaf)),
    managed: settingsOf(({ scope }) => scope === 'managed'),
    isGranted,
  };
  const isLocked = lockedSurfaces(rules.managed).includes('mcp');
  return found.map((server) => ({
    ...server,
    why: isLocked ? 'disabled' : server.owner === 'project' ? whyNotEnabled(server.name, rules) : null,
  }));
}

/** What of the folder the user trusted as it stands. */
async function openTrust(
  host: SettingsHost,
  { cwd, home, isGranted }: SettingsRequest,
  leaves: readonly SettingLeaf[],
  problems: SettingsProblem[],
) {
  const root = await trustRoot(host, cwd);
  // What does nothing is nothing to trust: a later version in which it does asks then.
  const acting = leaves.filter((leaf) => isProject(leaf) && !isIdle(leaf) && !ALWAYS.includes(leaf.key));
  const git = isGranted ? [] : (await gitPrograms(host, cwd)).map(gitLeaf);
  if (isGranted || acting.length + git.length === 0)
    return { root, items: [], gitPrograms: [], has: (leaf: SettingLeaf) => isGranted || isIdle(leaf) };
  const items = await Promise.all([...acting, ...git].map((leaf) => trustItem(host, root, leaf, cwd)));
  const known: TrustedItems = await readTrust(host, home, root).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    problems.push({ file: null, key: null, message: errorText(error) });
    return {};
  });
  const isKnown = (item: TrustItem) => isTrustedItem(known, item) && unwatchedOf(item).length === 0;
  const trusted = new Set(items.filter(isKnown).map(({ leaf }) => leaf));
  return {
    root,
    items: items.slice(0, acting.length),
    gitPrograms: items.slice(acting.length).filter((item) => !isKnown(item)),
    has: (leaf: SettingLeaf) => trusted.has(leaf) || isIdle(leaf),
  };
}

function unwatchedOf({ files }: Pick<TrustItem, 'files'>): string[] {
  return Object.keys(files ?? {}).filter((name) => files?.[name] === NOT_WATCHED);
}

/** Nobody is asked about what cannot be trusted: a change of it would not be seen. */
function withoutUnwatched(refused: Refused, items: readonly TrustItem[]): Refused {
  const item = items.find(({ leaf }) => leaf === refused.leaf);
  const names = item === undefined ? [] : unwatchedOf(item);
  if (names.length === 0) return refused;
  const shown = names.slice(0, 3).join(', ');
  const why = `its command names more than can be watched for changes (${shown}). Let it name a script, or vouch for the folder with --trust`;
  return { ...refused, why, needsTrust: false };
}

/** Nothing to trust: it only says where a description is found. */
function isIdle({ path: keys }: SettingLeaf): boolean {
  return keys[0] === '$schema';
}

function rulesOf(entries: readonly SettingEntry[], key: string): RuleSource[] {
  return entries
    .filter((entry) => entry.key === key)
    .map(({ value, scope, base, file }) => ({ source: value as string, origin: scope, base, file }));
}

type ReadFlag = Pick<ReadSource, 'layer' | 'problems'> | null;

/** What the host says, with what it said since. */
async function readFlag(
  readFile: (place: SettingsPlace) => Promise<ReadSource | null>,
  { flag, flagChanges = {}, cwd }: SettingsRequest,
): Promise<ReadFlag> {
  const given = await readGivenFlag(readFile, flag, cwd);
  if (Object.keys(flagChanges).length === 0) return given;
  const kept = Object.entries(given?.layer?.values ?? {}).filter(([name]) => !Object.hasOwn(flagChanges, name));
  const wanted = Object.fromEntries(Object.entries(flagChanges).filter(([, value]) => value !== null));
  const { layer, problems } = await checkOption(wanted, 'settings', 'flag', cwd);
  const values = { ...Object.fromEntries(kept), ...layer?.values };
  return {
    layer: { scope: 'flag', file: given?.layer?.file ?? null, base: cwd, values },
    problems: [...(given?.problems ?? []), ...problems],
  };
}

async function readGivenFlag(
  readFile: (place: SettingsPlace) => Promise<ReadSource | null>,
  flag: string | Settings | undefined,
  cwd: string,
): Promise<ReadFlag> {
  if (flag === undefined) return null;
  if (typeof flag !== 'string') return checkOption(flag, 'settings', 'flag', cwd);
  if (flag.trimStart().startsWith('{')) {
    const parsed = await parseSettings(flag);
    if ('problem' in parsed) throw new ConfigError(`The option settings ${parsed.problem}.`);
    return checkOption(parsed.value, 'settings', 'flag', cwd);
  }
  const file = path.resolve(cwd, flag);
  const read = await readFile({ scope: 'flag', file, base: cwd });
  if (read === null) throw new ConfigError(`The option settings names ${file}, and there is no such file.`);
  const lost = read.layer === null ? read.problems[0] : undefined;
  if (lost !== undefined) throw new ConfigError(`The option settings names ${file}. It ${lost.message}.`);
  return read;
}

async function checkOption(value: unknown, option: string, scope: SettingScope, base: string) {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigError(`${option} must be an object${option === 'settings' ? ', or the path of a file' : ''}.`);
  return readSettings(value, { scope, file: null, base });
}

function isLost(read: ReadSource | null): boolean {
  return read !== null && read.layer === null;
}

const OTHERS_WRITE = 0o022;

/** Managed files that somebody but their owner may write, they or their folder. */
async function filesOthersWrite(
  { fs, platform }: SettingsHost,
  places: readonly SettingsPlace[],
  read: readonly (ReadSource | null)[],
): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  if (platform.os === 'win32') return open;
  for (const [at, { scope, file }] of places.entries()) {
    const stat = read[at]?.stat ?? null;
    if (scope !== 'managed' || stat === null) continue;
    const folder = await fs.stat(path.dirname(file)).catch((error: unknown) => {
      if (isFileError(error)) return null; // the file was just read, so nothing more can be said of its folder
      throw error;
    });
    if (mayOthersWrite(stat) || (folder !== null && mayOthersWrite(folder))) open.add(file);
  }
  return open;
}

function mayOthersWrite({ mode }: FileStat): boolean {
  return (mode & OTHERS_WRITE) !== 0;
}
