// How the windows of the terminal look, at three widths. The golden screens are files; after a change that is meant:
// npm test -- test/tui/window-screens.test.ts -u
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-steps.js';
import { reply, text, toolCall } from '../../src/testing/model/script-steps.js';
import { buildEntry, mockEnv, temporaryFolder } from '../e2e/run-cli.js';
import { ansiOf } from '../support/terminal/ansi-of.js';
import { openTurnwright, type Pty } from '../support/terminal/open-pty.js';

beforeAll(buildEntry, 120_000);

const STEPS: readonly MockStep[] = [
  reply(
    text('I write the **list** first, 三つ, and then what it needs.'),
    toolCall('TodoWrite', {
      todos: [
        { content: 'Write the list', status: 'completed', activeForm: 'Writing the list' },
        { content: 'Show the total', status: 'in_progress', activeForm: 'Showing the total' },
      ],
    }),
  ),
  reply(
    toolCall('Bash', { command: "printf 'export const list = [1, 2, 3];\\n' > list.ts" }),
    toolCall('Bash', { command: 'printf "one\\ntwo\\n"; echo "no such test" >&2; exit 3' }),
  ),
  text('The list is there.'),
];

/** What differs from run to run: moments, sizes, times. */
function still(pty: Pty): string {
  return (
    ansiOf(pty.screen)
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-11-25 12:00')
      // Cut by the window.
      .replace(/\d{4}-\d\d[\d: -]*…/g, '2026-11-25 1…')
      .replace(/\d+(?:\.\d+)? [kKM]?B\b/g, '12 kB')
      .replace(/(?<![\d.])\d+\.\d s\b/g, '1.2 s')
      .replace(/\/\S*turnwright-e2e-\S*/g, '/tmp/…')
  );
}

describe.each([40, 80, 120])('at %i columns', (columns) => {
  it('transcript, tasks, sessions, rewind, keys', async () => {
    const model = await startMockProvider({ steps: STEPS });
    onTestFinished(() => model.close());
    const home = temporaryFolder();
    const cwd = join(home, 'shop');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'shop.ts'), 'export {};\n');
    const env = { ...mockEnv(model.url), HOME: home, TURNWRIGHT_HOME: join(home, '.turnwright'), COLORFGBG: '15;0' };
    const argv = ['--model', 'claude-sonnet-5-5', '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'];
    const pty = openTurnwright(argv, { cwd, env, size: { columns, rows: 28 } });
    await pty.until(/\? shows the keys/);
    pty.type('Make a list of three.\r');
    await pty.until('The list is there.');
    await pty.until((screen) => !screen.text().includes('Esc interrupts') && screen.text().includes('turns'));

    const look = async (name: string, wanted: string): Promise<void> => {
      await pty.until((screen) => screen.modes().isAlternate && screen.text().includes(wanted));
      await expect(still(pty)).toMatchFileSnapshot(`../fixtures/screens/window-${name}-${columns}.ansi`);
    };
    const close = async (): Promise<void> => {
      pty.press('q');
      await pty.until((screen) => !screen.modes().isAlternate);
    };
    pty.press('ctrl+o');
    await look('transcript', 'The list is there.');
    await close();
    pty.press('ctrl+t');
    await look('tasks', 'Show the total');
    await close();
    pty.type('/resume\r');
    await look('sessions', 'Enter goes on');
    await close();
    pty.press('escape', 'escape');
    await look('rewind-list', 'Enter shows');
    pty.press('enter');
    await look('rewind', '1 file would change');
    pty.press('q');
    await look('rewind-list', 'Enter shows');
    await close();
    pty.press('?');
    await look('keys', 'While you write');
    await close();
  });
});
