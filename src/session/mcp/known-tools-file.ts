// What is known of the tools of MCP servers, by hash, over all sessions of a user: `mcp-tools.json`. One rule: a file that
// others may write, or that is not ours, is not believed, and that is told.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import type { McpServerDefinition } from '../../mcp/server-definition.js';
import type { KnownHashes, KnownToolsStore } from '../../mcp/tool-changes.js';
import { ConfigError } from '../../protocol/errors.js';
import { isRecord } from '../../util/json.js';
import { errorText } from '../../util/text.js';
import { whileLocked } from '../settings/index.js';
import { homeFolder } from '../store/index.js';

type Env = Readonly<Record<string, string | undefined>>;

export interface KnownToolsFile {
  /** Of one server; null if nothing is kept of it: code of the host's own. */
  of(definition: McpServerDefinition): KnownToolsStore | null;
}

const MODE = 0o600;
const OTHERS_WRITE = 0o022;
const VERSION = 1;
/** Of more servers, and tools of one, those go that were written to longest ago. */
const MAX_SERVERS = 500;
const MAX_TOOLS = 4_000;
/** What one tool may say without a question: the newest. */
const MAX_HASHES = 4;
const KEY_DIGITS = 32;

/**
 * @param mayWrite false: it is only read
 * @param onProblem told once, in a sentence
 */
export function openKnownToolsFile(
  host: Host,
  env: Env,
  { mayWrite, onProblem }: { readonly mayWrite: boolean; onProblem(message: string): void },
): KnownToolsFile {
  const file = path.join(homeFolder(host, env), 'mcp-tools.json');
  let isTold = false;
  const guarded = async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!isTold) onProblem(errorText(error));
      isTold = true;
      return otherwise;
    }
  };
  return {
    of(definition) {
      const identity = identityOf(definition);
      if (identity === null) return null;
      const key = host.sha256(new TextEncoder().encode(identity)).then((hash) => hash.slice(0, KEY_DIGITS));
      return {
        read: () => guarded(async () => (await readServers(host, file))[await key] ?? {}, {}),
        add: async (hashes) => {
          if (mayWrite) await guarded(async () => addHashes(host, file, await key, hashes), undefined);
        },
      };
    },
  };
}

/** Another command, argument or address is another server. */
function identityOf(definition: McpServerDefinition): string | null {
  const { name, identity } = definition;
  if (identity !== undefined) return JSON.stringify([name, identity]);
  return 'command' in definition ? JSON.stringify([name, definition.command, ...definition.args]) : null;
}

async function addHashes(
  host: Host,
  file: string,
  key: string,
  hashes: Readonly<Record<string, string>>,
): Promise<void> {
  await host.fs.mkdir(path.dirname(file), { mode: 0o700 });
  await whileLocked(host, file, async () => {
    const { [key]: before = {}, ...others } = await readServers(host, file);
    const tools = new Map(Object.entries(before));
    for (const [name, hash] of Object.entries(hashes)) {
      const known = (tools.get(name) ?? []).filter((each) => each !== hash);
      tools.delete(name);
      tools.set(name, [...known, hash].slice(-MAX_HASHES));
    }
    const servers = [...Object.entries(others), [key, Object.fromEntries([...tools].slice(-MAX_TOOLS))]];
    const content = { version: VERSION, servers: Object.fromEntries(servers.slice(-MAX_SERVERS)) };
    await host.fs.writeFileAtomic(file, `${JSON.stringify(content)}\n`, { mode: MODE });
  });
}

type Servers = Readonly<Record<string, KnownHashes>>;

/** @throws ConfigError, FileError */
async function readServers({ fs, platform }: Host, file: string): Promise<Servers> {
  let text: string;
  try {
    const { mode } = await fs.stat(file);
    if (platform.os !== 'win32' && (mode & OTHERS_WRITE) !== 0)
      throw new ConfigError(`Others may write ${file}, so it is not believed. Run: chmod 600 ${file}`);
    text = new TextDecoder().decode(await fs.readFile(file));
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return {};
    throw error;
  }
  const servers = parseServers(text);
  if (servers === null) throw new ConfigError(`${file} is not what Turnwright writes. Remove it.`);
  return servers;
}

function parseServers(text: string): Servers | null {
  try {
    const content: unknown = JSON.parse(text);
    const { servers } = isRecord(content) ? content : {};
    if (!isRecord(servers)) return null;
    const isTool = (hashes: unknown) => Array.isArray(hashes) && hashes.every((hash) => typeof hash === 'string');
    const areOurs = Object.values(servers).every((tools) => isRecord(tools) && Object.values(tools).every(isTool));
    return areOurs ? (servers as Servers) : null;
  } catch {
    return null; // no JSON
  }
}
