// What changed in the tools that a server lists: which came, which went, and which say something else of themselves. Pure.
// A description is text that a model obeys, so one that changes after it was looked at is told by name.
import type { McpListedTool } from '../protocol/mcp.js';
import type { NoticeCode } from '../protocol/system-messages.js';
import { shorten } from '../util/text.js';

export interface ServerNotice {
  readonly code: NoticeCode;
  readonly message: string;
  readonly remedy?: string;
}

const SHOWN = 10;
const MAX_NAME = 80;

export interface ToolChanges {
  readonly notice: ServerNotice;
  /** Names of tools that say something else of themselves. */
  readonly changed: readonly string[];
}

/** Null where they are as they were. */
export function toolChanges(
  server: string,
  before: readonly McpListedTool[],
  now: readonly McpListedTool[],
): ToolChanges | null {
  if (before === now) return null;
  const [old, fresh] = [byName(before), byName(now)];
  const added = [...fresh.keys()].filter((name) => !old.has(name));
  const removed = [...old.keys()].filter((name) => !fresh.has(name));
  const changed = [...fresh].filter(([name, text]) => old.has(name) && old.get(name) !== text).map(([name]) => name);
  const parts = [listed('new', added), listed('gone', removed), listed('described differently', changed)];
  const what = parts.filter((part) => part !== '').join('; ');
  if (what === '') return null;
  const remedy =
    'What a tool says of itself is text that a model follows. The next call of such a tool is asked about, whatever rules allow.';
  return {
    changed,
    notice: {
      code: 'mcp_tools_changed',
      message: `The tools of the MCP server ${server} are others than before: ${what}. The model is told of them from its next request on.`,
      ...(changed.length === 0 ? {} : { remedy }),
    },
  };
}

function byName(tools: readonly McpListedTool[]): Map<string, string> {
  return new Map(tools.map((tool) => [String((tool as McpListedTool | null)?.name), canonical(tool)]));
}

/** The same text where only the order of keys differs. */
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
