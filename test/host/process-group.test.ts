// Which processes belong to a run: by its mark, whatever they are just doing.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { findAlive, RUN_MARK_VARIABLE } from '../../src/host/processes/process-group.js';

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
