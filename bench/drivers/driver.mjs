// What every driver does with its engine. A driver gives `open()`, which makes a session: { ask(prompt), close() };
// `ask` resolves to the number of text deltas its caller saw. Loads nothing: its load time is part of a measure.
import { nowMs } from '../clock.mjs';

/** The plan of this run: what to do, and where. */
export const plan = JSON.parse(process.argv[2]);

/** Runs the plan and leaves. Marks go to stdout, one JSON object a line. */
export async function drive(open) {
  if (plan.sessions === undefined) await prompts(open);
  else await hold(open);
  process.exit(0);
}

/** `plan.prompts` prompts in one session, `plan.pauseMs` apart. */
async function prompts(open) {
  const session = await open(0);
  for (let at = 0; at < plan.prompts; at++) {
    if (at > 0) await new Promise((resolve) => setTimeout(resolve, plan.pauseMs));
    const cpuBefore = cpuMs();
    mark('submit', { at });
    const deltas = await session.ask(`Prompt ${at}: go.`);
    mark('done', { at, deltas, cpu: cpuMs() - cpuBefore });
  }
  await session.close();
}

/** Opens sessions, one prompt each, up to each number of `plan.sessions`; rests at each until stdin says to go on. */
async function hold(open) {
  const live = [];
  const go = lines(process.stdin);
  for (const wanted of plan.sessions) {
    while (live.length < wanted) {
      const session = await open(live.length);
      await session.ask('Say hello.');
      live.push(session);
    }
    // Twice: what the first one frees may free more.
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    mark('idle', { sessions: live.length, heap: heapUsed + external });
    await go.next();
  }
  for (const session of live) await session.close();
}

async function* lines(stream) {
  for await (const _ of stream) yield;
}

function mark(kind, fields) {
  const t = nowMs();
  process.stdout.write(`${JSON.stringify({ kind, t, ...fields })}\n`);
}

/** CPU time of this process so far, all threads. */
function cpuMs() {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1_000;
}
