// The command line killed with SIGKILL while something of it runs: nothing of it outlives it.
import { beforeAll, describe, expect, it } from 'vitest';
import { toolCall } from '../../src/testing/model/script.js';
import { checkKilled } from '../support/killed-cli.js';
import { buildEntry } from './run-cli.js';

beforeAll(buildEntry, 300_000);

/** What runs, once it is up; each waits for longer than any test. */
const KINDS: Readonly<Record<string, string>> = {
  plainly: 'UP; exec sleep 600',
  'behind a wrapper, deaf to TERM': `trap "" TERM HUP; bash -c 'UP; sleep 600; true'; true`,
  'in a group of its own': `setsid bash -c 'UP; sleep 600; true' & sleep 600; true`,
  'without its environment': `UP; exec env -i PROBE="$PROBE" sleep 600`,
};

const bash = (command: string, more: Readonly<Record<string, unknown>> = {}) => toolCall('Bash', { command, ...more });

describe('a command line that is killed leaves nothing of', () => {
  it.each(Object.keys(KINDS))('a command that runs %s', async (name) => {
    expect(await checkKilled({ steps: (up) => [bash(up(KINDS[name] ?? ''))] })).toEqual([]);
  });

  it('a command in the background', async () => {
    const script = (up: (script: string) => string) => [
      bash(up(KINDS['in a group of its own'] ?? ''), { run_in_background: true }),
      bash(up('UP; exec sleep 600')),
    ];
    expect(await checkKilled({ steps: script, count: 2 })).toEqual([]);
  });

  it('a hook', async () => {
    const hooks = (up: (script: string) => string) => ({
      PreToolUse: [{ hooks: [{ type: 'command', command: up(KINDS['behind a wrapper, deaf to TERM'] ?? '') }] }],
    });
    expect(await checkKilled({ steps: () => [bash('true')], hooks })).toEqual([]);
  });

  it('a program that it has only just started', async () => {
    const steps = (up: (script: string) => string) => [bash(up(KINDS['in a group of its own'] ?? ''))];
    expect(await checkKilled({ steps, atStart: true })).toEqual([]);
  });
});
