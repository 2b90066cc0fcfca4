// The cases: what is run, how often, and which figures come out. In each round every engine runs once, in turn, so
// that a machine that gets slower hits all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { whyNoBubblewrap } from '../scripts/lib/bubblewrap.mjs';

import { measureDeciding } from './deciding.mjs';
import { runOnce } from './measure.mjs';
import { measureReading } from './reading.mjs';
import { measureSearching } from './searching.mjs';

const MB = 1024 * 1024;
const TURNS = 500;
const DELTAS = 20_000;
const SANDBOX_ROUNDS = 5;
const SANDBOX_CALLS = 12;

/** Runs `rounds` rounds of the engines, in alternating order. Returns the runs of each engine, in order. */
async function alternate(bench, engines, rounds, script, steps) {
  const runs = Object.fromEntries(engines.map((engine) => [engine, []]));
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? engines : engines.toReversed();
    for (const engine of order) runs[engine].push(await runOnce(bench, engine, script, steps));
  }
  return runs;
}

/** Process start to first request. */
async function cold(bench) {
  const runs = await alternate(bench, ['bare', 'sdk', 'cli'], 9, { deltas: [5] }, { prompts: 1 });
  const times = (engine) => runs[engine].map(({ start, requests }) => requests[0].head - start);
  return ['cli', 'sdk'].map((engine) => ({
    measure: `process start to first request, ${engine === 'cli' ? 'command line' : 'SDK'}`,
    unit: 'ms',
    ours: median(times(engine)),
    bare: median(times('bare')),
    ratio: pairedRatio(times(engine), times('bare')),
    bar: { ratio: 2 },
  }));
}

/** Prompt to request in a session that has answered before. */
async function warm(bench) {
  const runs = await alternate(bench, ['bare', 'sdk'], 3, { deltas: [5] }, { prompts: 11, pauseMs: 50 });
  const times = (engine) =>
    runs[engine].flatMap(({ marks, requests }) =>
      marks.filter(({ kind, at }) => kind === 'submit' && at > 0).map(({ t, at }) => requests[at].head - t),
    );
  return [
    {
      measure: 'warm session: prompt to request',
      unit: 'ms',
      ours: median(times('sdk')),
      bare: median(times('bare')),
      bar: { value: 3 },
    },
  ];
}

/** One conversation of tool calls: the time a turn takes, and how it grows with the history. */
async function turns(bench) {
  const tool = { name: 'Read', folder: bench.scratch.makeFiles(TURNS) };
  const runs = await alternate(bench, ['bare', 'sdk'], 3, { turns: TURNS, tool }, { prompts: 1 });
  const hooked = await alternate(bench, ['bare', 'sdk'], 1, { turns: TURNS, tool }, { prompts: 1, hooks: true });
  for (const run of [runs, hooked].flatMap(({ bare, sdk }) => [...bare, ...sdk])) checkTurns(run);
  const withHooks = (name, from, to, value) => {
    const at = (engine) => median(hooked[engine].flatMap((run) => gaps(run, 'head', from, to)));
    return {
      measure: `per turn at ${name} messages with hooks, p50`,
      unit: 'ms',
      ours: at('sdk'),
      bare: at('bare'),
      bar: { value },
    };
  };
  const turnTimes = (engine) => runs[engine].flatMap((run) => gaps(run, 'head', 60, 140));
  const cpu = (engine) => median(runs[engine].map(({ marks }) => marks.at(-1).cpu)) / TURNS;
  const perTurn = (measure, take, value) => ({
    measure,
    unit: 'ms',
    ours: take(turnTimes('sdk')),
    bare: take(turnTimes('bare')),
    bar: { value },
  });
  return [
    perTurn('per turn at 100 messages, p50', median, 2.5),
    perTurn('per turn at 100 messages, p95', (times) => percentile(times, 0.95), 8),
    withHooks('100', 60, 140, 2.5),
    withHooks('1,000', 900, 1_000, 4.5),
    { measure: `CPU per turn, mean of ${TURNS} turns`, unit: 'ms', ours: cpu('sdk'), bare: cpu('bare') },
    {
      measure: 'growth per message of history',
      unit: 'us',
      ours: growth(runs.sdk),
      bare: growth(runs.bare),
      bar: { value: 2 },
    },
  ];
}

/** A conversation that was not played to its end measured something else. */
function checkTurns({ requests }) {
  const isWhole = requests.length === TURNS + 1 && requests.every(({ toolResults }, index) => toolResults === index);
  if (!isWhole) throw new Error(`The conversation was to have ${TURNS} tool calls; ${requests.length - 1} came.`);
}

/**
 * Milliseconds from just before the last bytes of a reply to the next request: its head, or its whole body.
 * @param from,to messages of the history in that request
 */
function gaps({ requests }, end, from, to) {
  return requests
    .map((request, index) => ({ messages: 2 * index + 1, gap: request[end] - requests[index - 1]?.last }))
    .filter(({ messages }) => messages >= from && messages <= to)
    .map(({ gap }) => gap);
}

/**
 * Microseconds for each message, between histories of 350 and 950; earlier turns are still being compiled. Taken at
 * the lower quartile: a busy machine adds to turns at random, and here a difference of two times is divided by 600.
 */
function growth(runs) {
  const quiet = (from, to) =>
    percentile(
      runs.flatMap((run) => gaps(run, 'body', from, to)),
      0.25,
    );
  return ((quiet(900, 1_000) - quiet(300, 400)) / 600) * 1_000;
}

/** One reply of many deltas, each seen by the caller. The prompt before it warms the session. */
async function deltas(bench) {
  const runs = await alternate(bench, ['bare', 'sdk'], 5, { deltas: [5, DELTAS] }, { prompts: 2, pauseMs: 50 });
  for (const { marks } of [...runs.bare, ...runs.sdk]) {
    const seen = marks.at(-1).deltas;
    if (seen !== DELTAS) throw new Error(`The caller saw ${seen} of ${DELTAS} deltas.`);
  }
  const wall = (engine) => runs[engine].map(({ marks, requests }) => marks.at(-1).t - requests[1].first);
  const cpu = (engine) => runs[engine].map(({ marks }) => marks.at(-1).cpu);
  const row = (name, times, ratio) => ({
    measure: `${DELTAS.toLocaleString('en')} deltas in one turn, ${name}`,
    unit: 'ms',
    ours: median(times('sdk')),
    bare: median(times('bare')),
    ratio: pairedRatio(times('sdk'), times('bare')),
    bar: { ratio },
  });
  return [row('wall', wall, 1.5), row('CPU', cpu, 2)];
}

/** Resident memory at rest. */
async function memory(bench) {
  const levels = [1, 21, 61];
  // When the collector last ran moves a level by megabytes, so each is the median of three processes.
  const runs = await alternate(bench, ['bare', 'sdk'], 3, { deltas: [5] }, { sessions: levels });
  if (runs.sdk[0].memory.get(1) === null) return [];
  const of = (engine, measure) => median(runs[engine].map(({ memory }) => measure(memory))) / MB;
  const one = (engine) => of(engine, (memory) => memory.get(1));
  const each = (engine) => of(engine, (memory) => (memory.get(61) - memory.get(21)) / 40);
  return [
    { measure: 'idle process, 1 session', unit: 'MB', ours: one('sdk'), bare: one('bare'), bar: { value: 90 } },
    { measure: 'each further live session', unit: 'MB', ours: each('sdk'), bare: each('bare'), bar: { value: 0.3 } },
  ];
}

/** The provider alone, each protocol. */
async function reading(bench) {
  return measureReading(bench, median, pairedRatio);
}

/** What a search holds up. */
async function searching(bench) {
  return measureSearching(bench, median);
}

/** A command in the sandbox beside a plain one, in turn, in one process. */
async function sandbox({ dist }) {
  const missing = whyNoBubblewrap();
  if (missing !== null) {
    process.stderr.write(`sandbox: left out, ${missing}\n`);
    return [];
  }
  const load = (name) => import(pathToFileURL(join(dist, name)).href);
  const [sdk, kit] = await Promise.all([load('index.js'), load('testing.js')]);
  const times = { plain: [], confined: [] };
  for (let round = 0; round < SANDBOX_ROUNDS; round++) {
    times.plain.push(...(await commandTimes(sdk, kit, false)));
    times.confined.push(...(await commandTimes(sdk, kit, true)));
  }
  return [
    {
      measure: 'a command in the sandbox, more than a plain one',
      unit: 'ms',
      ours: median(times.confined) - median(times.plain),
      bare: median(times.plain),
      bar: { value: 40 },
    },
  ];
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

export const CASES = { cold, warm, turns, deltas, reading, deciding: measureDeciding, searching, memory, sandbox };

export function median(values) {
  return percentile(values, 0.5);
}

/** Nearest rank. */
function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** Median of the ratios within each round: what slows the machine down for a while slows both. */
function pairedRatio(ours, bare) {
  return median(ours.map((value, round) => value / bare[round]));
}
