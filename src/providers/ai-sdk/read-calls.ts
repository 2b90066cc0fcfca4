// The tool calls of a stream of the AI SDK: streamed and then told as a whole, or only told. Rule: a call is whole only
// once it was told as a whole, and what was streamed of it is what it says; nothing else may look like one.
import type { StopReason } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { EventVerdict } from '../http/index.js';
import type { BlockSequencer, CallIds, StreamedBlock, WireNames } from '../openai/index.js';
import { type Fields, type Metadata, mergeMetadata, metadataOf } from './language-model.js';

export interface PartCalls {
  /** Of calls, by their ids, as the conversation has them. */
  readonly metadata: readonly (readonly [id: string, metadata: Metadata])[];
  /** True for parts about a tool that runs at the server. */
  isOfServer(part: Fields): boolean;
  begin(part: Fields): EventVerdict;
  fill(part: Fields): EventVerdict;
  /** Takes the part that tells a call as a whole. */
  complete(part: Fields): EventVerdict;
  /** The reply is over. Throws `malformed` where a call never came whole although nothing cut the reply. */
  finish(stopReason: StopReason): void;
}

export interface CallSinks {
  readonly blocks: BlockSequencer;
  readonly ids: CallIds;
  readonly names: WireNames;
  /** Before the block of a call is opened. */
  readonly beforeCall: () => void;
}

interface StreamedCall {
  readonly block: StreamedBlock;
  readonly name: string;
  /** Its id in the conversation. */
  readonly id: string;
  /** All of its input so far. A rope: no copy per delta. */
  text: string;
  metadata: Metadata | undefined;
}

export function createPartCalls({ blocks, ids, names, beforeCall }: CallSinks): PartCalls {
  /** By the ids of the model; the last one of an id that comes again. */
  const calls = new Map<string, StreamedCall>();
  const serverCalls = new Set<string>();
  const metadata: (readonly [string, Metadata])[] = [];

  const open = (wanted: string, toolName: unknown, more: Metadata | undefined): StreamedCall => {
    if (typeof toolName !== 'string' || toolName === '') throw violation('a tool call without a name');
    if (calls.get(wanted)?.block.closed === false) throw violation('a tool call that began twice');
    beforeCall();
    const name = names.fromWire(toolName);
    const id = ids.claim(wanted);
    const block = blocks.open({ type: 'tool_use', id, name, input: {} });
    const call = { block, name, id, text: '', metadata: more };
    calls.set(wanted, call);
    return call;
  };
  const add = (call: StreamedCall, delta: string) => {
    if (delta === '') return;
    call.text += delta;
    blocks.fill(call.block, delta);
  };

  return {
    metadata,
    isOfServer({ id, toolCallId, providerExecuted }) {
      const call = String(id ?? toolCallId ?? '');
      if (providerExecuted === true) serverCalls.add(call);
      return serverCalls.has(call);
    },
    begin(part) {
      open(String(part['id'] ?? ''), part['toolName'], metadataOf(part));
      return 'progress';
    },
    fill({ id, delta }) {
      const call = calls.get(String(id ?? ''));
      if (call === undefined) throw violation('a piece of a tool call that had not begun');
      if (typeof delta !== 'string' || delta === '') return 'silence';
      add(call, delta);
      return 'progress';
    },
    complete(part) {
      const { toolCallId, toolName, input } = part;
      const wanted = String(toolCallId ?? '');
      const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
      const known = calls.get(wanted);
      // Said twice, it is one call; another one under its id is another call.
      if (known?.block.closed && known.name === names.fromWire(String(toolName)) && isSame(known.text, text)) {
        return 'silence';
      }
      const call = known === undefined || known.block.closed ? open(wanted, toolName, undefined) : known;
      if (text.startsWith(call.text)) add(call, text.slice(call.text.length));
      else if (!isSame(call.text, text)) throw violation('a tool call whose pieces are not what it is');
      call.metadata = mergeMetadata(call.metadata, metadataOf(part));
      if (call.metadata !== undefined) metadata.push([call.id, call.metadata]);
      blocks.close(call.block);
      return 'progress';
    },
    finish(stopReason) {
      for (const { block, text } of calls.values()) {
        if (block.closed) continue;
        if (stopReason !== 'max_tokens') throw violation('a tool call that never came whole');
        // Without input, or with one that happens to be JSON, it would pass for a whole call.
        if (text === '' || canonical(text) !== null) blocks.fill(block, '{');
      }
    },
  };
}

/** True for equal texts, and for two of the same JSON, whatever their white space. */
function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  const json = canonical(one);
  return json !== null && json === canonical(other);
}

/** Null for what is no JSON. */
function canonical(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null; // not whole
  }
}

function violation(what: string): ModelError {
  return new ModelError('malformed', `The reply broke the protocol: ${what}.`);
}
