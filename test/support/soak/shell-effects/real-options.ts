// Options that the programs of this machine say they have: what the description forgot is found only from outside of it.
import { execFileSync } from 'node:child_process';

export interface RealOption {
  readonly name: string;
  /** How its value is called; null for one without. */
  readonly value: string | null;
}

/** How some are asked for all of their options. */
const HELP: Readonly<Record<string, readonly string[]>> = { curl: ['--help', 'all'] };

const SHORT = /(?:^|[\s,])(-[A-Za-z0-9])(?:[ =]?(?:<|\[?=?)([A-Za-z_]{2,})[>\]]?)?/;
const LONG = /(--[a-z][\w-]+)(\[?[= ][<[]?([A-Za-z_]{2,}))?/;

/** @param environment of the programs, which are started here with `--help` and nothing else */
export function realOptions(program: string, environment: Readonly<Record<string, string>>): readonly RealOption[] {
  const options = new Map<string, string | null>();
  for (const line of helpOf(program, environment).split('\n')) {
    // Options stand at the start of a line; what follows two blanks tells about them.
    const [head] = line.trim().split(/\s{2,}|\t/);
    if (head === undefined || !/^-/.test(head)) continue;
    const [, long, isValued, value] = LONG.exec(head) ?? [];
    const [, short, shortValue] = SHORT.exec(head) ?? [];
    const named = value ?? shortValue ?? (isValued === undefined ? null : 'VALUE');
    if (long !== undefined) options.set(long, named);
    if (short !== undefined) options.set(short, named);
  }
  return [...options].map(([name, value]) => ({ name, value }));
}

function helpOf(program: string, env: Readonly<Record<string, string>>): string {
  try {
    return execFileSync(program, HELP[program] ?? ['--help'], {
      cwd: '/',
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 5_000,
      maxBuffer: 1 << 22,
    });
  } catch (error) {
    // Some answer with an error, and with the options too.
    const { stdout = '', stderr = '' } = error as { stdout?: unknown; stderr?: unknown };
    return `${String(stdout)}\n${String(stderr)}`;
  }
}
