// Runs functions of an installed client in a process of its own, which has only the environment it is given.
import { execFileSync } from 'node:child_process';

/** Where the clients are installed; set by scripts/test-clients.mjs. */
const CLIENTS_FOLDER = process.env['TURNWRIGHT_TEST_CLIENTS'] ?? '';

export type Call = readonly [name: string, ...args: unknown[]];

/** What a call gave, or why it threw. */
export type Answer = { readonly value: unknown } | { readonly error: string };

const PROGRAM = `
  let input = '';
  for await (const chunk of process.stdin) input += chunk;
  const { name, calls } = JSON.parse(input);
  const client = await import(name);
  const answers = [];
  for (const [call, ...args] of calls) {
    try {
      answers.push({ value: (await client[call](...args)) ?? null });
    } catch (error) {
      answers.push({ error: String(error?.message ?? error) });
    }
  }
  process.stdout.write(JSON.stringify(answers));
  process.exit(0);
`;

/** Calls the functions of a package one after the other. */
export function callClient(name: string, env: Readonly<Record<string, string>>, calls: readonly Call[]): Answer[] {
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    cwd: CLIENTS_FOLDER,
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...env },
    input: JSON.stringify({ name, calls }),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output) as Answer[];
}

/** Runs the program of a package. */
export function runClient(file: string, args: readonly string[], env: Readonly<Record<string, string>>): string {
  return execFileSync(process.execPath, [`${CLIENTS_FOLDER}/node_modules/${file}`, ...args], {
    cwd: CLIENTS_FOLDER,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    encoding: 'utf8',
  });
}

/** The exports of a package: constants as they are, `function` for functions and classes. */
export function exportsOf(name: string): Record<string, unknown> {
  const program = `
    const found = await import(${JSON.stringify(name)});
    const shown = Object.entries(found).map(([key, value]) => [key, typeof value === 'function' ? 'function' : value]);
    process.stdout.write(JSON.stringify(Object.fromEntries(shown)));
    process.exit(0);
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: CLIENTS_FOLDER,
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
    encoding: 'utf8',
  });
  return JSON.parse(output) as Record<string, unknown>;
}
