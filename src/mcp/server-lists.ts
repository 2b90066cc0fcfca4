// Which MCP servers there may be at all, by lists of settings. Pure. One rule: what is denied anywhere is denied, and of
// the lists that allow, the strongest counts alone.
import { isRecord } from '../util/json.js';

/** One of these. */
export interface ServerRule {
  readonly serverName?: string;
  /** `*` stands for any text. */
  readonly serverUrl?: string;
  /** The program with all its arguments. */
  readonly serverCommand?: readonly string[];
}

export interface ServerLists {
  readonly denied: readonly ServerRule[];
  /** Null: all that are not denied. */
  readonly allowed: readonly ServerRule[] | null;
}

/** Why there may be no such server, in words that follow its name; null if it may be there. */
export function whyNotListed(name: string, config: unknown, { denied, allowed }: ServerLists): string | null {
  if (denied.some((rule) => speaksOf(rule, name, config))) return 'deniedMcpServers of the settings names it';
  if (allowed === null || isOfThisProcess(config)) return null;
  return allowed.some((rule) => speaksOf(rule, name, config))
    ? null
    : 'allowedMcpServers of the settings does not name it';
}

/** Code of the host's own is the host's own business. */
function isOfThisProcess(config: unknown): boolean {
  return isRecord(config) && config['type'] === 'sdk';
}

function speaksOf({ serverName, serverUrl, serverCommand }: ServerRule, name: string, config: unknown): boolean {
  if (serverName !== undefined) return serverName === name;
  const { url, command, args = [] } = isRecord(config) ? config : {};
  if (serverUrl !== undefined) return typeof url === 'string' && matches(serverUrl, address(url));
  if (serverCommand === undefined || !Array.isArray(args)) return false;
  const words = [command, ...args];
  return words.length === serverCommand.length && words.every((word, at) => word === serverCommand[at]);
}

/** As it is asked for, so that no other spelling goes past a rule. */
function address(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.toLowerCase());
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  const lower = text.toLowerCase();
  if (last === undefined) return lower === first || lower === `${first}/`;
  if (!lower.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = lower.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return lower.length - last.length >= at && lower.endsWith(last);
}
