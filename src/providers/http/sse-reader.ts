// Server-sent events out of the text of a stream, however it was cut into pieces. Rule: a line costs one search and one
// slice; all else is for streams that are not as nearly all are. A class, so that every stream runs the same code.

/** Told of each event. */
export interface EventSink {
  /** @param event its type; undefined if it has none */
  event(data: string, event: string | undefined): void;
}

/** Takes a text in pieces, without a byte order mark. Contract: what the sink throws, `feed` throws, and the reader is not used again. */
export class SseReader {
  readonly #sink: EventSink;
  readonly #maxChars: number;
  readonly #onOversize: () => Error;
  /** Pieces of a line that has not ended. */
  #pieces: string[] = [];
  #pieceChars = 0;
  #data: string | null = null;
  #event: string | undefined = undefined;

  /** @param maxChars of one event; `onOversize` makes the error of a longer one */
  constructor(sink: EventSink, maxChars: number, onOversize: () => Error) {
    this.#sink = sink;
    this.#maxChars = maxChars;
    this.#onOversize = onOversize;
  }

  feed(chunk: string): void {
    if (chunk === '') return;
    const text = this.#withPieces(chunk);
    if (text === null) return;
    const rest = text.includes('\r') ? this.#readMixed(text) : this.#readLines(text);
    if (rest < text.length) this.#keep(text.slice(rest));
  }

  /** Null if no line ends: joining what came so far for each piece of a long line would cost its square. */
  #withPieces(piece: string): string | null {
    if (this.#pieces.length === 0) return piece;
    const endsInReturn = this.#pieces.at(-1)?.endsWith('\r') === true;
    if (!endsInReturn && !/[\r\n]/.test(piece)) {
      this.#keep(piece);
      return null;
    }
    const text = this.#pieces.length === 1 ? this.#pieces[0] + piece : this.#pieces.join('') + piece;
    this.#pieces = [];
    this.#pieceChars = 0;
    return text;
  }

  #keep(piece: string): void {
    this.#pieces.push(piece);
    this.#pieceChars += piece.length;
    if (this.#pieceChars + (this.#data?.length ?? 0) > this.#maxChars) throw this.#onOversize();
  }

  /** Lines that end in LF. @returns the start of the last line, which has not ended */
  #readLines(text: string): number {
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      this.#readLine(text, at, end);
      at = end + 1;
    }
    return at;
  }

  /** The same for lines that may end in CR, LF or both. A CR at the end of the text may be the first half of both. */
  #readMixed(text: string): number {
    let at = 0;
    for (;;) {
      const [cr, lf] = [text.indexOf('\r', at), text.indexOf('\n', at)];
      const end = cr === -1 ? lf : lf === -1 ? cr : Math.min(cr, lf);
      if (end === -1 || (end === cr && end === text.length - 1)) return at;
      this.#readLine(text, at, end);
      at = end === cr && lf === cr + 1 ? end + 2 : end + 1;
    }
  }

  #readLine(text: string, at: number, end: number): void {
    if (end === at) {
      this.#endEvent();
      return;
    }
    if (text.startsWith('data:', at)) {
      this.#addData(text.slice(text.startsWith(' ', at + 5) ? at + 6 : at + 5, end));
      return;
    }
    if (text.startsWith('event:', at)) {
      const type = text.slice(text.startsWith(' ', at + 6) ? at + 7 : at + 6, end);
      this.#event = type === '' ? undefined : type;
      return;
    }
    // Without a colon a line is a field without a value. Comments, ids and times of retries mean nothing here.
    const line = text.slice(at, end);
    if (line === 'data') this.#addData('');
    if (line === 'event') this.#event = undefined;
  }

  #addData(value: string): void {
    this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    if (this.#data.length > this.#maxChars) throw this.#onOversize();
  }

  #endEvent(): void {
    const [data, event] = [this.#data, this.#event];
    this.#data = null;
    this.#event = undefined;
    if (data !== null) this.#sink.event(data, event);
  }
}
