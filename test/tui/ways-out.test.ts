// Every way out of the terminal: modes, cursor and screen are as they were, the session is whole, nothing is alive.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { openAtModel } from '../support/terminal/open-at-model.js';
import { untilIdle } from '../support/terminal/open-pty.js';

const GIVEN_BACK = {
  isCursorHidden: false,
  isBracketedPaste: false,
  isAlternate: false,
  reportsFocus: false,
  wraps: true,
  isSynchronized: false,
  mouse: 'none',
  keyboardLevels: 0,
  modifyOtherKeys: 0,
};
/** Of this process alone: the same test may run beside it. */
const SLEEP = `sleep 987.${process.pid}`;
const SLEEPS = [reply(toolCall('Bash', { command: `echo begun; ${SLEEP}` }, 'call_1')), text('done')];

const sleepers = () => {
  try {
    return execFileSync('pgrep', ['-f', `${SLEEP}$`], { encoding: 'utf8' }).trim();
  } catch {
    return ''; // none
  }
};
/** What was killed may take a moment to be gone; by itself none ends within this hour. */
const noneSleeps = () => expect.poll(sleepers).toBe('');

describe('the terminal is given back', () => {
  it.each([
    ['/exit', 0],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('after %s between two prompts', async (how, code) => {
    const { pty } = await openAtModel([text('Hello.')]);
    pty.type('hi\r');
    await pty.until('Hello.');
    await pty.until('1 turn');
    if (how === '/exit') pty.type('/exit\r');
    else pty.signal(how as NodeJS.Signals);
    expect(await pty.ended).toBe(code);
    expect(pty.screen.modes()).toMatchObject(GIVEN_BACK);
    expect(pty.screen.history()).toContain('> hi');
    expect(pty.screen.text()).not.toMatch(/^>\s*$/m);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['Ctrl-C three times', 0],
  ])('after %s while a command runs, which is ended', async (how, code) => {
    const { pty } = await openAtModel(SLEEPS, ['--allowedTools', 'Bash']);
    pty.type('sleep\r');
    await pty.until('begun');
    if (how === 'Ctrl-C three times') {
      pty.press('ctrl+c');
      await pty.until('1 turn');
      pty.press('ctrl+c', 'ctrl+c');
      expect(await pty.ended).toBe(code);
    } else {
      pty.signal(how as NodeJS.Signals);
      expect(await pty.ended).toBe(code);
    }
    expect(pty.screen.modes()).toMatchObject(GIVEN_BACK);
    await noneSleeps();
  });

  it('after a fault, which is told below what was said, with the way back to the session', async () => {
    const fault = 'process.on("SIGUSR2", () => { throw new Error("a fault of ours") })';
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(fault)}` };
    const { pty } = await openAtModel([text('Hello.')], [], { env });
    pty.type('hi\r');
    await pty.until('Hello.');
    await untilIdle(pty);
    pty.type('half a draft');
    await pty.until('> half a draft');
    pty.signal('SIGUSR2');
    expect(await pty.ended).toBe(1);
    expect(pty.screen.modes()).toMatchObject(GIVEN_BACK);
    expect(pty.screen.text()).toMatch(/1 turn[\s\S]*\nturnwright: a fault of ours/);
    expect(pty.screen.text()).toContain('To go on with this session: turnwright --resume');
    expect(pty.screen.text()).not.toMatch(/half a draft|was aborted/);
  });

  it('when its window is closed: exit code 129, a session that goes on, and nothing alive', async () => {
    const { pty, resume } = await openAtModel(SLEEPS, ['--allowedTools', 'Bash']);
    pty.type('sleep\r');
    await pty.until('begun');
    pty.hangUp();
    expect(await pty.ended).toBe(129);
    await noneSleeps();
    const again = await resume();
    await again.pty.until('> sleep');
  });

  it('for as long as it is suspended, and is there again afterwards', async () => {
    const { pty } = await openAtModel([text('Hello.')], [], { isJob: true });
    pty.type('hi');
    await pty.until('> hi');
    pty.press('ctrl+z');
    await pty.until('stopped-by-shell');
    expect(pty.screen.modes()).toMatchObject(GIVEN_BACK);
    pty.type('fg\n');
    await pty.until((screen) => screen.modes().isBracketedPaste && /> hi$/m.test(screen.text()));
    pty.press('enter');
    await pty.until('Hello.');
  });
});

it('the terminal stays if nobody could continue it: it was started without a shell', async () => {
  const { pty } = await openAtModel([text('Hello.')]);
  pty.type('hi');
  await pty.until('> hi');
  pty.press('ctrl+z');
  await pty.until('There is no shell here to go back to.');
  pty.type('!');
  await pty.until(/> hi!$/m);
  pty.press('enter');
  await pty.until('Hello.');
  expect(pty.screen.history().filter((line) => line === '> hi!')).toHaveLength(1);
});

it('the terminal is drawn anew when it was stopped from outside and goes on', async () => {
  const { pty } = await openAtModel([text('Hello.')]);
  pty.type('hi');
  await pty.until('> hi');
  pty.signal('SIGSTOP');
  pty.type('!');
  pty.resize({ columns: 60, rows: 12 });
  pty.signal('SIGCONT');
  await pty.until(/> hi!$/m);
  pty.press('enter');
  await pty.until('Hello.');
  expect(pty.screen.modes()).toMatchObject({ isBracketedPaste: true, wraps: true });
});
