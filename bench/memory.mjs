// What a live session holds: resident memory, and the heap that is left after a collection, over windows of many sessions,
// because the whole megabytes by which a heap grows and shrinks are more than one session.
import { alternate, besideBare } from './figures.mjs';
import { runOnce } from './measure.mjs';

const MB = 1024 * 1024;
/** Sessions of a window. */
const WINDOW = 160;
/** The first sessions load and compile what all use. */
const WARM = 20;
/** What a session may hold, MB: with a thousand of them, a process of a quarter of a gigabyte. */
const SESSION_MB = 0.25;
const LEVELS = [1, WARM, WARM + WINDOW, WARM + 2 * WINDOW];

export async function measureMemory(bench) {
  const resident = await sessions(bench, []);
  // A collection that is asked for changes what a process keeps of the machine, so that is another process.
  const retained = await sessions(bench, ['--expose-gc']);
  const heap = [
    row('each further live session, retained heap', retained, eachOf('heap')),
    row('idle process, 1 session, retained heap', retained, (memory) => memory.get(1).heap, 2.5),
  ];
  if (resident.sdk[0].memory.get(1).rss === null) return heap;
  return [
    row('idle process, 1 session, RSS', resident, (memory) => memory.get(1).rss, 1.6),
    // Bare holds a list of two messages and nothing else: beside that any session is large, so the bar is no ratio.
    { ...row('each further live session, RSS', resident, eachOf('rss')), bar: { value: SESSION_MB } },
    ...heap,
  ];
}

function sessions(bench, nodeOptions) {
  const on = { ...bench, nodeOptions };
  return alternate(on, ['bare', 'sdk'], (engine) => runOnce(on, engine, { deltas: [5] }, { sessions: LEVELS }));
}

/** Bytes a session, over both windows together: what the first leaves behind, the second may use. */
function eachOf(kind) {
  const [, first, , last] = LEVELS;
  return (memory) => (memory.get(last)[kind] - memory.get(first)[kind]) / (last - first);
}

function row(measure, runs, of, maxRatio) {
  const values = (engine) => runs[engine].map(({ memory }) => of(memory) / MB);
  return besideBare(measure, 'MB', values('sdk'), values('bare'), maxRatio);
}
