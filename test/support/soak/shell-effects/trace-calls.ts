// Lines that strace writes, as calls. One rule: a call that failed, or whose end nobody saw, is none; but to call
// a machine that does not answer is to call it, and a file whose attributes could not be set has another time all the same.

export interface TraceCall {
  readonly pid: number;
  readonly name: string;
  readonly args: readonly string[];
  /** As written: `0`, `3</path>`, `17`. */
  readonly result: string;
}

const LINE = /^(\d+)\s+(.*)$/s;
const CALL = /^(\w+)\((.*)\)\s+= (\S.*)$/s;
const RESUMED = /^<\.\.\. \w+ resumed>\s?(.*)$/s;
const UNFINISHED = /\s*<unfinished \.\.\.>$/;

/** Those that count in any case. */
const TRIED: ReadonlySet<string> = new Set(['connect', 'sendto', 'ioctl']);

/** The calls that succeeded, in the order in which they ended. */
export function* readCalls(lines: Iterable<string>): Generator<TraceCall> {
  const open = new Map<string, string>();
  for (const line of lines) {
    const [, pid, text] = LINE.exec(line) ?? [];
    if (pid === undefined || text === undefined) continue;
    if (UNFINISHED.test(text)) {
      open.set(pid, text.replace(UNFINISHED, ''));
      continue;
    }
    const [, tail] = RESUMED.exec(text) ?? [];
    const whole = tail === undefined ? text : (open.get(pid) ?? '') + tail;
    const [, name, args, result] = CALL.exec(whole) ?? [];
    if (name === undefined || args === undefined || result === undefined) continue;
    if ((result.startsWith('-1') && !TRIED.has(name)) || result.startsWith('?')) continue;
    yield { pid: Number(pid), name, args: splitArgs(args), result };
  }
}

/** At commas that stand in no quotes, brackets or paths of descriptors. */
function splitArgs(text: string): string[] {
  const args: string[] = [];
  let [from, depth, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (isQuoted) {
      if (sign === '\\') at++;
      else if (sign === '"') isQuoted = false;
    } else if (sign === '"') isQuoted = true;
    else if (sign === '[' || sign === '{' || sign === '<') depth++;
    else if (sign === ']' || sign === '}' || sign === '>') depth--;
    else if (sign === ',' && depth === 0) {
      args.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  args.push(text.slice(from).trim());
  return args;
}

/** The text of an argument in quotes; null for another. */
export function textOf(arg: string | undefined): string | null {
  const [, quoted] = /^"(.*)"(?:\.\.\.)?$/s.exec(arg ?? '') ?? [];
  return quoted === undefined ? null : plain(quoted);
}

/** The path of a descriptor: `3</path>` or `AT_FDCWD</path>`; null if it has none. */
export function descriptorPath(arg: string | undefined): string | null {
  const [, found] = /^(?:-?\d+|AT_FDCWD)<(\/.*?)>(?:\(deleted\))?(?:\s.*)?$/s.exec(arg ?? '') ?? [];
  return found === undefined ? null : plain(found).replace(/ \(deleted\)$/, '');
}

const SIGNS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f', a: '\x07', b: '\b' };

/** Without the backslashes that strace writes: bytes are those of UTF-8. */
function plain(text: string): string {
  if (!text.includes('\\')) return text;
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (sign !== '\\') {
      bytes.push(...Buffer.from(sign));
      continue;
    }
    const octal = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4))?.[0];
    if (octal !== undefined) {
      bytes.push(Number.parseInt(octal, 8));
      at += octal.length;
      continue;
    }
    const next = text[++at] ?? '';
    bytes.push(...Buffer.from(SIGNS[next] ?? next));
  }
  return Buffer.from(bytes).toString('utf8');
}
