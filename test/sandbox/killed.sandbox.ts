// The command line killed with SIGKILL while a command of it runs in the sandbox.
import { beforeAll, describe, expect, it } from 'vitest';
import { toolCall } from '../../src/testing/model/script.js';
import { buildEntry } from '../e2e/run-cli.js';
import { checkKilled } from '../support/killed-cli.js';

beforeAll(buildEntry, 300_000);

describe('a command line that is killed', () => {
  it('leaves nothing of a command in the sandbox, also of one that left everything behind', async () => {
    const script = `trap "" TERM HUP; setsid env -i PROBE="$PROBE" bash -c 'UP; sleep 600; true' & UP; sleep 600; true`;
    const steps = (up: (script: string) => string) => [toolCall('Bash', { command: up(script) })];
    expect(await checkKilled({ steps, count: 2, argv: ['--sandbox'] })).toEqual([]);
  });
});
