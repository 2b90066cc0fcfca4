// MCP servers that files define: a project's (`.mcp.json`), as values that somebody may vouch for, and the user's own. One
// rule: a project says what its servers are, and others say whether one of them is started.
import type { Host } from '../host/host.js';
import type { Settings } from '../protocol/settingsTypes.generated.js';
import { isRecord } from '../util/json.js';
import { readJsonFile, type SettingLeaf, type SettingsPlace, type SettingsProblem } from './settings/index.js';
import type { ActingFiles } from './trust.js';

/** A server as its file defines it, and whether it is started. */
export interface ProjectServer {
  readonly name: string;
  readonly file: string;
  readonly config: unknown;
  /** Absolute folder of the file. */
  readonly base: string;
  /** The user's own: in this project, or everywhere. */
  readonly owner: 'project' | 'local' | 'user';
  /** What the files of the project that it names held when they were looked at; null if the host vouches for it. */
  readonly files: ActingFiles | null;
  readonly state: 'used' | 'not_trusted' | 'not_enabled' | 'disabled';
}

export interface FoundServer extends Omit<ProjectServer, 'state' | 'files'> {
  readonly leaf: SettingLeaf;
}

const MAX_SERVERS = 100;
const KEY = 'mcpServers';

/**
 * The servers of files, the nearest file first: of two with one name that one's counts.
 * @param problems gets what is wrong in the files
 */
export async function findProjectServers(
  host: Pick<Host, 'fs'>,
  places: readonly SettingsPlace[],
  problems: SettingsProblem[],
): Promise<FoundServer[]> {
  const found = new Map<string, FoundServer>();
  for (const place of places) {
    const { file, base } = place;
    const read = await readJsonFile(host, file);
    if (read === null) continue;
    const servers = 'problem' in read ? read.problem : await serversAt(host, place, read.value);
    if (typeof servers === 'string') {
      problems.push({ file, key: null, message: servers });
      continue;
    }
    if (servers.length > MAX_SERVERS) {
      const message = `has ${servers.length} servers; only the first ${MAX_SERVERS} are looked at`;
      problems.push({ file, key: KEY, message });
    }
    for (const [name, config] of servers.slice(0, MAX_SERVERS)) {
      if (found.has(name)) continue;
      const leaf = { path: [KEY, name], key: `${KEY}.${name}`, value: config, isItem: false, ...place };
      const owner = place.scope === 'project' ? 'project' : place.isOfFolder ? 'local' : 'user';
      found.set(name, { name, file, base, config, leaf, owner });
    }
  }
  return [...found.values()];
}

/** Of the user's own file the part that is meant; it need not be there. */
async function serversAt(host: Pick<Host, 'fs'>, { scope, base, isOfFolder }: SettingsPlace, value: unknown) {
  if (scope === 'project') return serversOf(value);
  if (!isRecord(value)) return 'is not a JSON object';
  const folders = isRecord(value['projects']) ? value['projects'] : {};
  const part = isOfFolder ? folders[await host.fs.realpath(base).catch(() => base)] : value;
  return isRecord(part) && part[KEY] !== undefined ? serversOf(part) : [];
}

/** The servers of a file, or what is wrong with it in words that follow its name. */
export function serversOf(value: unknown): [string, unknown][] | string {
  const servers = isRecord(value) ? value[KEY] : undefined;
  if (!isRecord(servers)) return `has no object ${KEY} with the servers by their names`;
  const unnamed = Object.keys(servers).some((name) => name.trim() === '');
  return unnamed ? 'has a server without a name' : Object.entries(servers);
}

export interface EnablingRules {
  /** Of all sources. */
  readonly disabled: readonly string[];
  /** Of sources that are no project's. */
  readonly settings: Pick<Settings, 'enableAllProjectMcpServers' | 'enabledMcpjsonServers'>;
  readonly managed: Pick<Settings, 'enableAllProjectMcpServers'>;
  /** True if the host vouches for the folder. */
  readonly isGranted: boolean;
}

/** Null if it may be started once it is trusted. */
export function whyNotEnabled(name: string, rules: EnablingRules): 'disabled' | 'not_enabled' | null {
  if (rules.disabled.includes(name)) return 'disabled';
  const { enableAllProjectMcpServers: all, enabledMcpjsonServers: named = [] } = rules.settings;
  if (all !== false || named.includes(name)) return null;
  return rules.isGranted && rules.managed.enableAllProjectMcpServers !== false ? null : 'not_enabled';
}
