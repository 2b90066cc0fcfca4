// Where a shell stood when it ended, so that the next command starts there. It says so itself, behind a mark on stderr that
// nobody sees. One rule: what it says is a word of the command, so whoever reads it looks whether that may be.

/** A folder's name is no longer. */
const MAX_FOLDER = 8_192;
/** A number that no script takes for itself: small ones they use, and bash hands out those from 10 and from 63 on. */
const DESCRIPTOR = 97;
const NUL = 0;

/**
 * The script that runs a command, which is its first argument and no argument of the command. It is not in a subshell, and
 * `exit` in it ends the shell as ever.
 * @param from what makes the shell run it: `eval` for a text, `.` for a file
 */
export function tellingScript(mark: string, from: 'eval' | '.'): string {
  return [
    `exec ${DESCRIPTOR}>&2`,
    `trap 'builtin printf "\\0%s:%s\\0" ${mark} "$PWD" 2>/dev/null >&${DESCRIPTOR}' EXIT`,
    '_turnwright_command=$1',
    'set --',
    `${from} -- "$_turnwright_command"`,
  ].join('; ');
}

export interface EndFolder {
  /** Passes bytes of stderr on, without what the shell says of its end. */
  take(chunk: Uint8Array): void;
  /** Passes on what was held back. */
  end(): void;
  /** The last that it said; null if it ended without a word, as after `exec` or a signal. */
  readonly folder: string | null;
}

/** @param onBytes keeps no reference to the chunk */
export function readEndFolder(mark: string, onBytes: (chunk: Uint8Array) => void): EndFolder {
  const start = Buffer.from(`\0${mark}:`);
  let held: Buffer = Buffer.alloc(0);
  let folder: string | null = null;
  const pass = (bytes: Uint8Array): void => {
    if (bytes.length > 0) onBytes(bytes);
  };
  return {
    get folder() {
      return folder;
    },
    take(chunk) {
      // Most output has none.
      if (held.length === 0 && chunk.indexOf(NUL) === -1) return pass(chunk);
      let rest = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
      held = Buffer.alloc(0);
      for (;;) {
        const at = rest.indexOf(start);
        if (at === -1) break;
        pass(rest.subarray(0, at));
        const end = rest.indexOf(NUL, at + start.length);
        if (end === -1 && rest.length - at < start.length + MAX_FOLDER) {
          held = Buffer.from(rest.subarray(at));
          return;
        }
        if (end === -1) pass(rest.subarray(at, at + start.length));
        else folder = rest.subarray(at + start.length, end).toString('utf8');
        rest = rest.subarray(end === -1 ? at + start.length : end + 1);
      }
      const cut = beginsAt(rest, start);
      pass(rest.subarray(0, cut));
      held = Buffer.from(rest.subarray(cut));
    },
    end() {
      pass(held);
      held = Buffer.alloc(0);
    },
  };
}

/** The place from which the end of `bytes` may be the beginning of `start`; the length of `bytes` if there is none. */
function beginsAt(bytes: Buffer, start: Buffer): number {
  const from = Math.max(0, bytes.length - start.length + 1);
  for (let at = bytes.indexOf(NUL, from); at !== -1; at = bytes.indexOf(NUL, at + 1))
    if (start.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return at;
  return bytes.length;
}
