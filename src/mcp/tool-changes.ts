// What of a server's tools is known, by hash, and what changed: which came, which went, and which say something else of
// themselves. One rule: what a tool says is text that a model obeys, so a tool that says what nobody saw before is told by
// name, and stays unknown until a call of it was let run.
import type { McpListedTool } from '../protocol/mcp.js';
import type { NoticeCode } from '../protocol/system-messages.js';
import { sha256Hex } from '../util/bytes.js';
import { shorten } from '../util/text.js';

export interface ServerNotice {
  readonly code: NoticeCode;
  readonly message: string;
  readonly remedy?: string;
}

/** Name to hash, as a server lists them now. */
export type ToolHashes = ReadonlyMap<string, string>;

/** Name to the hashes of what the tool may say; the newest last. */
export type KnownHashes = Readonly<Record<string, readonly string[]>>;

/** Keeps what is known of one server's tools. */
export interface KnownToolsStore {
  /** Nothing if it cannot be had, which is told. Never rejects. */
  read(): Promise<KnownHashes>;
  /** Adds these to what is kept. Never rejects. */
  add(hashes: Readonly<Record<string, string>>): Promise<void>;
}

const SHOWN = 10;
const MAX_NAME = 80;
/** Digits of a hash that are kept: 128 bits. */
const HASH_DIGITS = 32;

/** Of what a model reads and of what decides how a call is shown. Of tools with one name the first counts, as it is the one that is offered. */
export async function hashTools(tools: readonly McpListedTool[]): Promise<ToolHashes> {
  const encoder = new TextEncoder();
  const hashes = await Promise.all(
    tools.map(async (listed): Promise<[string, string]> => {
      // What a server lists may be anything.
      const tool = (listed ?? {}) as McpListedTool;
      const { name, title, description, inputSchema, annotations } = tool;
      const { outputSchema } = tool as { readonly outputSchema?: unknown };
      const text = canonical({ name, title, description, inputSchema, outputSchema, annotations });
      return [String(name), (await sha256Hex(encoder.encode(text))).slice(0, HASH_DIGITS)];
    }),
  );
  return new Map(hashes.reverse());
}

/** What is known of one server's tools while a session lasts, and after it if there is a store. */
export class KnownTools {
  readonly #store: KnownToolsStore | null;
  readonly #known = new Map<string, readonly string[]>();
  #reading: Promise<void> | null = null;
  #keeping: Promise<void> = Promise.resolve();

  constructor(store: KnownToolsStore | null) {
    this.#store = store;
  }

  /** Before anything is asked of it. Once, for all who wait. */
  read(): Promise<void> {
    this.#reading ??= (async () => {
      for (const [name, hashes] of Object.entries((await this.#store?.read()) ?? {})) this.#known.set(name, hashes);
    })();
    return this.#reading;
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** True for a tool that said something else of itself, and never this. */
  isStrange(name: string, hash: string): boolean {
    return this.#known.get(name)?.includes(hash) === false;
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  /** What a session offers for the first time counts as known. */
  meet(hashes: ToolHashes): void {
    this.#add(Object.fromEntries([...hashes].filter(([name]) => !this.has(name))));
  }

  /** A call of it was let run. */
  accept(name: string, hash: string): void {
    if (this.isStrange(name, hash)) this.#add({ [name]: hash });
  }

  /** Settles once all is kept. Never rejects. */
  kept(): Promise<void> {
    return this.#keeping;
  }

  #add(hashes: Readonly<Record<string, string>>): void {
    const names = Object.keys(hashes);
    if (names.length === 0) return;
    for (const name of names) this.#known.set(name, [...(this.#known.get(name) ?? []), hashes[name] as string]);
    const store = this.#store;
    if (store !== null) this.#keeping = this.#keeping.then(() => store.add(hashes));
  }
}

/**
 * What is to be told of a list that takes the place of another.
 * @param before what was offered; null at the first list of a session, which is held against what is known alone
 * @returns null if nothing is new
 */
export function toolChanges(
  server: string,
  before: ToolHashes | null,
  now: ToolHashes,
  known: KnownTools,
): ServerNotice | null {
  if (before === now || (before === null && known.isEmpty)) return null;
  const news = [...now].filter(([name, hash]) =>
    before === null ? known.isStrange(name, hash) || !known.has(name) : before.get(name) !== hash,
  );
  const strange = new Set(news.filter(([name, hash]) => known.isStrange(name, hash)).map(([name]) => name));
  const isOther = (name: string) => strange.has(name) || before?.has(name) === true;
  const names = news.map(([name]) => name);
  const parts = [
    listed(
      'new',
      names.filter((name) => !isOther(name)),
    ),
    listed(
      'gone',
      [...(before?.keys() ?? [])].filter((name) => !now.has(name)),
    ),
    listed('described differently', names.filter(isOther)),
  ];
  const what = parts.filter((part) => part !== '').join('; ');
  if (what === '') return null;
  const since = before === null ? 'in an earlier session' : 'before';
  const remedy =
    'What a tool says of itself is text that a model follows. The next call of such a tool is asked about, whatever rules allow. ' +
    `To see them, and let them run: turnwright mcp accept ${server}`;
  return {
    code: 'mcp_tools_changed',
    message: `The tools of the MCP server ${server} are not the same as ${since}: ${what}. The model is told of them from its next request on.`,
    ...(strange.size === 0 ? {} : { remedy }),
  };
}

/** The same text if only the order of keys differs. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

function listed(what: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, SHOWN).map((name) => shorten(name, MAX_NAME));
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return `${what}: ${shown.join(', ')}${more}`;
}
