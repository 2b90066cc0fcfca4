// Numbers for people: counts, tokens, durations. Independent of the machine's locale, so that output is the same everywhere.
import type { Usage } from '../protocol/content.js';
import type { SDKResultMessage } from '../protocol/messages.js';

/** 1234567 as `1,234,567`. */
export function formatCount(n: number): string {
  return Math.round(n)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1,234 in / 210 out tokens`; what came from or went to the provider's cache counts as input. */
export function formatTokens(usage: Usage): string {
  const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  const cached = usage.cache_read_input_tokens > 0 ? ` (${formatCount(usage.cache_read_input_tokens)} cached)` : '';
  return `${formatCount(input)} in${cached} / ${formatCount(usage.output_tokens)} out tokens`;
}

/**
 * A moment on the clock of whoever reads it: `2026-11-23 18:05`.
 * @param at milliseconds since the epoch
 * @param offset of that clock from UTC then, minutes to the east
 */
export function formatMoment(at: number, offset = -new Date(at).getTimezoneOffset()): string {
  return new Date(at + offset * 60_000).toISOString().slice(0, 16).replace('T', ' ');
}

/** How far the clock of whoever reads it is from UTC at a moment: `UTC+01:00`. For times that other places know too. */
export function formatZone(at: number, offset = -new Date(at).getTimezoneOffset()): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const minutes = Math.abs(offset);
  return offset === 0 ? 'UTC' : `UTC${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Milliseconds as `0.5 s`, `42.0 s` or `2 min 5 s`. */
export function formatDuration(ms: number): string {
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * `3 turns · 1,234 in / 210 out tokens · $0.0123 · 4.2 s` of the prompt, and what the session took if that is more:
 * `session: 9,876 in / 543 out tokens, $0.0456`. `provider` is the one `system/init` named.
 */
export function runFigures(message: SDKResultMessage, provider: string | undefined): string {
  const { usage, prompt_usage: ofPrompt = usage, prompt_cost_usd: cost } = message;
  const turns = `${formatCount(message.num_turns)} ${message.num_turns === 1 ? 'turn' : 'turns'}`;
  const [tokens, ofSession] = [formatTokens(ofPrompt), formatTokens(usage)];
  const sessionCost = costText(message, provider);
  const promptCost =
    cost === undefined ? sessionCost : costText({ total_cost_usd: cost ?? 0, cost_unknown: cost === null }, provider);
  const parts = [turns, tokens, promptCost, formatDuration(message.duration_ms)];
  const denials = message.permission_denials.length;
  const isLater = ofSession !== tokens;
  if (denials > 0) parts.push(`${formatCount(denials)} denied${isLater ? ' in the session' : ''}`);
  if (isLater) parts.push(`session: ${ofSession}, ${sessionCost}`);
  return parts.join(' · ');
}

/** Cost as people read it: `$0.0123`, `cost unknown`. */
function costText(
  { total_cost_usd: cost, cost_unknown: isUnknown }: Pick<SDKResultMessage, 'total_cost_usd' | 'cost_unknown'>,
  provider: string | undefined,
): string {
  if (provider === 'offline') return 'no cost';
  const known = `$${cost.toFixed(cost >= 1 ? 2 : 4)}`;
  if (isUnknown !== true) return known;
  return cost > 0 ? `${known} and more, cost partly unknown` : 'cost unknown';
}
