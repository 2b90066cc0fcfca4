// Which processes belong to a run: by its mark, whatever they are just doing.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findAlive, ifEntriesTell, RUN_MARK_VARIABLE, thisMoment } from '../../src/host/processes/process-group.js';

/** Nobody's group: what is found is found by its mark. */
const groupId = 999_999_999;

function start(command: readonly [string, ...string[]], env: NodeJS.ProcessEnv): Promise<number> {
  const [program, ...words] = command;
  const child = spawn(program, words, { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', reject);
  });
}

it.runIf(process.platform === 'linux')(
  'one that becomes another program again and again is found at every look',
  async () => {
    const mark = randomUUID();
    const again = 'exec sh -c "$0" "$0"';
    const pid = await start(['sh', '-c', again, again], { PATH: process.env['PATH'], [RUN_MARK_VARIABLE]: mark });
    for (let look = 0; look < 100; look++) expect(await findAlive({ groupId, mark })).toEqual([pid]);
  },
);

describe.runIf(process.platform === 'linux')('one that is older than the run', () => {
  /** It is looked at before the run begins, as every process is by whoever lists them. */
  async function older(mark: string): Promise<number> {
    const pid = await start(['sleep', '60'], { PATH: process.env['PATH'], [RUN_MARK_VARIABLE]: mark });
    expect(await findAlive({ groupId, mark })).toEqual([pid]);
    return pid;
  }
  /** Later than an entry that was dated just now, by more than the clocks may differ. */
  function later() {
    const { wallMs, steadyMs } = thisMoment();
    return { wallMs: wallMs + 1_000, steadyMs: steadyMs + 1_000 };
  }

  it('is not of it, whatever its environment says', async () => {
    const mark = randomUUID();
    await older(mark);
    expect(await findAlive({ groupId, mark, begun: later() })).toEqual([]);
  });

  it.each([-3_600_000, -200, 200])('is looked at if the clock was set meanwhile, by %i ms', async (setByMs) => {
    const mark = randomUUID();
    const pid = await older(mark);
    const { wallMs, steadyMs } = later();
    const begun = { wallMs: wallMs - setByMs, steadyMs };
    expect(await findAlive({ groupId, mark, begun })).toEqual([pid]);
  });

  it('is told by entries only if that of its program was dated at its start', async () => {
    const before = thisMoment();
    const pid = await older(randomUUID());
    expect(ifEntriesTell(before, pid)).toBe(before);
    expect(ifEntriesTell(later(), pid)).toBeUndefined();
    expect(ifEntriesTell(before, groupId)).toBeUndefined();
  });
});
