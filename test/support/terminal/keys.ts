// What a terminal sends for a key, by its name: `enter`, `ctrl+c`, `shift+tab`, `alt+enter`.

const NAMED: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  escape: '\x1b',
  backspace: '\x7f',
  delete: '\x1b[3~',
  space: ' ',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  'shift+tab': '\x1b[Z',
  'alt+enter': '\x1b\r',
  'shift+enter': '\x1b[13;2u',
  'ctrl+enter': '\x1b[13;5u',
};

/** The bytes of a key. One character is itself. */
export function bytesOfKey(key: string): string {
  const named = NAMED[key];
  if (named !== undefined) return named;
  const [, control] = /^ctrl\+([a-z@[\\\]^_])$/.exec(key) ?? [];
  if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f);
  const [, alt] = /^alt\+(.+)$/.exec(key) ?? [];
  if (alt !== undefined) return `\x1b${bytesOfKey(alt)}`;
  const [, arrow] = /^(?:ctrl)\+(up|down|left|right)$/.exec(key) ?? [];
  if (arrow !== undefined) return (NAMED[arrow] ?? '').replace('[', '[1;5');
  if ([...key].length === 1) return key;
  throw new Error(`No terminal has a key "${key}".`);
}
