// A session has one writer, over real processes: the others are told who it is, and one that was killed is replaced.
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { buildEntry, type CliEnd, type CliRun, mockEnv, runCli, startCli, temporaryFolder } from './run-cli.js';

beforeAll(buildEntry, 300_000);

describe('a session in use', () => {
  it('is refused to others with the process that has it, and goes to one of them once that is killed', async () => {
    // No answer comes, so that whoever has the session keeps it.
    const mock = await startMockProvider({ steps: [{ stall: true }, { stall: true }] });
    onTestFinished(() => mock.close());
    const where = { cwd: temporaryFolder(), env: { ...mockEnv(mock.url), TURNWRIGHT_HOME: temporaryFolder() } };
    const first = startCli(['-p', 'wait', '--output-format', 'stream-json'], where);
    await mock.waitForRequests(1);
    // What it wrote before it asked may be read after that.
    await expect.poll(() => first.output.stdout, { interval: 5 }).toContain('\n');
    const { session_id: sessionId } = JSON.parse(first.output.stdout.split('\n')[0] ?? '') as { session_id: string };

    for (const how of [['--continue'], ['--resume', sessionId]]) {
      const refused = await runCli(['-p', 'me too', ...how], where);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(`in use by process ${first.child.pid} on `);
      expect(refused.stderr).toContain('--fork-session');
    }

    first.child.kill('SIGKILL');
    await first.ended;
    const racers = Array.from({ length: 4 }, () => startCli(['-p', 'go on', '--continue'], where));
    await mock.waitForRequests(2);
    // The one that asked the model has it, and keeps it until the others have given up.
    const losers = await firstToEnd(racers, 3);
    for (const { code, stdout, stderr } of losers) {
      expect(code).not.toBe(0);
      expect(`${stdout}${stderr}`).toMatch(/is in use by process \d+/);
    }
    expect(mock.requests).toHaveLength(2);
  });
});

function firstToEnd(runs: readonly CliRun[], count: number): Promise<readonly CliEnd[]> {
  return new Promise((resolve) => {
    const ended: CliEnd[] = [];
    for (const run of runs) void run.ended.then((end) => ended.push(end) === count && resolve(ended));
  });
}
