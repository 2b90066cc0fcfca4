// Which tools requests leave out until the conversation has loaded them, and the tool that finds them. Loaded if a
// session has tools that may be left out. One rule: what is loaded follows from the conversation, so it is the same after
// a resume, a fork or a compaction.
import type { ToolDeferral } from '../../engine/request/index.js';
import { LOADED_TOOLS_HEADER } from '../../engine/state/index.js';
import { createTokenEstimator, type TokenEstimator } from '../../engine/tokens/index.js';
import { restrictsTool } from '../../permissions/tool-rule.js';
import type { ContentBlock, MessageParam } from '../../protocol/content.js';
import { ConfigError } from '../../protocol/errors.js';
import type { ToolSearchMode } from '../../protocol/options.js';
import { KeptDefinition } from '../../providers/contract/index.js';
import type { AnyTool, Tools } from '../../tools/tool.js';
import { createToolSearch, loadedNames, TOOL_SEARCH } from '../../tools/tool-search.js';
import { sameStart } from '../../util/lists.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { AgentSetup } from './defined-agents.js';

/** What an agent of a session has deferred. */
export interface DeferredTools extends ToolDeferral, Loading {
  /** In place of the agent's tools: all of them, and the one that finds what is deferred. */
  readonly tools: Tools;
}

/** Part of the context window that tools of servers may take before they are deferred, percent. */
const DEFAULT_PERCENT = 10;
/** What the names of deferred tools may take of each request, tokens. */
const MAX_LISTING = 2_500;

export interface DeferralPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the agent's model, tokens. */
  readonly contextWindow: number;
}

/** What is asked of a session and one of its agents. */
interface DeferringMoment {
  readonly session: {
    readonly config: Parameters<typeof deferTools>[0];
    readonly memory: { deferral?: DeferredTools | null };
    modelOverride(chosen: string): string;
  };
  readonly runtime: {
    setup: AgentSetup;
    readonly env: DeferralPlace['env'];
    readonly model: string;
    readonly loop: { contextWindow(model: string): number };
  };
}

export const parts = {
  toolsAreOffered({ session, runtime }: DeferringMoment): void {
    const { config, memory } = session;
    const contextWindow = runtime.loop.contextWindow(session.modelOverride(runtime.model));
    const { tools } = runtime.setup;
    memory.deferral = deferTools(config, tools, memory.deferral ?? null, { env: runtime.env, contextWindow });
    if (memory.deferral !== null) runtime.setup = { ...runtime.setup, tools: memory.deferral.tools };
  },
};

/**
 * @param tools what the agent has
 * @param before what it had deferred until now; once something is deferred it stays so, since a list of tools that
 *   changes to and fro would be read anew each time
 * @returns null if requests define all tools
 * @throws ConfigError for a mode that there is not
 */
function deferTools(
  config: Pick<QueryEngineConfig, 'toolSearch' | 'permissions'>,
  tools: Tools,
  before: DeferredTools | null,
  place: DeferralPlace,
): DeferredTools | null {
  // What runs scripts is made of these.
  const others = tools.filter(({ name, callsTools }) => name !== TOOL_SEARCH && callsTools !== true);
  if (before !== null && sameTools(others, before.tools.slice(0, -1))) return before;
  const mode = readMode(config.toolSearch, place.env);
  const isDenied = (config.permissions?.deny ?? []).some((rule) => restrictsTool(rule, TOOL_SEARCH));
  const deferrable = others.filter(({ deferrable: kind }) => kind !== undefined);
  if (mode === 'never' || isDenied || deferrable.length === 0) return null;
  const estimator = createTokenEstimator();
  if (before === null && !pays(mode, deferrable, place.contextWindow, estimator)) return null;
  const names = new Set(deferrable.map(({ name }) => name));
  const loading = createLoading(names, before?.everLoaded() ?? []);
  const isLoaded = (name: string) => loading.everLoaded().includes(name);
  const search = createToolSearch({ tools: deferrable, listing: listTools(deferrable, estimator), isLoaded });
  return { names, ...loading, tools: [...others, search as AnyTool] };
}

/** The option, else the variable that other engines have. @throws ConfigError */
function readMode(option: QueryEngineConfig['toolSearch'], env: DeferralPlace['env']): ToolSearchMode {
  if (option !== undefined) return option;
  const value = env['ENABLE_TOOL_SEARCH']?.trim().toLowerCase() ?? '';
  if (value === '' || value === 'auto') return 'auto';
  if (value === 'true' || value === '1') return 'always';
  if (value === 'false' || value === '0') return 'never';
  const percent = Number(/^auto:(\d{1,3})$/.exec(value)?.[1] ?? Number.NaN);
  if (percent <= 100) return percent;
  throw new ConfigError(`ENABLE_TOOL_SEARCH is "${value}". It is true, false, auto, or auto:N with N percent.`);
}

function sameTools(a: Tools, b: Tools): boolean {
  return a.length === b.length && a.every((tool, at) => tool === b[at]);
}

function pays(mode: ToolSearchMode, deferrable: Tools, window: number, estimator: TokenEstimator): boolean {
  if (mode === 'always') return true;
  const most = (window * (typeof mode === 'number' ? mode : DEFAULT_PERCENT)) / 100;
  const counted = deferrable.filter(({ deferrable: kind }) => kind === 'server');
  let tokens = 0;
  for (const tool of counted) {
    tokens += estimator.tool(KeptDefinition.of(tool));
    if (tokens > most) return true;
  }
  return false;
}

/**
 * The names of deferred tools by server, as many as fit.
 * Contract: the same tools, the same text; every server and the number of its tools is named as long as there is room.
 */
function listTools(tools: Tools, estimator: TokenEstimator): string {
  const servers = new Map<string, string[]>();
  for (const { name } of tools) {
    const [server, tool] = partsOf(name);
    servers.set(server, [...(servers.get(server) ?? []), tool]);
  }
  const rows = [...servers]
    .map(([server, names]) => ({ server, names: names.sort() }))
    .sort((a, b) => (a.server < b.server ? -1 : 1));
  const longest = Math.max(...rows.map(({ names }) => names.length));
  const write = (most: number) =>
    `${listingHead(rows.some(({ server }) => server !== ''))}\n${rows.map((row) => writeRow(row, most)).join('\n')}`;
  // What each may name at most, found by halving.
  let [fits, tooMany] = [0, longest + 1];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (estimator.text(write(middle)) <= MAX_LISTING) fits = middle;
    else tooMany = middle;
  }
  const text = write(fits);
  if (fits > 0 || estimator.text(text) <= MAX_LISTING) return text;
  return `${tools.length} tools of ${rows.length} servers are not loaded: too many to name them here.`;
}

function listingHead(hasServers: boolean): string {
  const call = hasServers ? ' A tool of a server is called mcp__SERVER__TOOL.' : '';
  return `Not loaded yet:${call}`;
}

interface Row {
  readonly server: string;
  readonly names: readonly string[];
}

function writeRow({ server, names }: Row, most: number): string {
  const shown = names.slice(0, most);
  const left = names.length - shown.length;
  const more = left === 0 ? [] : [shown.length === 0 ? `${left} tools` : `and ${left} more`];
  const list = [...shown, ...more].join(', ');
  return server === '' ? list : `${server}: ${list}`;
}

/** A server's part has no `__`. */
function partsOf(name: string): readonly [server: string, tool: string] {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? ['', name] : [server, tool];
}

interface Loading extends Pick<ToolDeferral, 'loadedBy'> {
  /** As `loadedBy` gave it last, and what is not there any more. */
  everLoaded(): readonly string[];
}

/** @param earlier what was loaded before, in order */
function createLoading(names: ReadonlySet<string>, earlier: readonly string[]): Loading {
  let order = earlier;
  let current: readonly string[] = earlier.filter((name) => names.has(name));
  let seen: readonly MessageParam[] = [];
  const searches = new Set<string>();
  return {
    everLoaded: () => order,
    loadedBy(messages) {
      // A conversation that was cut or compacted is looked through anew; what was loaded stays.
      const known = sameStart(messages, seen) === seen.length ? seen.length : 0;
      seen = messages;
      const found = messages.slice(known).flatMap((message) => namesIn(message, searches));
      const fresh = [...new Set(found)].filter((name) => names.has(name) && !order.includes(name));
      if (fresh.length > 0) {
        order = [...order, ...fresh];
        current = order.filter((name) => names.has(name));
      }
      return current;
    },
  };
}

/**
 * What a message loads: results of the search, calls of tools by their names, and what a compaction kept of both.
 * @param searches ids of calls of the search; grows
 */
function namesIn({ content }: MessageParam, searches: Set<string>): readonly string[] {
  if (typeof content === 'string' || !Array.isArray(content)) return [];
  return content.flatMap((block: ContentBlock): readonly string[] => {
    switch (block?.type) {
      case 'tool_use':
        if (block.name === TOOL_SEARCH) searches.add(block.id);
        return [block.name];
      case 'tool_result':
        return searches.has(block.tool_use_id) && block.is_error !== true ? loadedNames(textOf(block.content)) : [];
      case 'text':
        return block.text.startsWith(LOADED_TOOLS_HEADER) ? loadedNames(block.text) : [];
      default:
        return [];
    }
  });
}

function textOf(content: Extract<ContentBlock, { type: 'tool_result' }>['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
