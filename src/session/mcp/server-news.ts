// What MCP servers say and ask of a session by themselves: lines of their logs, requests during a call, resources that
// changed. One rule: nothing of it is shown before the vault has hidden what is secret, and one server cannot fill the stream.
import type { MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import { type AskedParties, createServerRequests } from '../../mcp/client/index.js';
import type { ServerLogEntry } from '../../mcp/lasting-server.js';
import type { TransportPlace } from '../../mcp/transport.js';
import type { McpCallSession, McpClient } from '../../protocol/mcp.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { CommandSandbox } from '../../sandbox/command-sandbox.js';
import type { SecretVault } from '../../secrets/secret-vault.js';
import { isRecord } from '../../util/json.js';
import { shorten } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';
import type { KnownToolsFile } from './known-tools-file.js';
import type { ServerEntry } from './server-entry.js';

/** Lines of one server's log that become notices. */
const MAX_LOG_NOTICES = 5;
const MAX_LOG_TEXT = 500;
const SERIOUS = ['error', 'critical', 'alert', 'emergency'];

export interface NewsPlace {
  readonly host: Host;
  readonly cwd: string;
  readonly sessionId: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: EngineLimits;
  readonly vault: SecretVault | null;
  readonly sandbox: CommandSandbox | null;
  readonly network: NonNullable<TransportPlace['network']>;
  readonly asked: AskedParties;
  /** What is known of their tools from earlier sessions. */
  readonly knownTools: KnownToolsFile;
  onDraft(draft: MessageDraft): void;
  log(event: string, detail: Readonly<Record<string, unknown>>): void;
}

export class ServerNews {
  readonly #place: NewsPlace;
  readonly #ended: AbortSignal;
  readonly #onChange: () => void;
  readonly #told = new Set<string>();
  readonly #updated = new Map<string, string>();

  /** @param onChange called when the state of a server may be another */
  constructor(place: NewsPlace, ended: AbortSignal, onChange: () => void) {
    this.#place = place;
    this.#ended = ended;
    this.#onChange = onChange;
  }

  /** What a server that the session connects itself is given, and is heard by. */
  placeOf(entry: ServerEntry) {
    const { name } = entry;
    const { host, cwd, env, limits, sandbox, network, asked, knownTools, onDraft } = this.#place;
    return {
      knownTools: entry.definition === null ? null : knownTools.of(entry.definition),
      exec: host.exec,
      clock: host.clock,
      monotonic: () => host.clock.monotonic(),
      cwd,
      env,
      sandbox,
      network,
      asked,
      startTimeoutMs: limits.mcpStartTimeoutMs,
      hide: (text: string) => this.#hidden(text),
      onNotice: (notice: PendingNotice) => onDraft(noticeDraft(notice)),
      onChange: this.#onChange,
      onLog: (line: ServerLogEntry) => this.#hearLog(entry, line),
      onPageCompleted: (id: string) =>
        onDraft({ type: 'system', subtype: 'elicitation_complete', mcp_server_name: name, elicitation_id: id }),
      onResourceUpdated: (uri: string) => void this.#updated.set(`${name}\n${uri}`, name),
    };
  }

  /** What a tool of this process may ask and say while a call of it runs. */
  sessionOf(entry: ServerEntry): McpCallSession {
    const { asked, sessionId } = this.#place;
    const requests = createServerRequests(entry.name, asked);
    return {
      sessionId,
      request: (method, params, signal) =>
        // Its call is under way, or it could not ask.
        requests.during(async () => {
          const answer = requests.answer(method, params, signal);
          if (answer === null) throw new Error(`There is no ${method} here.`);
          return answer;
        }),
      notify: (method, params) => {
        const { level, logger, data } = isRecord(params) ? params : {};
        if (method === 'notifications/message' && typeof level === 'string')
          this.#hearLog(entry, { level, logger: typeof logger === 'string' ? logger : null, data });
      },
    };
  }

  /** Hears when a resource changes that the model has read. */
  follow(server: string, client: McpClient, uri: string): void {
    const capabilities = client.getServerCapabilities?.();
    const { resources } = isRecord(capabilities) ? capabilities : {};
    if (!isRecord(resources) || resources['subscribe'] !== true) return;
    client.subscribeResource?.({ uri }, { signal: this.#ended }).catch((error: unknown) => {
      this.#place.log('mcp_subscribe_failed', { server, uri, error });
    });
  }

  /** What changed of resources that the session read, once. */
  takeUpdates(): readonly { readonly server: string; readonly uri: string }[] {
    const updates = [...this.#updated].map(([key, server]) => ({ server, uri: key.slice(server.length + 1) }));
    this.#updated.clear();
    return updates;
  }

  /** Tells it once, however often it comes up. */
  tell(notice: PendingNotice): void {
    if (this.#told.has(notice.message)) return;
    this.#told.add(notice.message);
    this.#place.onDraft(noticeDraft(notice));
  }

  #hearLog(entry: ServerEntry, { level, logger, data }: ServerLogEntry): void {
    const { name } = entry;
    const text = shorten(typeof data === 'string' ? data : (JSON.stringify(data) ?? ''), MAX_LOG_TEXT);
    this.#place.log('mcp_server_log', { server: name, level, logger, data: text });
    if (!SERIOUS.includes(level) || entry.logged >= MAX_LOG_NOTICES) return;
    entry.logged += 1;
    const more = entry.logged === MAX_LOG_NOTICES ? ' More of them are in the debug log alone.' : '';
    const message = `The MCP server ${name} reports (${level}): ${text}${more}`;
    void this.#hidden(message).then((clean) =>
      this.#place.onDraft(noticeDraft({ code: 'mcp_server_log', message: clean })),
    );
  }

  async #hidden(text: string): Promise<string> {
    const { vault } = this.#place;
    return vault === null ? text : (await vault.open()).hide(text, 'found');
  }
}

function noticeDraft(notice: PendingNotice) {
  return { type: 'system', subtype: 'notice', level: 'warning', ...notice } as const;
}
