// Reads the words behind a command's name: its own flags, and the rest. Only reads; what cannot be used is a
// ConfigError of one line that says what to write instead.
import { ConfigError } from '../../protocol/errors.js';
import { nearestWord } from '../../util/text.js';

/** A flag of a command. */
export interface CommandFlag {
  /** Kebab-case, without dashes. The camelCase spelling is accepted too. */
  readonly name: string;
  readonly short?: string;
  readonly takes: 'nothing' | 'value';
}

export const HELP_FLAG: CommandFlag = { name: 'help', short: 'h', takes: 'nothing' };

export interface CommandWords {
  /** What is no flag, in order. */
  readonly words: readonly string[];
  has(flag: string): boolean;
  /** The value of a flag; of one given twice, the last. */
  value(flag: string): string | undefined;
  /** All values of a flag, in order. */
  values(flag: string): readonly string[];
}

/** @throws ConfigError for an unknown flag, and for one without the value it needs */
export function readWords(argv: readonly string[], flags: readonly CommandFlag[]): CommandWords {
  const words: string[] = [];
  const given = new Map<string, string[]>();
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] ?? '';
    if (token === '--') {
      words.push(...argv.slice(at + 1));
      break;
    }
    if (!/^--[A-Za-z]|^-[A-Za-z](=|$)/.test(token)) {
      words.push(token);
      continue;
    }
    const equals = token.indexOf('=');
    const typed = equals === -1 ? token : token.slice(0, equals);
    const flag = findFlag(typed, flags);
    if (flag.takes === 'nothing') {
      if (equals !== -1) throw new ConfigError(`${typed} takes no value.`);
      given.set(flag.name, []);
      continue;
    }
    const value = equals === -1 ? argv[++at] : token.slice(equals + 1);
    if (value === undefined || value === '') throw new ConfigError(`${typed} needs a value.`);
    given.set(flag.name, [...(given.get(flag.name) ?? []), value]);
  }
  return {
    words,
    has: (flag) => given.has(flag),
    value: (flag) => given.get(flag)?.at(-1),
    values: (flag) => given.get(flag) ?? [],
  };
}

function findFlag(typed: string, flags: readonly CommandFlag[]): CommandFlag {
  const name = typed
    .replace(/^-+/, '')
    .replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`);
  const isShort = !typed.startsWith('--');
  const found = flags.find((flag) => (isShort ? flag.short === typed.slice(1) : flag.name === name));
  if (found !== undefined) return found;
  const near = nearestWord(
    name.slice(0, 60),
    flags.map((flag) => flag.name),
  );
  const shown = typed.length > 60 ? `${typed.slice(0, 59)}…` : typed;
  throw new ConfigError(
    `unknown flag ${shown}. ${near === undefined ? '--help lists the flags of this command.' : `Did you mean --${near}?`}`,
  );
}

/** @throws ConfigError if the value is no whole number of at least `least` */
export function wholeNumber(value: string, typed: string, least: number): number {
  const number = /^\d{1,12}$/.test(value) ? Number(value) : -1;
  if (number >= least) return number;
  throw new ConfigError(`${typed} needs a whole number from ${least} on, not ${JSON.stringify(value.slice(0, 60))}.`);
}
