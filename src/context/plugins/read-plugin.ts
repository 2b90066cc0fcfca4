// A plugin: a folder with agents, commands, skills, hooks, servers and styles, in the layout in public use. One rule: nothing of
// it is run here, a path in its manifest stays within its folder, and what cannot be used is a problem with a reason.

import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { isInside } from '../../host/is-inside.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import type { Problem } from '../markdown/index.js';

export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Absolute, links resolved. */
  readonly folder: string;
  /** Absolute folders, or single files. */
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  readonly skills: readonly string[];
  readonly outputStyles: readonly string[];
  /** As settings have them: groups by event. */
  readonly hooks: readonly { readonly file: string; readonly events: Readonly<Record<string, unknown>> }[];
  /** Definitions by name, variables not expanded. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** What of it is left out, and why. */
  readonly problems: readonly string[];
}

/** Ours first: an installed plugin has one that says all. */
export const OWN_MANIFEST = '.turnwright-plugin/plugin.json';
const MANIFESTS = [OWN_MANIFEST, '.claude-plugin/plugin.json', '.qoder-plugin/plugin.json'];
export const PLUGIN_NAME = /^[A-Za-z0-9][\w-]{0,63}$/;
const MAX_BYTES = 1024 * 1024;
const KNOWN = [
  ...[
    'name',
    'version',
    'description',
    'author',
    'homepage',
    'repository',
    'license',
    'keywords',
    'category',
    'tags',
    '$schema',
  ],
  ...['agents', 'commands', 'skills', 'outputStyles', 'hooks', 'mcpServers', 'onlyNamed', 'displayName', 'icon'],
];
/** Parts that this version has not, in words. */
const NOT_HERE: Readonly<Record<string, string>> = {
  lspServers:
    'language servers are not started: the model searches with Grep, and the checks of the project tell of errors',
  channels: 'there are no channels of messages here',
  monitors: 'commands that watch are not started by themselves',
  userConfig: 'nobody is asked for values; give them as variables of the environment',
  dependencies: 'other plugins are not installed along: install them by themselves',
  themes: 'there are no themes here',
};

/** The manifest of a folder; null if there is none. Contract: never throws for what stands on the disk */
export async function readManifest(
  { fs }: Pick<Host, 'fs'>,
  folder: string,
): Promise<{ readonly file: string; readonly fields: Record<string, unknown> } | Problem | null> {
  const there = await fs.lstatAll(MANIFESTS.map((name) => path.join(folder, name)));
  const file = MANIFESTS.find((_, at) => there[at] != null);
  if (file === undefined) return null;
  const fields = await readJsonBelow(fs, folder, file);
  return 'problem' in fields ? { problem: `${file}: ${String(fields.problem)}` } : { file, fields };
}

/** @param given absolute; @param whole its manifest, in place of that of the folder. Contract: never throws for what stands on the disk */
export async function readPlugin(
  { fs }: Pick<Host, 'fs'>,
  given: string,
  whole?: Readonly<Record<string, unknown>>,
): Promise<Plugin | Problem> {
  try {
    const folder = await fs.realpath(given);
    if ((await fs.stat(folder)).kind !== 'directory') return { problem: 'it is not a folder' };
    return await readFolder(fs, folder, whole);
  } catch (error) {
    if (!isFileError(error)) throw error;
    return { problem: error.code === 'ENOENT' ? 'there is no such folder' : errorText(error) };
  }
}

async function readFolder(
  fs: Host['fs'],
  folder: string,
  whole: Readonly<Record<string, unknown>> | undefined,
): Promise<Plugin | Problem> {
  const problems: string[] = [];
  const inside = (name: string) => path.join(folder, name);
  const looked = [...MANIFESTS, ...PARTS.map(({ usual }) => usual), HOOKS, SERVERS, ...Object.keys(OTHER_FILES)];
  const stats = await fs.lstatAll(looked.map(inside));
  const isThere = (name: string) => stats[looked.indexOf(name)] != null;
  const manifestFile = whole === undefined ? MANIFESTS.find(isThere) : 'its manifest';
  const manifest: Readonly<Record<string, unknown>> | Problem =
    whole ?? (manifestFile === undefined ? {} : await readJsonBelow(fs, folder, manifestFile));
  if ('problem' in manifest) return { problem: `${manifestFile}: ${manifest.problem}` };
  const { name = path.basename(folder), version = '', description = '' } = manifest;
  if (typeof name !== 'string' || !PLUGIN_NAME.test(name))
    return { problem: `its name ${JSON.stringify(name)?.slice(0, 80)} is not 1 to 64 letters, digits, "-" and "_"` };
  for (const key of Object.keys(manifest))
    if (!KNOWN.includes(key))
      problems.push(
        `${manifestFile}: ${key} has no effect in this version${NOT_HERE[key] === undefined ? '' : ` (${NOT_HERE[key]})`}`,
      );
  for (const [file, part] of Object.entries(OTHER_FILES))
    if (isThere(file)) problems.push(`${file} has no effect in this version (${NOT_HERE[part]})`);
  const listed = await Promise.all(
    PARTS.map(async ({ key, usual }) => {
      const isReplaced = manifest['onlyNamed'] === true && manifest[key] !== undefined;
      const own = isThere(usual) && !isReplaced ? [inside(usual)] : [];
      const named = await namedPaths(fs, folder, key, manifest[key], problems);
      // What lies in a folder that counts is found there.
      return [...own, ...named.filter((each) => !own.some((usualFolder) => isInside(usualFolder, each)))];
    }),
  );
  const [agents = [], commands = [], skills = [], outputStyles = []] = listed;
  const plugin = {
    name,
    version: typeof version === 'string' ? version : '',
    description: typeof description === 'string' ? description : '',
    folder,
    agents,
    commands,
    skills,
    outputStyles,
    hooks: await readHooks(fs, folder, manifest['hooks'], isThere(HOOKS), problems),
    servers: await readServers(fs, folder, manifest['mcpServers'], isThere(SERVERS), problems),
    problems,
  };
  const isEmpty = [...listed, plugin.hooks, Object.keys(plugin.servers)].every(({ length }) => length === 0);
  return isEmpty && manifestFile === undefined
    ? { problem: 'it holds nothing that a plugin has: no manifest, agents, commands, skills, hooks or servers' }
    : plugin;
}

const PARTS = [
  { key: 'agents', usual: 'agents' },
  { key: 'commands', usual: 'commands' },
  { key: 'skills', usual: 'skills' },
  { key: 'outputStyles', usual: 'output-styles' },
] as const;
/** Files of parts that are not there. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  '.lsp.json': 'lspServers',
  'monitors/monitors.json': 'monitors',
};
const HOOKS = 'hooks/hooks.json';
const SERVERS = '.mcp.json';

/** The paths that a field of the manifest names, as far as they are there and within the plugin. */
async function namedPaths(
  fs: Host['fs'],
  folder: string,
  key: string,
  value: unknown,
  problems: string[],
): Promise<readonly string[]> {
  const names: unknown[] = value === undefined ? [] : Array.isArray(value) ? value : [value];
  const found: string[] = [];
  for (const name of names) {
    const real = typeof name === 'string' ? await within(fs, folder, withPluginRoot(name, folder)) : null;
    if (real !== null) found.push(real);
    else problems.push(`${key} names ${JSON.stringify(name)?.slice(0, 100)}, which is no path within the plugin`);
  }
  return found;
}

/** Null for what is not there, or lies outside. */
async function within(fs: Host['fs'], folder: string, name: string): Promise<string | null> {
  try {
    const real = await fs.realpath(path.resolve(folder, name));
    return isInside(folder, real) ? real : null;
  } catch (error) {
    if (isFileError(error)) return null;
    throw error;
  }
}

async function readHooks(
  fs: Host['fs'],
  folder: string,
  said: unknown,
  isThere: boolean,
  problems: string[],
): Promise<Plugin['hooks']> {
  const found: { file: string; events: Readonly<Record<string, unknown>> }[] = [];
  const files = [...(isThere ? [HOOKS] : []), ...[said].flat().filter((each) => typeof each === 'string')];
  for (const name of new Set(files.map((file) => path.normalize(file)))) {
    const read = await readJsonBelow(fs, folder, name);
    const events = 'problem' in read ? null : isRecord(read['hooks']) ? read['hooks'] : read;
    if (events !== null) found.push({ file: path.join(folder, name), events });
    else problems.push(`${name}: ${String((read as Problem).problem)}`);
  }
  for (const inline of [said].flat())
    if (isRecord(inline)) found.push({ file: folder, events: isRecord(inline['hooks']) ? inline['hooks'] : inline });
  return found;
}

async function readServers(
  fs: Host['fs'],
  folder: string,
  said: unknown,
  isThere: boolean,
  problems: string[],
): Promise<Readonly<Record<string, unknown>>> {
  let servers: Record<string, unknown> = {};
  const files = [...(isThere ? [SERVERS] : []), ...[said].flat().filter((each) => typeof each === 'string')];
  for (const name of new Set(files.map((file) => path.normalize(file)))) {
    const read = await readJsonBelow(fs, folder, name);
    if ('problem' in read) problems.push(`${name}: ${String(read.problem)}`);
    else servers = { ...servers, ...(isRecord(read['mcpServers']) ? read['mcpServers'] : read) };
  }
  for (const inline of [said].flat()) if (isRecord(inline)) servers = { ...servers, ...inline };
  return servers;
}

/** An object of JSON in a file of a folder; links that lead out of it are not followed. */
export async function readJsonBelow(
  fs: Host['fs'],
  folder: string,
  name: string,
  maxBytes = MAX_BYTES,
): Promise<Record<string, unknown> | Problem> {
  try {
    const real = await fs.realpath(path.join(folder, name));
    if (!isInside(folder, real)) return { problem: 'it lies outside its folder' };
    const handle = await fs.openRead(real);
    try {
      const { kind, size } = await handle.stat();
      if (kind !== 'file') return { problem: 'it is not a file' };
      if (size > maxBytes) return { problem: `it has more than ${maxBytes / 1024} KB` };
      const value: unknown = JSON.parse(new TextDecoder().decode(await handle.read(0, size)));
      return isRecord(value) ? value : { problem: 'it is not a JSON object' };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: `it is not JSON: ${error.message}` };
    if (isFileError(error))
      return { problem: error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${error.code})` };
    throw error;
  }
}

const ROOT = /\$\{(?:CLAUDE|TURNWRIGHT|QODER)_PLUGIN_ROOT\}|\$(?:CLAUDE|TURNWRIGHT|QODER)_PLUGIN_ROOT\b/g;

/** All texts of a value, with the folder of the plugin in place of its name. */
export function withPluginRoot<T>(value: T, folder: string): T {
  if (typeof value === 'string') return value.replace(ROOT, () => folder) as T;
  if (Array.isArray(value)) return value.map((each: unknown) => withPluginRoot(each, folder)) as T;
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withPluginRoot(each, folder)])) as T;
}
