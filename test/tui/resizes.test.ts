// A window that changes its size, with the built program in it: in terminals that wrap their lines anew, in one that does not,
// and under tmux. What the shell wrote and what is finished stands there once, in order.
import { spawnSync } from 'node:child_process';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { text } from '../../src/testing/model/script.js';
import { buildEntry, ENTRY, mockEnv, temporaryFolder } from '../e2e/run-cli.js';
import { openPty, untilIdle } from '../support/terminal/open-pty.js';

beforeAll(buildEntry, 120_000);

const SHELL = Array.from({ length: 30 }, (_, at) => `shell line ${at + 1}`);
/** Narrower than the smallest window: a terminal that does not wrap anew cuts what is longer, whatever runs in it. */
const answerOf = (name: string) => Array.from({ length: 12 }, (_, at) => `${name} line ${at + 1} 漢字`);
const LAST = { columns: 90, rows: 24 };

const TMUX = spawnSync('tmux', ['-V']).status === 0;

async function open(around: readonly string[], env: Readonly<Record<string, string>>, reflows: boolean) {
  const steps = ['first', 'second'].map((name) => text(`\`\`\`\n${answerOf(name).join('\n')}\n\`\`\``));
  const model = await startMockProvider({ steps });
  onTestFinished(() => model.close());
  const home = temporaryFolder();
  const script = `printf 'shell line %s\\n' $(seq ${SHELL.length}); exec "$@"`;
  const pty = openPty([...around, 'sh', '-c', script, 'sh', process.execPath, ENTRY], {
    cwd: home,
    env: { ...mockEnv(model.url), HOME: home, TURNWRIGHT_HOME: home, ...env },
    size: LAST,
    reflows,
  });
  await pty.until(/^>/m);
  return pty;
}

it.each([
  ['one that wraps its lines anew', true, {}],
  ['one that does not', false, { XTERM_VERSION: 'XTerm(390)' }],
  ...(TMUX ? ([['tmux', true, {}]] as const) : []),
] as const)('%s keeps every line of the shell and of answers, once', async (name, reflows, env) => {
  const socket = `turnwright-resizes-${process.pid}`;
  const tmux = (...words: string[]) => spawnSync('tmux', ['-L', socket, ...words], { encoding: 'utf8' }).stdout;
  const around = ['tmux', '-u', '-L', socket, '-f', '/dev/null', 'new-session'];
  if (name === 'tmux') onTestFinished(() => void tmux('kill-server'));
  const pty = await open(name === 'tmux' ? around : [], env, reflows);
  const draftEndsWith = (words: string) =>
    pty.until(({ rows, cursor }) => (rows()[cursor().row] ?? '').endsWith(words));
  const ask = async (last: string) => {
    pty.press('enter');
    await pty.until(last);
    await untilIdle(pty);
  };
  // Its first row is as wide as the window: it takes more rows in a narrower one, if that wraps anew.
  pty.type('a draft of several rows, '.repeat(6));
  let end = ' ';
  // Each size is drawn before the next one comes. A frame that was drawn within 30 ms before it may have come to a window that
  // had the new size already, for all that the program knows; these have not.
  for (let at = 0; at < 8; at++) {
    const drawn = performance.now();
    await expect.poll(() => performance.now() - drawn, { interval: 10 }).toBeGreaterThan(40);
    const before = pty.bytes().length;
    pty.resize({ columns: 40 + ((at * 29) % 80), rows: 10 + ((at * 7) % 25) });
    // All is drawn anew for the size, before there is more to draw.
    await pty.until(() => pty.bytes().length > before);
    pty.type('x');
    end += 'x';
    await draftEndsWith(end);
  }
  await ask('first line 12');
  // A window that is dragged: sizes come faster than they are drawn.
  for (let at = 0; at < 60; at++) pty.resize({ columns: 40 + ((at * 31) % 80), rows: 10 + ((at * 11) % 25) });
  pty.resize(LAST);
  pty.type('more');
  await draftEndsWith('more');
  await ask('second line 12');
  const lines = name === 'tmux' ? tmux('capture-pane', '-p', '-J', '-S', '-').split('\n') : pty.screen.history();
  const kept = lines.flatMap((line) => /^(?:(?:shell|first|second) line .*\S|\? shows|1 turn)/.exec(line) ?? []);
  const turns = ['first', 'second'].flatMap((each) => [...answerOf(each), '1 turn']);
  expect(kept).toEqual([...SHELL, '? shows', ...turns]);
});
