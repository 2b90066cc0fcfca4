// The MCP servers of files: which there are for a folder, and adding and removing one. What `turnwright mcp` does with
// files. One rule: comments stay, other writers lose nothing, and what holds credentials nobody else can read.
import path from 'node:path';
import { lookUpwards, repositoryAbove } from '../../context/look.js';
import { OWN_SERVERS_FILE, parseSettings, projectFolder, withValue } from '../../context/settings/index.js';
import { type Host, isFileError } from '../../host/host.js';
import { readDefinition, unknownFields } from '../../mcp/server-definition.js';
import { ConfigError } from '../../protocol/errors.js';
import { whileLocked } from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';
import { isRecord } from '../../util/json.js';
import { withSettings } from '../settings/index.js';

/** Whose: the user's in this project, everybody's who works on it, the user's everywhere. */
export type McpScope = 'local' | 'project' | 'user';

export interface FiledServer {
  readonly name: string;
  readonly scope: McpScope;
  readonly file: string;
  readonly config: unknown;
  /** Whether a session of this folder would use it. */
  readonly state: 'used' | 'not_trusted' | 'not_enabled' | 'disabled';
}

/** Those that count in a folder, of servers with one name the strongest. @throws ConfigError */
export async function filedServers(host: Host, cwd: string, isTrusted: boolean): Promise<readonly FiledServer[]> {
  const { settings } = await withSettings({ cwd, ...(isTrusted ? { trustFolder: true } : {}) }, host);
  const found = settings?.effective.servers ?? [];
  return found.map(({ name, owner, file, config, state }) => ({ name, scope: owner, file, config, state }));
}

interface Place {
  readonly file: string;
  readonly path: readonly string[];
}

async function placeOf(host: Host, cwd: string, scope: McpScope): Promise<Place> {
  const above = repositoryAbove(await lookUpwards(host, cwd));
  const top = projectFolder({ cwd, above });
  if (scope === 'project') return { file: path.join(top, '.mcp.json'), path: ['mcpServers'] };
  const file = path.join(homeFolder(host, host.env), OWN_SERVERS_FILE);
  if (scope === 'user') return { file, path: ['mcpServers'] };
  return { file, path: ['projects', await host.fs.realpath(top).catch(() => top), 'mcpServers'] };
}

/**
 * Adds a server to a file.
 * @returns the file, and keys of the definition that mean nothing
 * @throws ConfigError if the definition is wrong, or there is one of that name already
 */
export async function addFiledServer(
  host: Host,
  cwd: string,
  scope: McpScope,
  name: string,
  config: object,
): Promise<{ readonly file: string; readonly unknown: readonly string[] }> {
  if (!/^[\w.-]{1,64}$/.test(name))
    throw new ConfigError(
      `"${name.slice(0, 60)}" cannot be the name of a server. Use letters, digits, "_", "-" and ".".`,
    );
  const definition = readDefinition(name, config);
  if (typeof definition === 'string') throw new ConfigError(`The server ${name} ${definition}.`);
  const place = await placeOf(host, cwd, scope);
  await changed(host, place, (servers, text) => {
    if (Object.hasOwn(servers, name))
      throw new ConfigError(
        `There is a server ${name} in ${place.file} already. Remove it first: turnwright mcp remove ${name} --scope ${scope}`,
      );
    return withValue(text, [...place.path, name], config);
  });
  return { file: place.file, unknown: unknownFields(config) };
}

/** Removes a server from the file of a scope. @returns the file; null if it has no such server. @throws ConfigError */
export async function removeFiledServer(
  host: Host,
  cwd: string,
  scope: McpScope,
  name: string,
): Promise<string | null> {
  const place = await placeOf(host, cwd, scope);
  let isGone = false;
  await changed(host, place, (servers, text) => {
    isGone = Object.hasOwn(servers, name);
    return isGone ? withValue(text, [...place.path, name], undefined) : null;
  });
  return isGone ? place.file : null;
}

type Change = (servers: Readonly<Record<string, unknown>>, text: string) => string | null;

async function changed(host: Host, place: Place, change: Change): Promise<void> {
  const { file } = place;
  const isOwn = path.basename(file) === OWN_SERVERS_FILE;
  await whileLocked(host, isOwn ? file : path.join(homeFolder(host, host.env), 'mcp-project'), async () => {
    const text = await readText(host, file);
    const parsed = await parseSettings(text);
    if ('problem' in parsed) throw new ConfigError(`${file} ${parsed.problem}. Correct it first.`);
    let servers: unknown = parsed.value;
    for (const key of place.path) servers = isRecord(servers) ? servers[key] : undefined;
    const next = change(isRecord(servers) ? servers : {}, text);
    if (next === null) return;
    if (isOwn) await host.fs.mkdir(path.dirname(file), { mode: 0o700 });
    await host.fs.writeFileAtomic(file, next.endsWith('\n') ? next : `${next}\n`, isOwn ? { mode: 0o600 } : {});
  });
}

async function readText(host: Host, file: string): Promise<string> {
  try {
    return new TextDecoder().decode(await host.fs.readFile(file));
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return '{}\n';
    if (isFileError(error)) throw new ConfigError(`${file} cannot be read: ${error.message}`, { cause: error });
    throw error;
  }
}
