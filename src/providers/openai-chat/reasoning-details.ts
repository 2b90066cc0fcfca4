// OpenRouter streams its list of reasoning in pieces. Joined here as it wants them back: pieces of one text become one,
// everything else stays as it came.

type Detail = Readonly<Record<string, unknown>>;

/** Fields that come in pieces. */
const PIECES = ['text', 'summary'] as const;

/** Adds a piece to `details`, which it changes. */
export function mergeDetail(details: unknown[], piece: unknown): void {
  if (typeof piece !== 'object' || piece === null) return;
  const last = details.at(-1) as Detail | undefined;
  const next = piece as Detail;
  if (last === undefined || last['type'] !== next['type'] || last['index'] !== next['index'] || hasNoPiece(next)) {
    details.push(next);
    return;
  }
  const joined: Record<string, unknown> = { ...last };
  for (const [key, value] of Object.entries(next)) {
    const before = joined[key];
    const isPiece = PIECES.some((name) => name === key) && typeof value === 'string' && typeof before === 'string';
    joined[key] = isPiece ? before + value : (value ?? before);
  }
  details[details.length - 1] = joined;
}

/** Encrypted reasoning is never joined. */
function hasNoPiece(detail: Detail): boolean {
  return 'data' in detail || !PIECES.some((name) => name in detail || 'signature' in detail);
}
