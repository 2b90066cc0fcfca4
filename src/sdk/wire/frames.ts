// The lines of the other end of the wire as JSON objects, and the fields of a request. One rule: what is no frame is told and passed
// over, and never ends the session; a field that is not as it must be is told by its name.
import { ConfigError } from '../../protocol/errors.js';
import { isRecord, parseRecord } from '../../util/json.js';
import { createLineSplitter, type LineSplitter } from '../../util/lines.js';

/** Longest line that is read, bytes: a prompt with pictures is some 10 MB. */
const MAX_LINE = 64_000_000;

export type Frame = Readonly<Record<string, unknown>>;

interface FrameReaderOptions {
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
      const frame = parseRecord(line);
      if (frame !== null) onFrame(frame);
      else onJunk(`a line that is not a JSON object was passed over: ${JSON.stringify(line.slice(0, 80))}`);
    },
    onTooLong: (head) =>
      onJunk(`a line of more than ${maxBytes} bytes was passed over: ${JSON.stringify(head.slice(0, 80))}`),
  });
}

export type Fields = Readonly<Record<string, unknown>>;

export function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw wrong(name, 'a text');
  return value;
}

export function textIfGiven(fields: Fields, name: string): string | undefined {
  return isAbsent(fields[name]) ? undefined : text(fields, name);
}

export function texts(fields: Fields, name: string): string[] {
  const value = fields[name];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) throw wrong(name, 'a list of texts');
  return value;
}

export function flag(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value !== 'boolean') throw wrong(name, 'true or false');
  return value;
}

export function flagIfGiven(fields: Fields, name: string): boolean | undefined {
  return isAbsent(fields[name]) ? undefined : flag(fields, name);
}

export function number(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(name, 'a number');
  return value;
}

export function numberIfGiven(fields: Fields, name: string): number | undefined {
  return isAbsent(fields[name]) ? undefined : number(fields, name);
}

export function record(fields: Fields, name: string): Record<string, unknown> {
  const value = fields[name];
  if (!isRecord(value)) throw wrong(name, 'an object');
  return value;
}

export function oneOf<const Value extends string>(fields: Fields, name: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === fields[name]);
  if (found === undefined) throw wrong(name, `one of ${values.join(', ')}`);
  return found;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function wrong(name: string, what: string): ConfigError {
  return new ConfigError(`The field "${name}" of a control request must be ${what}.`);
}
