// The credentials of MCP servers in the file of the user's credentials. One rule: of all processes one at a time writes the
// file, and one at a time refreshes what is kept of a server, so that no refresh token is used twice.
import type { Host } from '../../host/host.js';
import type { McpCredentials, McpTokenStore } from '../../protocol/mcp-auth.js';
import { isRecord } from '../../util/is-record.js';
import { whileLocked } from '../settings/index.js';
import { credentialsFile, notOurs, readCredentialsFile, writeCredentialsPart } from './credentials-file.js';

const PART = 'mcp';

/** @throws ConfigError with each call where the file cannot be used */
export function storedTokens(host: Host, env: Host['env']): McpTokenStore {
  const file = credentialsFile(host, env);
  const all = async (): Promise<Readonly<Record<string, unknown>>> => {
    const found = (await readCredentialsFile(host, file))?.[PART] ?? {};
    if (!isRecord(found)) throw notOurs(file);
    return found;
  };
  const write = async (server: string, credentials: McpCredentials | null): Promise<void> => {
    const { [server]: _, ...others } = await all();
    await writeCredentialsPart(host, file, PART, credentials === null ? others : { ...others, [server]: credentials });
  };
  return {
    async read(server) {
      const found = (await all())[server];
      return isCredentials(found) ? found : null;
    },
    write: (server, credentials) => whileLocked(host, file, () => write(server, credentials)),
    async exclusive(server, work) {
      const hash = await host.sha256(new TextEncoder().encode(server));
      return whileLocked(host, `${file}.${hash.slice(0, 16)}`, work);
    },
  };
}

function isCredentials(value: unknown): value is McpCredentials {
  if (!isRecord(value)) return false;
  return [value['issuer'], value['tokenEndpoint'], value['clientId']].every((text) => typeof text === 'string');
}
