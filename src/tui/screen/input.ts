// What a person does at the keyboard, out of the bytes of a terminal. Bytes come cut anywhere, and pastes come without
// brackets if a terminal knows none: what arrives faster than anybody types, with a line end inside, is a paste.
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../clock.js';

/** One key, one paste, or the window that got or lost the focus. `at` is a moment of `Face.clock`. */
export type Input =
  | {
      readonly type: 'key';
      /** Such as `ctrl+r`, `shift+tab`, `escape`, `a`; null for one without a name, such as `é` or `語`. */
      readonly key: string | null;
      /** The bytes, decoded. */
      readonly data: string;
      readonly at: number;
    }
  | { readonly type: 'paste'; readonly text: string; readonly at: number }
  | { readonly type: 'focus'; readonly focused: boolean; readonly at: number };

export interface InputOptions {
  readonly clock: Clock;
  /** How the library calls a key. */
  readonly nameOf: (data: string) => string | undefined;
  readonly onInput: (input: Input) => void;
  /** What the terminal answers to a query: a whole sequence. */
  readonly onReply: (sequence: string) => void;
}

export interface InputReader {
  push(bytes: Uint8Array): void;
  /** What is held back is looked at as it is; no timers are left. */
  end(): void;
}

interface OpenPaste {
  readonly pieces: string[];
  /** What may be the beginning of its end. */
  tail: string;
  readonly hasBrackets: boolean;
  /** Characters so far. */
  length: number;
  /** When the last of it came. */
  at: number;
}

/** A lone Escape is a key once nothing followed for so long, milliseconds. */
const ESCAPE_MS = 50;
/** The rest of a sequence that began may take so long; then what came of it is nothing. */
const SEQUENCE_MS = 500;
/** A line end that came with other text is Enter once nothing followed for so long. */
const ENTER_MS = 25;
/** A paste without brackets is over once nothing came for so long; a long one, whose sender has to wait, for longer. */
const BURST_MS = 60;
const LONG_BURST_MS = 250;
/** Characters of a long one: more than the machine takes from a terminal at once. */
const LONG_BURST = 4_000;
/** Several characters at once that come so soon after it are its rest: their line end sends nothing. */
const REST_OF_BURST_MS = 500;
/** A paste whose closing bracket was lost is over once nothing came for so long. */
const UNCLOSED_MS = 10_000;
/** Ctrl-C or Escape alone, so long after the last of it, is a key, and not a part of such a paste. */
const OUT_OF_PASTE_MS = 500;
/** So many characters at once nobody types. */
const BURST_LENGTH = 64;
/** Faster than this after the last key, Enter may be part of a paste. */
const TYPED_MS = 5;

const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';

/** Written with a name, as control characters in a pattern cannot be read. */
const pattern = (source: string) => new RegExp(source.replaceAll('ESC', '\\x1b').replaceAll('BEL', '\\x07'));
/** A sequence of control characters at the start of a text, whole: CSI, SS3, OSC, DCS, APC, or Alt with a key. */
const SEQUENCE = pattern(
  String.raw`^ESC(?:\[\[?[0-?]*[ -/]*[@-~]|O[ -~]|\][^BELESC]*(?:BEL|ESC\\)|[P_^X][^ESC]*ESC\\|ESC(?:\[[0-?]*[ -/]*[@-~]|O[ -~])|[^[\]OP_^XESC])`,
);
/** The beginning of one. */
const UNFINISHED = pattern(String.raw`^ESC(?:|ESC|ESC?\[\[?[0-?]*[ -/]*|ESC?O|\][^BELESC]*ESC?|[P_^X][^ESC]*ESC?)$`);
/** Answers to queries: attributes, positions, colours, keyboard flags, version. */
const REPLY = pattern(String.raw`^ESC(?:\[\?[\d;]*[cunRy]|\[\?[\d;]*\$y|\[>[\d;]*c|\[\d+;\d+R|\]\d+;|P|_)`);
/** A colour. */
const SGR = new RegExp(pattern(String.raw`ESC\[[\d;:]*m`), 'g');
/** A key that is let go says nothing new. */
const RELEASE = pattern(String.raw`^ESC\[[\d;:]*:3[u~A-DFH]$`);

const NOTHING = (): void => undefined;

export function createInputReader({ clock, nameOf, onInput, onReply }: InputOptions): InputReader {
  const decoder = new StringDecoder('utf8');
  /** What is not yet known to be a key. */
  let held = '';
  /** A paste that goes on. */
  let paste: OpenPaste | null = null;
  let stopTimer: () => void = NOTHING;
  /** When the last character was typed. */
  let lastTyped = Number.NEGATIVE_INFINITY;
  let enterHeld = false;
  /** When a paste without brackets was over. */
  let lastBurst = Number.NEGATIVE_INFINITY;

  const wait = (ms: number, run: () => void): void => {
    stopTimer();
    stopTimer = clock.after(ms, () => {
      run();
    });
  };

  function push(bytes: Uint8Array): void {
    take(decoder.write(bytes as Buffer));
  }

  function take(text: string): void {
    if (text === '') return;
    stopTimer();
    if (paste !== null) {
      const isWayOut = (text === '\x03' || text === '\x1b') && clock.now() - paste.at > OUT_OF_PASTE_MS;
      if (!isWayOut) {
        addToPaste(paste, text);
        return;
      }
      endPaste();
    }
    const all = held + text;
    held = '';
    // A line end is held: what follows at once makes a paste of it.
    if (enterHeld) {
      enterHeld = false;
      if (!startsLikeKey(text)) {
        beginBurst(all);
        return;
      }
      emitKey(all[0] ?? '');
      read(all.slice(1));
      return;
    }
    const isRest = all.length > 1 && !startsLikeKey(all) && clock.now() - lastBurst < REST_OF_BURST_MS;
    if (isRest) beginBurst(all);
    else read(all);
  }

  function read(text: string): void {
    const bracket = text.indexOf(PASTE_BEGIN);
    const plain = bracket === -1 ? text : text.slice(0, bracket);
    if (isBurst(plain)) {
      beginBurst(text);
      return;
    }
    const rest = readKeys(plain);
    if (bracket !== -1) {
      if (rest !== '') flush(rest);
      paste = { pieces: [], tail: '', hasBrackets: true, length: 0, at: clock.now() };
      const behind = text.slice(bracket + PASTE_BEGIN.length);
      if (behind !== '') addToPaste(paste, behind);
      return;
    }
    if (rest === '') return;
    held = rest;
    if (rest === '\r' || rest === '\n') {
      enterHeld = true;
      wait(ENTER_MS, () => {
        enterHeld = false;
        held = '';
        emitKey(rest);
      });
      return;
    }
    wait(rest === '\x1b' || rest === '\x1b\x1b' ? ESCAPE_MS : SEQUENCE_MS, () => {
      held = '';
      flush(rest);
    });
  }

  /** Emits the keys of `text`. @returns what may go on: an unfinished sequence, or a line end behind other text */
  function readKeys(text: string): string {
    let at = 0;
    while (at < text.length) {
      const rest = text.slice(at, at + 4_096);
      const first = rest[0] ?? '';
      if (first === '\x1b') {
        if (UNFINISHED.test(rest)) return text.slice(at);
        const [sequence] = SEQUENCE.exec(rest) ?? [first];
        at += sequence.length;
        emitSequence(sequence);
        continue;
      }
      const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      const isEnter = character === '\r' || character === '\n';
      if (isEnter && at + 1 === text.length && (at > 0 || clock.now() - lastTyped < TYPED_MS)) return character;
      at += character.length;
      emitKey(character);
    }
    return '';
  }

  /** What was cut for good. */
  function flush(text: string): void {
    // The rest of a longer one never came: as text it would be typed into the draft.
    if (text === '\x1b') emitKey(text);
    else if (text === '\x1b\x1b') for (const each of text) emitKey(each);
  }

  function emitSequence(sequence: string): void {
    const at = clock.now();
    if (sequence === '\x1b[I' || sequence === '\x1b[O') {
      onInput({ type: 'focus', focused: sequence === '\x1b[I', at });
      return;
    }
    if (REPLY.test(sequence)) {
      onReply(sequence);
      return;
    }
    if (RELEASE.test(sequence) || sequence === PASTE_END) return;
    emitKey(sequence);
  }

  function emitKey(data: string): void {
    const at = clock.now();
    if (!data.startsWith('\x1b')) lastTyped = at;
    // Somebody is at the keys: the paste is over.
    lastBurst = Number.NEGATIVE_INFINITY;
    // The library takes a line feed for Enter; of a keyboard it is Ctrl-J.
    const key = data === '\n' ? 'ctrl+j' : (nameOf(data) ?? null);
    onInput({ type: 'key', key, data, at });
  }

  function beginBurst(text: string): void {
    paste = { pieces: [], tail: '', hasBrackets: false, length: 0, at: clock.now() };
    addToPaste(paste, text);
  }

  function addToPaste(open: OpenPaste, text: string): void {
    open.at = clock.now();
    open.length += text.length;
    if (!open.hasBrackets) {
      open.pieces.push(text);
      wait(open.length > LONG_BURST ? LONG_BURST_MS : BURST_MS, endPaste);
      return;
    }
    // The closing bracket may be cut in two.
    const all = open.tail + text;
    const end = all.indexOf(PASTE_END);
    if (end === -1) {
      const keep = Math.min(all.length, PASTE_END.length - 1);
      open.pieces.push(all.slice(0, all.length - keep));
      open.tail = all.slice(all.length - keep);
      wait(UNCLOSED_MS, endPaste);
      return;
    }
    open.pieces.push(all.slice(0, end));
    open.tail = '';
    stopTimer();
    endPaste();
    take(all.slice(end + PASTE_END.length));
  }

  function endPaste(): void {
    if (paste === null) return;
    const text = paste.pieces.join('') + paste.tail;
    if (!paste.hasBrackets) lastBurst = clock.now();
    paste = null;
    if (text !== '') onInput({ type: 'paste', text: text.replace(/\r\n?/g, '\n'), at: clock.now() });
  }

  return {
    push,
    end() {
      stopTimer();
      take(decoder.end());
      endPaste();
      if (held !== '') {
        const rest = held;
        held = '';
        if (enterHeld) emitKey(rest);
        else flush(rest);
      }
      stopTimer();
    },
  };
}

/** True for what comes at once and nobody types: text behind a line end, or very much of it. */
function isBurst(text: string): boolean {
  if (text.length < 2) return false;
  // No key sends a colour: of a text that is pasted it may be part.
  const plain = text.includes('\x1b') ? withoutCut(text.replace(SGR, '')) : text;
  const isLong = plain.length >= (plain.includes('\x1b') ? 4 : 1) * BURST_LENGTH;
  const goesOn = /[\r\n](?=[^\r\n])/.test(plain);
  return plain.includes('\x1b') ? isLong && goesOn : isLong || goesOn;
}

/** Without a sequence at its end that is not whole. */
function withoutCut(text: string): string {
  const last = text.lastIndexOf('\x1b');
  return last > 0 && UNFINISHED.test(text.slice(last)) ? text.slice(0, last) : text;
}

function startsLikeKey(text: string): boolean {
  const code = text.charCodeAt(0);
  // A tab begins a line of a paste; other controls are keys.
  return code < 0x20 && code !== 9 && code !== 10 && code !== 13;
}
