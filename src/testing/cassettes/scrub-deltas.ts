// Secrets that a streamed answer spells over several events. One rule: there are as many events as before, each with its
// share of the text, so that what is played back is put together as the recording was.

/** Fields whose texts are pieces of a longer one, in the events of all APIs. A signature is not a text. */
const PIECES = new Set([
  'text',
  'thinking',
  'partial_json',
  'content',
  'reasoning_content',
  'reasoning',
  'refusal',
  'arguments',
  'delta',
]);
/** What tells one text of a reply from another. */
const NAMES = ['type', 'index', 'item_id', 'output_index', 'content_index', 'summary_index'];

interface Piece {
  readonly owner: Record<string, unknown>;
  readonly field: string;
}

interface Line {
  readonly text: string;
  /** Null if the line is not an event, or none of JSON. */
  readonly event: unknown;
  isChanged: boolean;
}

/**
 * A body of server-sent events without the secrets in the texts that its events make up.
 * @param clean takes secrets out of a text
 * @returns the same string if there was none
 */
export function scrubDeltas(body: string, clean: (text: string) => string): string {
  if (!/^data:/m.test(body)) return body;
  const lines = body.split('\n').map(readLine);
  const texts = new Map<string, { readonly piece: Piece; readonly line: Line }[]>();
  for (const line of lines) {
    if (line.event === null) continue;
    for (const [name, piece] of findPieces(line.event)) {
      const known = texts.get(name);
      if (known === undefined) texts.set(name, [{ piece, line }]);
      else known.push({ piece, line });
    }
  }
  for (const parts of texts.values()) {
    const before = parts.map(({ piece: { owner, field } }) => owner[field] as string);
    const after = scrubPieces(before, clean);
    for (const [at, { piece, line }] of parts.entries()) {
      if (after[at] === before[at]) continue;
      piece.owner[piece.field] = after[at];
      line.isChanged = true;
    }
  }
  if (!lines.some(({ isChanged }) => isChanged)) return body;
  return lines.map(writeLine).join('\n');
}

/**
 * The pieces of a text without its secrets: as many as before. What takes the place of a secret is shared out among the
 * pieces that held it.
 */
export function scrubPieces(pieces: readonly string[], clean: (text: string) => string): readonly string[] {
  const whole = pieces.join('');
  const cleaned = clean(whole);
  if (cleaned === whole) return pieces;
  const shortest = Math.min(whole.length, cleaned.length);
  let head = 0;
  while (head < shortest && whole[head] === cleaned[head]) head++;
  let tail = 0;
  while (tail < shortest - head && whole.at(-1 - tail) === cleaned.at(-1 - tail)) tail++;
  const changed = whole.length - head - tail;
  const replaced = cleaned.length - head - tail;
  /** Where a place of the whole text is in the cleaned one. */
  const moved = (place: number): number => {
    if (place <= head) return place;
    if (place >= whole.length - tail) return place - whole.length + cleaned.length;
    return head + Math.round(((place - head) / changed) * replaced);
  };
  let start = 0;
  return pieces.map((piece) => {
    const end = start + piece.length;
    const shared = cleaned.slice(moved(start), moved(end));
    start = end;
    return shared;
  });
}

function readLine(text: string): Line {
  if (!text.startsWith('data:')) return { text, event: null, isChanged: false };
  try {
    return { text, event: JSON.parse(text.slice('data:'.length)) as unknown, isChanged: false };
  } catch {
    return { text, event: null, isChanged: false }; // `[DONE]`, or broken: it stays as it came
  }
}

function writeLine({ text, event, isChanged }: Line): string {
  if (!isChanged) return text;
  return `data: ${JSON.stringify(event)}${text.endsWith('\r') ? '\r' : ''}`;
}

/** The pieces of an event, each with a name that is the same for all pieces of one text. */
function findPieces(event: unknown): [string, Piece][] {
  const found: [string, Piece][] = [];
  const open: { readonly value: unknown; readonly path: string }[] = [{ value: event, path: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (Array.isArray(value))
      for (const [at, item] of value.entries()) open.push({ value: item, path: `${path}[${at}]` });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const owner = value as Record<string, unknown>;
    const own = `${path}{${NAMES.map((name) => String(owner[name] ?? '')).join()}}`;
    for (const [field, inner] of Object.entries(owner)) {
      if (typeof inner !== 'string') open.push({ value: inner, path: `${own}.${field}` });
      else if (PIECES.has(field)) found.push([`${own}.${field}`, { owner, field }]);
    }
  }
  return found;
}
