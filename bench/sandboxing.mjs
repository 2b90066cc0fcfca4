// What the sandbox costs: opened and tried at the start of a session, and for each command. Sessions with it, beside the same
// without it, in turn, in one process.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { whyNoBubblewrap } from '../scripts/lib/bubblewrap.mjs';
import { alternate, besideBare, median } from './figures.mjs';

const SANDBOX_CALLS = 12;
/** Milliseconds in which the sandbox must have shown that it holds. */
const TRIAL_BAR = 300;

export async function measureSandbox(bench) {
  const missing = whyNoBubblewrap();
  if (missing !== null) {
    process.stderr.write(`sandbox: left out, ${missing}\n`);
    return [];
  }
  const load = (name) => import(pathToFileURL(join(bench.dist, name)).href);
  const [sdk, kit] = await Promise.all([load('index.js'), load('testing.js')]);
  const runs = await alternate(bench, ['plain', 'confined'], (how) => sessionTimes(sdk, kit, how === 'confined'));
  const more = (of) => runs.confined.map((times, round) => of(times) - of(runs.plain[round]));
  const plain = (of) => runs.plain.map(of);
  const opening = besideBare('the sandbox at the start: opened and tried', 'ms', more(startOf), plain(startOf));
  return [
    { ...opening, bar: { value: TRIAL_BAR } },
    besideBare('a command in the sandbox, more than a plain one', 'ms', more(commandOf), plain(commandOf), 8),
  ];
}

const startOf = ({ start }) => start;
const commandOf = ({ commands }) => median(commands);

/**
 * Milliseconds from the prompt to the first reply, before which the sandbox is opened, and from each call of Bash to its
 * result; the first of a session opens what the others use.
 */
async function sessionTimes({ query }, { scriptedModel, text, toolCall }, isConfined) {
  const cwd = mkdtempSync('/var/tmp/turnwright-bench-');
  const calls = Array.from({ length: SANDBOX_CALLS + 1 }, (_, at) => toolCall('Bash', { command: `true ${at}` }));
  const options = {
    cwd,
    provider: scriptedModel([...calls, text('done')]),
    sandbox: { enabled: isConfined },
    allowedTools: ['Bash'],
    persistSession: false,
    settingSources: [],
    maxTurns: SANDBOX_CALLS + 3,
  };
  const gaps = [];
  const begun = performance.now();
  let start = 0;
  let called = 0;
  for await (const message of query({ prompt: 'go', options })) {
    if (message.type === 'assistant') called = performance.now();
    if (start === 0) start = called === 0 ? 0 : called - begun;
    if (message.type === 'user') gaps.push(performance.now() - called);
    if (message.type === 'result' && message.is_error) throw new Error(`The session failed: ${message.errors}`);
  }
  rmSync(cwd, { recursive: true, force: true });
  if (gaps.length !== SANDBOX_CALLS + 1) throw new Error(`${gaps.length} commands ran.`);
  return { start, commands: gaps.slice(1) };
}
