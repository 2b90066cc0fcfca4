// Servers that somebody names on a command line: files with definitions, or the JSON itself. Theirs to choose, so every
// variable of their environment may stand in them.
import path from 'node:path';
import { serversOf } from '../../context/project-servers.js';
import { parseSettings, readJsonFile } from '../../context/settings/index.js';
import type { Host } from '../../host/host.js';
import { expandVariables } from '../../mcp/expand-variables.js';
import { ConfigError } from '../../protocol/errors.js';
import type { McpServerConfig } from '../../protocol/mcp.js';

/**
 * @param sources each the path of a file as seen from `folder`, or JSON. A later one's server takes an earlier one's place
 * @throws ConfigError if one cannot be used
 */
export async function readMcpConfigs(
  host: Pick<Host, 'fs'>,
  sources: readonly string[],
  { folder, env }: { readonly folder: string; readonly env: Host['env'] },
): Promise<Record<string, McpServerConfig>> {
  const servers: Record<string, McpServerConfig> = {};
  for (const source of sources) {
    const isJson = source.trimStart().startsWith('{');
    const file = path.resolve(folder, source);
    const read = isJson ? await parseSettings(source) : await readJsonFile(host, file);
    const subject = isJson ? '--mcp-config' : file;
    if (read === null) throw new ConfigError(`--mcp-config names ${file}, and there is no such file.`);
    const found = 'problem' in read ? read.problem : serversOf(read.value);
    if (typeof found === 'string') throw new ConfigError(`${subject} ${found}.`);
    for (const [name, config] of found) {
      const { value, missing } = expandVariables(config, env);
      if (missing.length > 0) {
        const names = missing.join(', ');
        throw new ConfigError(`${subject}: the server ${name} names the variable ${names}, which is not set.`);
      }
      servers[name] = value as McpServerConfig;
    }
  }
  return servers;
}
