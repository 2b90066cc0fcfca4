// Where settings files stand, and whether any is there. Every session asks; what reads them is loaded
// if there is something to read.
import path from 'node:path';
import type { FileStat } from '../../host/host.js';
import type { SettingSource } from '../../protocol/options.js';
import type { LookingFs } from '../look.js';

/** Whose settings, from the strongest to the weakest. */
export const SETTING_SCOPES = ['managed', 'flag', 'local', 'project', 'user'] as const;
export type SettingScope = (typeof SETTING_SCOPES)[number];

export interface SettingsPlace {
  readonly scope: SettingScope;
  readonly file: string;
  /** Absolute folder that relative paths in the file start from. */
  readonly base: string;
  /** True: only what the file says of the folder `base` counts. */
  readonly isOfFolder?: true;
}

/** What may lie beside a settings file, in a folder of that name. */
export const EXTENSION_KINDS = ['skills', 'agents', 'commands', 'output-styles', 'rules'] as const;
export type ExtensionKind = (typeof EXTENSION_KINDS)[number];

/** A folder of one kind, and whose it is. */
export interface ExtensionPlace {
  readonly scope: 'project' | 'user' | 'plugin';
  /** Absolute. */
  readonly folder: string;
  /** Goes before the names of what is in it, with a colon. For plugins. */
  readonly namespace?: string;
}

export type ExtensionPlaces = Readonly<Record<ExtensionKind, readonly ExtensionPlace[]>>;

export const NO_EXTENSIONS: ExtensionPlaces = { skills: [], agents: [], commands: [], 'output-styles': [], rules: [] };

/** Without some kinds. */
export function withoutPlaces(places: ExtensionPlaces, kinds: readonly ExtensionKind[]): ExtensionPlaces {
  return { ...places, ...Object.fromEntries(kinds.map((kind) => [kind, []])) };
}

/** One behind the other, kind by kind. */
export function joinPlaces(first: ExtensionPlaces, second: ExtensionPlaces): ExtensionPlaces {
  return Object.fromEntries(
    EXTENSION_KINDS.map((kind) => [kind, [...first[kind], ...second[kind]]]),
  ) as unknown as ExtensionPlaces;
}

export const MANAGED_FILE = '/etc/turnwright/managed-settings.json';

/** Folders of settings files, ours first: it wins. */
const FOLDERS = ['.turnwright', '.claude', '.qoder'];

/** Where other programs keep the user's files, if not below the home folder. */
const USER_FOLDERS: readonly { readonly variable: string; readonly folder: string }[] = [
  { variable: 'CLAUDE_CONFIG_DIR', folder: '.claude' },
  { variable: 'QODER_CONFIG_DIR', folder: '.qoder' },
];

/** The folders of other programs with the user's settings, absolute. */
export function userFolders(
  homedir: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return USER_FOLDERS.map(({ variable, folder }) => path.resolve(cwd, env[variable] || path.join(homedir, folder)));
}

export interface SettingsFolders {
  /** `$TURNWRIGHT_HOME`. */
  readonly home: string;
  /** The user's home folder. */
  readonly homedir: string;
  /** Folders of other programs with settings of the user. Default: what `userFolders` gives without variables. */
  readonly others?: readonly string[];
  /** The working directory, absolute. */
  readonly cwd: string;
  /** Folders of its repository above it, the nearest first. */
  readonly above?: readonly string[];
}

/** Every settings file there may be, from the strongest to the weakest. A file that is two of them is the user's. */
function settingsPlaces(folders: SettingsFolders): readonly SettingsPlace[] {
  const { home, homedir, cwd, above = [], others = userFolders(homedir, cwd, {}) } = folders;
  const user: SettingsPlace[] = [home, ...others].map((folder) => ({
    scope: 'user',
    file: path.join(folder, 'settings.json'),
    base: homedir,
  }));
  const inProject = (scope: 'project' | 'local', name: string): SettingsPlace[] =>
    [cwd, ...above].flatMap((base) => FOLDERS.map((folder) => ({ scope, file: path.join(base, folder, name), base })));
  const ofProject = [...inProject('local', 'settings.local.json'), ...inProject('project', 'settings.json')];
  return [
    { scope: 'managed', file: MANAGED_FILE, base: '/' },
    ...ofProject.filter(({ file }) => !user.some((place) => place.file === file)),
    ...user,
  ];
}

/** The places that a session reads; `undefined`: all. Managed settings cannot be left out. */
export function placesFor(
  folders: SettingsFolders,
  sources: readonly SettingSource[] | undefined,
): readonly SettingsPlace[] {
  const isWanted = ({ scope }: SettingsPlace) =>
    scope === 'managed' || sources === undefined || (sources as readonly string[]).includes(scope);
  return settingsPlaces(folders).filter(isWanted);
}

/** Servers of the user: everywhere, and by folder. */
export const OWN_SERVERS_FILE = 'mcp.json';

/** The folder that servers of one project are kept by: the top of its repository. */
export function projectFolder({ cwd, above = [] }: Pick<SettingsFolders, 'cwd' | 'above'>): string {
  return above.at(-1) ?? cwd;
}

/**
 * The files that may say which MCP servers there are, from the strongest to the weakest: the user's own for this
 * project, files of the project, the nearest first, and the user's own for all.
 */
export function serverPlaces(
  folders: SettingsFolders,
  sources: readonly SettingSource[] | undefined,
): readonly SettingsPlace[] {
  const { home, homedir, cwd, above = [] } = folders;
  const isWanted = (source: SettingSource) => sources === undefined || sources.includes(source);
  const file = path.join(home, OWN_SERVERS_FILE);
  const ofProject = [cwd, ...above].map(
    (base) => ({ scope: 'project', file: path.join(base, '.mcp.json'), base }) as const,
  );
  return [
    // They stand in a folder of the user's, so nobody has to vouch for them.
    ...(isWanted('local') ? [{ scope: 'user', file, base: projectFolder(folders), isOfFolder: true } as const] : []),
    ...(isWanted('project') ? ofProject : []),
    ...(isWanted('user') ? [{ scope: 'user', file, base: homedir } as const] : []),
  ];
}

interface Looking {
  readonly fs: Pick<LookingFs, 'lstatAll' | 'stat'>;
}

/** Those of these folders that are there. One batch. */
export async function foldersThere({ fs }: Looking, folders: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const asked = [...folders];
  const found = await fs.lstatAll(asked);
  return new Set(asked.filter((_, at) => found[at] != null));
}

/**
 * What a file was when it was looked at; null if there was none. Two batches at most, and nothing is opened.
 * @param there what `foldersThere` found of their folders, if that was asked just now
 */
export async function lookAt(
  host: Looking,
  places: readonly SettingsPlace[],
  there?: ReadonlySet<string>,
): Promise<readonly (FileStat | null)[]> {
  // Most folders of settings are not there, and have several files: what is in none is not asked for one by one.
  const known = there ?? (await foldersThere(host, foldersOf(places)));
  const { fs } = host;
  const asked = places.filter(({ file }) => known.has(path.dirname(file)));
  const stats = await fs.lstatAll(asked.map(({ file }) => file));
  const found = new Map(asked.map((place, at) => [place, stats[at] ?? null]));
  return Promise.all(
    places.map((place) => {
      const stat = found.get(place) ?? null;
      // What a link points to changes without the link.
      return stat?.kind === 'symlink' ? target(fs, place.file) : stat;
    }),
  );
}

/** The folders that these files stand in. */
export function foldersOf(places: readonly SettingsPlace[]): ReadonlySet<string> {
  return new Set(places.map(({ file }) => path.dirname(file)));
}

async function target(fs: Looking['fs'], file: string): Promise<FileStat | null> {
  try {
    return await fs.stat(file);
  } catch {
    return null; // a link that leads nowhere is no file
  }
}

/** Tells a file that is as it was from one that is not. */
export function stampOf(stat: FileStat | null): string {
  return stat === null ? '' : `${stat.kind}:${stat.inode}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
}

/** The folders beside these settings files that may hold folders of extensions, in their order. */
export function extensionParents(places: readonly SettingsPlace[]): readonly ExtensionPlace[] {
  return places.flatMap(({ scope, file }) =>
    scope === 'project' || scope === 'user' ? [{ scope, folder: path.dirname(file) }] : [],
  );
}

/**
 * The folders of extensions that are there, in the order of their parents. Nothing is opened, and only what is in a parent
 * that is there is looked for: most are not, and this is asked before each prompt.
 * @param there what `foldersThere` found of the parents, if that was asked just now
 */
export async function extensionPlaces(
  host: Looking,
  parents: readonly ExtensionPlace[],
  there?: ReadonlySet<string>,
): Promise<ExtensionPlaces> {
  const { fs } = host;
  const known = there ?? (await foldersThere(host, new Set(parents.map(({ folder }) => folder))));
  const standing = parents.filter(({ folder }) => known.has(folder));
  if (standing.length === 0) return NO_EXTENSIONS;
  const possible = standing.flatMap(({ scope, folder }) =>
    EXTENSION_KINDS.map((kind) => ({ kind, scope, folder: path.join(folder, kind) })),
  );
  const found = await fs.lstatAll(possible.map(({ folder }) => folder));
  const ofKind = (wanted: ExtensionKind) =>
    possible.flatMap(({ kind, scope, folder }, at) =>
      kind === wanted && found[at] != null ? [{ scope, folder }] : [],
    );
  return Object.fromEntries(EXTENSION_KINDS.map((kind) => [kind, ofKind(kind)])) as unknown as ExtensionPlaces;
}
