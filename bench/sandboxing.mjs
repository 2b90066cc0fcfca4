// What the sandbox costs a command: calls of Bash with it, beside the same without it, in turn, in one process.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { whyNoBubblewrap } from '../scripts/lib/bubblewrap.mjs';
import { alternate, besideBare, median } from './figures.mjs';

const SANDBOX_CALLS = 12;

export async function measureSandbox(bench) {
  const missing = whyNoBubblewrap();
  if (missing !== null) {
    process.stderr.write(`sandbox: left out, ${missing}\n`);
    return [];
  }
  const load = (name) => import(pathToFileURL(join(bench.dist, name)).href);
  const [sdk, kit] = await Promise.all([load('index.js'), load('testing.js')]);
  const runs = await alternate(bench, ['plain', 'confined'], async (how) =>
    median(await commandTimes(sdk, kit, how === 'confined')),
  );
  const more = runs.confined.map((time, round) => time - runs.plain[round]);
  return [besideBare('a command in the sandbox, more than a plain one', 'ms', more, runs.plain, 8)];
}

/** Milliseconds from each call of Bash to its result; the first of a session opens what the others use. */
async function commandTimes({ query }, { scriptedModel, text, toolCall }, isConfined) {
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
  let called = 0;
  for await (const message of query({ prompt: 'go', options })) {
    if (message.type === 'assistant') called = performance.now();
    if (message.type === 'user') gaps.push(performance.now() - called);
    if (message.type === 'result' && message.is_error) throw new Error(`The session failed: ${message.errors}`);
  }
  rmSync(cwd, { recursive: true, force: true });
  if (gaps.length !== SANDBOX_CALLS + 1) throw new Error(`${gaps.length} commands ran.`);
  return gaps.slice(1);
}
