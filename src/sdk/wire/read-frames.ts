// The lines of the other end of the wire, as JSON objects. One rule: what is no frame is told and passed over, and never
// ends the session.
import { isRecord } from '../../util/json.js';
import { createLineSplitter, type LineSplitter } from '../../util/lines.js';

/** Longest line that is read, bytes: a prompt with pictures is some 10 MB. */
const MAX_LINE = 64_000_000;

export type Frame = Readonly<Record<string, unknown>>;

export interface FrameReaderOptions {
  onFrame(frame: Frame): void;
  /** Told about each line that is no frame. */
  onJunk(why: string): void;
  /** Bytes of the longest line that is read. */
  readonly maxBytes?: number;
}

/** Takes bytes, cut anywhere. */
export function createFrameReader({ onFrame, onJunk, maxBytes = MAX_LINE }: FrameReaderOptions): LineSplitter {
  return createLineSplitter({
    maxBytes,
    onLine(line) {
      const frame = toFrame(line);
      if (frame !== null) onFrame(frame);
      else onJunk(`a line that is not a JSON object was passed over: ${JSON.stringify(line.slice(0, 80))}`);
    },
    onTooLong: (head) =>
      onJunk(`a line of more than ${maxBytes} bytes was passed over: ${JSON.stringify(head.slice(0, 80))}`),
  });
}

function toFrame(line: string): Frame | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null; // told by who asked
  }
}
