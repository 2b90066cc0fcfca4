// The tool calls of a Chat Completions stream. Most servers stream one after the other by index; some send them whole,
// without an index, with one index or one id for all, or mixed. Rule: pieces are joined only where they belong together
// beyond doubt, and what is not whole at the end is told as such, never run.
import { ModelError } from '../../protocol/errors.js';
import type { BlockSequencer, CallIds, StreamedBlock, WireNames } from '../openai/index.js';

type Fields = Readonly<Record<string, unknown>>;

interface StreamedCall {
  readonly serverId: string;
  name: string;
  /** Null until the name is known. */
  block: StreamedBlock | null;
  /** Arguments that came before the name. */
  held: string;
}

export interface StreamedCalls {
  /** Takes the entries of one chunk. */
  push(entries: readonly unknown[]): void;
  /** Closes the last call where its arguments are whole: something else follows. */
  settle(): void;
  /** Throws `malformed` if a call has no name. */
  finish(): void;
}

export interface CallSinks {
  readonly blocks: BlockSequencer;
  readonly ids: CallIds;
  readonly names: WireNames;
  /** Before the block of a call is opened: closes what else is open, and carries what came with the call. */
  readonly beforeCall: (id: string, extra: unknown) => void;
  /** What a server sends with a call that is open already. */
  readonly onLateExtra: (id: string, extra: unknown) => void;
}

export function createStreamedCalls({ blocks, ids, names, beforeCall, onLateExtra }: CallSinks): StreamedCalls {
  const byIndex = new Map<number, StreamedCall>();
  const byId = new Map<string, StreamedCall>();
  const all: StreamedCall[] = [];

  const settle = () => {
    const last = all.at(-1)?.block ?? null;
    if (last !== null && !last.closed && isWhole(last.text)) blocks.close(last);
  };
  const openBlock = (call: StreamedCall, extra: unknown) => {
    const id = ids.claim(call.serverId);
    beforeCall(id, extra);
    call.block = blocks.open({ type: 'tool_use', id, name: names.fromWire(call.name), input: {} });
    if (call.held !== '') blocks.fill(call.block, call.held);
    call.held = '';
  };
  const add = (entry: Entry): StreamedCall => {
    settle();
    const call: StreamedCall = { serverId: entry.id, name: '', block: null, held: '' };
    if (entry.index !== null) byIndex.set(entry.index, call);
    if (entry.id !== '') byId.set(entry.id, call);
    all.push(call);
    return call;
  };
  const find = ({ index, id }: Entry): StreamedCall | undefined => {
    if (index !== null) return byIndex.get(index);
    return id === '' ? all.at(-1) : byId.get(id);
  };
  const pushEntry = (entry: Entry) => {
    const found = find(entry);
    const call = found === undefined || isAnother(found, entry) ? add(entry) : found;
    if (call.block === null) {
      call.held += entry.args;
      // Some repeat the name with each piece, none sends it in pieces.
      if (call.name === '') call.name = entry.name;
      if (call.name !== '') openBlock(call, entry.extra);
      return;
    }
    if (entry.extra !== undefined && call.block.start.type === 'tool_use')
      onLateExtra(call.block.start.id, entry.extra);
    if (entry.args === '') return;
    // A whole call was closed when the next began; white space behind it changes nothing.
    if (call.block.closed && entry.args.trim() === '') return;
    blocks.fill(call.block, entry.args);
  };

  return {
    push(entries) {
      for (const entry of entries) pushEntry(readEntry(entry));
    },
    settle,
    finish() {
      if (all.some((call) => call.block === null)) {
        throw new ModelError('malformed', 'The reply broke the protocol: a tool call without a name.');
      }
    },
  };
}

interface Entry {
  readonly index: number | null;
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly extra: unknown;
}

function readEntry(value: unknown): Entry {
  if (typeof value !== 'object' || value === null) {
    throw new ModelError('malformed', 'The reply broke the protocol: a tool call that is not an object.');
  }
  const { index, id, function: called, extra_content: extra } = value as Fields;
  const { name, arguments: args } = (typeof called === 'object' && called !== null ? called : {}) as Fields;
  return {
    index: typeof index === 'number' ? index : null,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    args: typeof args === 'string' ? args : args === null || args === undefined ? '' : JSON.stringify(args),
    extra: extra ?? undefined,
  };
}

/** True if an entry at the place of a call begins another one. Only an entry with a name begins a call. */
function isAnother(call: StreamedCall, { index, id, name, args }: Entry): boolean {
  if (name === '' || call.name === '') return false;
  if (id !== '' && call.serverId !== '' && id !== call.serverId) return true;
  // The same place again, with arguments although it has whole ones: servers that count all calls as the first.
  const isSamePlace = id === '' || call.serverId === '' || index === null;
  return isSamePlace && args !== '' && isWhole(call.block?.text ?? '');
}

/** True for a JSON object. An empty text is none: more may come. */
function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // not whole yet
  }
}
