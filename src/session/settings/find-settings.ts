// Whether a session has settings: looked for at its start and again at each prompt. Every session asks;
// what reads settings is loaded if there are some.
import path from 'node:path';
import type { FlagChanges } from '../../context/effective-settings.js';
import { isGitSuspicious } from '../../context/git/index.js';
import { lookForRepositories, lookUpwards, repeatLook, repositoryAbove } from '../../context/look.js';
import {
  type ExtensionPlace,
  type ExtensionPlaces,
  extensionParents,
  extensionPlaces,
  foldersOf,
  foldersThere,
  joinPlaces,
  lookAt,
  NO_EXTENSIONS,
  placesFor,
  type ReadSource,
  type SettingsPlace,
  serverPlaces,
  stampOf,
  userFolders,
  withoutPlaces,
} from '../../context/settings/index.js';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SettingSource } from '../../protocol/options.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import type { SettingsMoment } from '../config/index.js';
import { DOORS } from '../features.js';
import { homeFolder } from '../store/index.js';
import type { OpenedSettings } from './open-settings.js';

/** What the host says of settings. */
export interface SettingsOptions {
  readonly settings?: string | Settings | undefined;
  readonly managedSettings?: Settings | undefined;
  /** Naming `project` or `local` vouches for the folder. Absent: all, the folder's only as far as it is trusted. */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** Whether the host vouches for the folder, whatever sources it names. */
  readonly trustFolder?: boolean | undefined;
  /** True: no file of the project says which MCP servers there are. */
  readonly strictMcpConfig?: boolean | undefined;
  /** Absolute: the folder that counts as the project's in place of the working directory. */
  readonly projectConfigRoot?: string | undefined;
  /** Fields in place of those of `settings`, by their names; null: a field that counts no more. */
  readonly flagChanges?: FlagChanges | undefined;
}

export interface SettingsFinder {
  /** Folders of skills, agents, commands … that were there at the last look, from the nearest to the farthest. */
  readonly extensions: ExtensionPlaces;
  /** The same as they are now, for who asks between two prompts. One look at each folder there may be, and no more. */
  lookForExtensions(): Promise<ExtensionPlaces>;
  /** Folders of plugins count behind all others from now on, in place of those of before. */
  setPluginPlaces(places: ExtensionPlaces): void;
  /** As they are now; null if nothing says anything. @throws ConfigError */
  open(): Promise<OpenedSettings | null>;
  /**
   * As they are now, if a file or a field of the host's changed since the last call of this or of `open`; else null.
   * One look at each file there may be, and no more. Before a prompt `extensions` is looked for too. @throws ConfigError
   */
  reopen(moment: SettingsMoment): Promise<ReopenedSettings | null>;
  /**
   * The same, but for these files, which count as `before` had them until they change again. Nothing else is read anew.
   * @throws ConfigError
   */
  hold(files: readonly SettingsPlace[], before: OpenedSettings | null): Promise<OpenedSettings | null>;
  /** Fields of the settings that the host gave, in place of those of before; null takes one away. Read with `reopen`. */
  changeFlag(fields: FlagChanges): void;
  /** What the host said of its settings since the start. */
  readonly flagChanges: FlagChanges;
}

export interface ReopenedSettings {
  readonly settings: OpenedSettings | null;
  /** Those that changed, came or went; none if the host changed a field of its own. */
  readonly files: readonly SettingsPlace[];
  readonly isFlagChanged: boolean;
}

const SOURCES: readonly SettingSource[] = ['user', 'project', 'local'];

/** @param cwd absolute. @throws ConfigError if the options are wrong */
export function findSettings(host: Host, env: Host['env'], cwd: string, options: SettingsOptions): SettingsFinder {
  const sources = checkSources(options.settingSources);
  const home = homeFolder(host, env);
  const root = checkRoot(options.projectConfigRoot) ?? cwd;
  const named = flagPlace(options.settings, cwd);
  let watched: readonly SettingsPlace[] = [];
  let stamps: readonly string[] = [];
  let extensions = NO_EXTENSIONS;
  let parents: readonly ExtensionPlace[] = [];
  let lookAgain: ReturnType<typeof looker> | null = null;
  let ofPlugins: ExtensionPlaces | null = null;
  const withPlugins = () => {
    const own = opened?.locked === undefined ? extensions : withoutPlaces(extensions, opened.locked);
    return ofPlugins === null ? own : joinPlaces(own, ofPlugins);
  };
  let opened: OpenedSettings | null = null;
  let flagChanges = options.flagChanges ?? {};
  let isFlagRead = true;
  const held = new Map<string, ReadSource | null>();
  /** @param isSame nothing is read that was not read the last time */
  const open = async (isSame = false): Promise<OpenedSettings | null> => {
    const upwards = await lookForRepositories(host, cwd);
    const ofRoot = root === cwd ? upwards : await lookUpwards(host, root);
    const { homedir, cwd: start } = host.platform;
    const others = userFolders(homedir, start, env);
    const folders = { home, homedir, others, cwd: root, above: repositoryAbove(ofRoot) };
    const places = placesFor(folders, sources);
    parents = extensionParents(places);
    watched = named === null ? places : [...places, named];
    lookAgain = null;
    const servers = options.strictMcpConfig ? [] : serverPlaces(folders, sources);
    const files = [...watched, ...servers];
    const there = await foldersThere(host, foldersOf(files));
    const [all, isSuspicious, nowExtensions] = await Promise.all([
      lookAt(host, files, there),
      isGitSuspicious(host, cwd, upwards),
      extensionPlaces(host, parents, there),
    ]);
    const found = all.slice(0, watched.length);
    const serverFiles = servers.filter((_, at) => all[watched.length + at] != null);
    extensions = nowExtensions;
    if (!isSame) stamps = found.map(stampOf);
    const counts = isSame ? new Map(watched.map(({ file }) => [file, sourceOf(opened, file)])) : new Map();
    for (const [file, source] of held) counts.set(file, source);
    const counted = places.filter(({ file }, at) => (counts.has(file) ? counts.get(file) !== null : found[at] != null));
    const { settings: flag, managedSettings: managed } = options;
    isFlagRead = true;
    const isFlagged = flag !== undefined || Object.keys(flagChanges).length > 0;
    const isPlain = counted.length === 0 && !isFlagged && managed === undefined;
    if (isPlain && !isSuspicious && serverFiles.length === 0) {
      opened = null;
      return null;
    }
    const { openSettings } = await DOORS.settings();
    const isGranted = vouches(options);
    opened = await openSettings(host, {
      places: counted,
      held: counts,
      flag,
      flagChanges,
      managed,
      cwd: root,
      home,
      isGranted,
      serverFiles,
    });
    return opened;
  };
  return {
    get extensions() {
      return withPlugins();
    },
    async lookForExtensions() {
      extensions = await extensionPlaces(host, parents);
      return withPlugins();
    },
    setPluginPlaces(places) {
      ofPlugins = places;
    },
    open: () => open(),
    async reopen(moment) {
      lookAgain ??= looker(host, watched, parents);
      const now = await lookAgain();
      if (moment === 'prompt') extensions = now.extensions;
      const files = watched.filter((_, at) => now.stamps[at] !== stamps[at]);
      for (const { file } of files) held.delete(file);
      const isFlagChanged = !isFlagRead;
      return files.length === 0 && !isFlagChanged ? null : { settings: await open(), files, isFlagChanged };
    },
    hold(files, before) {
      for (const { file } of files) held.set(file, sourceOf(before, file));
      return open(true);
    },
    changeFlag(fields) {
      flagChanges = { ...flagChanges, ...fields };
      isFlagRead = false;
    },
    get flagChanges() {
      return flagChanges;
    },
  };
}

/** What is asked before each prompt: the stamps of the files, and which folders of extensions there are. */
function looker(host: Host, files: readonly SettingsPlace[], parents: readonly ExtensionPlace[]) {
  return repeatLook(host, async (fs) => {
    const there = await foldersThere({ fs }, foldersOf(files));
    const stamps = (await lookAt({ fs }, files, there)).map(stampOf);
    return { stamps, extensions: await extensionPlaces({ fs }, parents, there) };
  });
}

function sourceOf(settings: OpenedSettings | null, file: string): ReadSource | null {
  return settings?.effective.sources.get(file) ?? null;
}

/** The file that the option names; null if it is none. */
function flagPlace(flag: unknown, cwd: string): SettingsPlace | null {
  if (typeof flag !== 'string' || flag.trimStart().startsWith('{')) return null;
  return { scope: 'flag', file: path.resolve(cwd, flag), base: cwd };
}

/** True if the host vouches for the folder. */
export function vouches({
  settingSources,
  trustFolder,
}: Pick<SettingsOptions, 'settingSources' | 'trustFolder'>): boolean {
  return trustFolder ?? settingSources?.some((source) => source !== 'user') ?? false;
}

function checkRoot(root: string | undefined): string | undefined {
  if (root === undefined || path.isAbsolute(root)) return root;
  throw new ConfigError(`projectConfigRoot must be an absolute path, not ${JSON.stringify(root.slice(0, 100))}.`);
}

function checkSources(sources: unknown): readonly SettingSource[] | undefined {
  if (sources === undefined) return undefined;
  if (Array.isArray(sources) && sources.every((source) => SOURCES.includes(source))) return sources;
  throw new ConfigError(`settingSources is a list of ${SOURCES.join(', ')}; [] for none of them.`);
}
