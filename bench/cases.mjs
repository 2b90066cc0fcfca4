// The cases: what is run, how often, and which figures come out. In each round every engine runs once, in turn, so
// that a machine that gets slower hits all of them.
import { measureDeciding } from './deciding.mjs';
import { alternate, besideBare, median, percentile, roundsOfShort } from './figures.mjs';
import { runOnce } from './measure.mjs';
import { measureMemory } from './memory.mjs';
import { nodesToMeasure } from './nodes.mjs';
import { measureReading } from './reading.mjs';
import { measureSandbox } from './sandboxing.mjs';
import { measureSearching } from './searching.mjs';
import { measureTerminal } from './terminal.mjs';

const TURNS = 500;
const DELTAS = 20_000;

/** Process start to first request, on each Node that people have. */
async function cold(bench) {
  const rows = [];
  for (const { major, path } of nodesToMeasure()) {
    const on = { ...bench, node: path };
    const once = (engine) => runOnce(on, engine, { deltas: [5] }, { prompts: 1 });
    // Not counted: the first start on a Node reads it from the disk, and fills the cache that Node keeps for the command line.
    for (const engine of ['bare', 'sdk', 'cli', 'cli']) await once(engine);
    const runs = await alternate(on, ['bare', 'sdk', 'cli'], once);
    const times = (engine) => runs[engine].map(({ start, requests }) => requests[0].head - start);
    for (const engine of ['cli', 'sdk']) {
      const name = engine === 'cli' ? 'command line' : 'SDK';
      const measure = `process start to first request, ${name}, Node ${major}`;
      rows.push(besideBare(measure, 'ms', times(engine), times('bare'), 2));
    }
  }
  return rows;
}

/** Prompt to request in a session that has answered before. */
async function warm(bench) {
  const steps = { prompts: 11, pauseMs: 50 };
  const once = (engine) => runOnce(bench, engine, { deltas: [5] }, steps);
  const runs = await alternate(bench, ['bare', 'sdk'], once, roundsOfShort(bench));
  const times = (engine) =>
    runs[engine].map(({ marks, requests }) =>
      median(marks.filter(({ kind, at }) => kind === 'submit' && at > 0).map(({ t, at }) => requests[at].head - t)),
    );
  return [besideBare('warm session: prompt to request', 'ms', times('sdk'), times('bare'), 2.5)];
}

/** One conversation of tool calls: the time a turn takes, and how it grows with the history. */
async function turns(bench) {
  const tool = { name: 'Read', folder: bench.scratch.makeFiles(TURNS) };
  const play = (steps) =>
    alternate(
      bench,
      ['bare', 'sdk'],
      (engine) => runOnce(bench, engine, { turns: TURNS, tool }, { prompts: 1, ...steps }).then(checkTurns),
      roundsOfShort(bench),
    );
  const plain = await play({});
  const hooked = await play({ hooks: true });
  const row = (measure, runs, of, maxRatio) => besideBare(measure, 'ms', runs.sdk.map(of), runs.bare.map(of), maxRatio);
  const at = (from, to, share) => (run) => percentile(gaps(run, 'head', from, to), share);
  const turn = plain.bare.map(at(60, 140, 0.5));
  return [
    row('per turn at 100 messages, p50', plain, at(60, 140, 0.5), 2),
    row('per turn at 100 messages, p95', plain, at(60, 140, 0.95)),
    row('per turn at 100 messages with hooks, p50', hooked, at(60, 140, 0.5), 2.4),
    row('per turn at 1,000 messages with hooks, p50', hooked, at(900, 1_000, 0.5), 2.4),
    row(`CPU per turn, mean of ${TURNS} turns`, plain, ({ marks }) => marks.at(-1).cpu / TURNS),
    besideBare('1,000 messages of history more, beside a whole turn', 'ms', plain.sdk.map(growth), turn, 2.5),
  ];
}

/** A conversation that was not played to its end measured something else. */
function checkTurns(run) {
  const { requests } = run;
  const isWhole = requests.length === TURNS + 1 && requests.every(({ toolResults }, index) => toolResults === index);
  if (!isWhole) throw new Error(`The conversation was to have ${TURNS} tool calls; ${requests.length - 1} came.`);
  return run;
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
 * Milliseconds that a turn takes more for 1,000 messages, from histories of 350 and 950; earlier turns are still being
 * compiled. Taken at the lower quartile: a busy machine adds to turns at random, and here a difference is multiplied.
 */
function growth(run) {
  const quiet = (from, to) => percentile(gaps(run, 'body', from, to), 0.25);
  return ((quiet(900, 1_000) - quiet(300, 400)) / 600) * 1_000;
}

/** One reply of many deltas, each seen by the caller. The prompt before it warms the session. */
async function deltas(bench) {
  const once = (engine) => runOnce(bench, engine, { deltas: [5, DELTAS] }, { prompts: 2, pauseMs: 50 });
  const runs = await alternate(bench, ['bare', 'sdk'], once, roundsOfShort(bench));
  for (const { marks } of [...runs.bare, ...runs.sdk]) {
    const seen = marks.at(-1).deltas;
    if (seen !== DELTAS) throw new Error(`The caller saw ${seen} of ${DELTAS} deltas.`);
  }
  const wall = ({ marks, requests }) => marks.at(-1).t - requests[1].first;
  const cpu = ({ marks }) => marks.at(-1).cpu;
  const row = (name, of, maxRatio) => {
    const measure = `${DELTAS.toLocaleString('en')} deltas in one turn, ${name}`;
    return besideBare(measure, 'ms', runs.sdk.map(of), runs.bare.map(of), maxRatio);
  };
  return [row('wall', wall, 1.3), row('CPU', cpu, 1.6)];
}

export const CASES = {
  cold,
  warm,
  turns,
  deltas,
  reading: measureReading,
  deciding: measureDeciding,
  searching: measureSearching,
  memory: measureMemory,
  sandbox: measureSandbox,
  terminal: measureTerminal,
};
