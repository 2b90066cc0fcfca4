// The terminal under a pseudo-terminal, as a person has it: a prompt runs, streams, and the terminal is given back.
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { mockEnv, temporaryFolder } from '../e2e/run-cli.js';
import { leaveTurnwright, openTurnwright, type PtyOptions } from '../support/terminal/open-pty.js';

const GIVEN_BACK = {
  isCursorHidden: false,
  isBracketedPaste: false,
  isAlternate: false,
  reportsFocus: false,
  wraps: true,
  keyboardLevels: 0,
  modifyOtherKeys: 0,
};

async function open(steps: readonly MockStep[], argv: readonly string[] = [], more: Partial<PtyOptions> = {}) {
  const model = await startMockProvider({ steps });
  onTestFinished(() => model.close());
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const env = { ...mockEnv(model.url), HOME: home, TURNWRIGHT_HOME: home, NO_COLOR: '1' };
  const pty = openTurnwright(argv, { cwd, env, ...more });
  await pty.until('>');
  return { pty, model, cwd, home };
}

describe('the terminal', () => {
  it('runs a prompt, shows calls with their results, and is given back', async () => {
    const steps = [
      reply(text('I look.'), toolCall('Bash', { command: 'printf "one\\ntwo\\n"' }, 'call_1')),
      text('There are **two** lines:\n\n```\none\n\ttwo\n```\n'),
    ];
    const { pty } = await open(steps, ['--allowedTools', 'Bash', '--tools', 'Bash,Raed']);
    // Which model will answer is told before the first prompt.
    await pty.until(/^claude-\S+$/m);
    pty.type('how many lines?\r');
    await pty.until('2 turns');
    const lines = pty.screen.history();
    // T52: a notice is told once.
    expect(lines.filter((line) => line.includes('There is no tool Raed'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('!'))).toHaveLength(1);
    const from = lines.indexOf('I look.');
    expect(lines.slice(from, from + 10)).toEqual([
      'I look.',
      '',
      '● Bash  printf "one\\ntwo\\n"',
      'one',
      'two',
      '',
      'There are two lines:',
      '',
      'one',
      expect.stringMatching(/^ +two$/),
    ]);
    expect(await leaveTurnwright(pty)).toBe(0);
    expect(pty.screen.modes()).toMatchObject(GIVEN_BACK);
    expect(pty.screen.text()).toContain('To go on with this session: turnwright --resume');
    expect(pty.screen.text()).not.toMatch(/^>$/m);
  });

  it.each([
    ['--plain', ['--plain'], {}],
    ['a dumb terminal', [], { TERM: 'dumb' }],
  ])('is the line mode with %s', async (_name, argv, env) => {
    const model = await startMockProvider({ steps: [] });
    onTestFinished(() => model.close());
    const home = temporaryFolder();
    const all = { ...mockEnv(model.url), HOME: home, TURNWRIGHT_HOME: home, ...env };
    const pty = openTurnwright(argv, { cwd: home, env: all });
    await pty.until('/help lists commands');
    pty.type('/exit\n');
    expect(await pty.ended).toBe(0);
    expect(pty.bytes()).not.toContain('\x1b[?');
  });
});
