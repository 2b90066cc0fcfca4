// How the windows of the terminal look, at three widths and under tmux. The golden screens are files; after a change that is meant:
// npm test -- test/tui/window-screens.test.ts -u
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { buildEntry, ENTRY, mockEnv, temporaryFolder } from '../e2e/run-cli.js';
import { ansiOf } from '../support/terminal/ansi-of.js';
import { openPty, type Pty, untilIdle } from '../support/terminal/open-pty.js';
import type { ScreenReader } from '../support/terminal/screen-reader.js';

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

/** What differs from run to run, or with the system prompt: moments, sizes, times, tokens. */
function still(screen: ScreenReader): string {
  return (
    ansiOf(screen)
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-11-25 12:00')
      // Cut by the window.
      .replace(/\d{4}-\d\d[\d: -]*…/g, '2026-11-25 1…')
      .replace(/\d+(?:\.\d+)?\s[kKM]?B\b/g, '12 kB')
      .replace(/(?<![\d.])\d+\.\d s\b/g, '1.2 s')
      .replace(/\/\S*turnwright-e2e-\S*/g, '/tmp/…')
      .replace(/ of \d+: /g, ' of N: ')
  );
}

/** The same of the window that counts tokens: none of the figures, and not the list of tools. */
const uncounted = (shown: string): string =>
  shown
    .replace(/\d+-\d+ of \d+/, '1-N of N')
    .replace(/ *(?<![\d.,;[-])[\d,]+(?:\.\d+)?(?= |$)/gm, ' N')
    .replace(/[#.]{10,}/g, '#…')
    .replace(/\S*Tools[\s\S]*?(?=\n[^\n]*q closes)/, '');

const TMUX = spawnSync('tmux', ['-V']).status === 0;
const ROWS = 28;

async function openDesk(columns: number, around: readonly string[] = [], rows = ROWS) {
  const model = await startMockProvider({ steps: STEPS });
  onTestFinished(() => model.close());
  const home = temporaryFolder();
  const cwd = join(home, 'shop');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'shop.ts'), 'export {};\n');
  const env = { ...mockEnv(model.url), HOME: home, TURNWRIGHT_HOME: join(home, '.turnwright'), COLORFGBG: '15;0' };
  const argv = ['--model', 'claude-sonnet-5-5', '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'];
  const pty = openPty([...around, process.execPath, ENTRY, ...argv], { cwd, env, size: { columns, rows } });
  await pty.until(/\? shows the keys/);
  pty.type('Make a list of three.');
  await pty.until('of three.');
  pty.press('enter');
  await pty.until('The list is there.');
  await pty.until(/turns ·/);
  await untilIdle(pty);
  return pty;
}

/** Opens the search and each window, and has it looked at. @param isOpen what the terminal around it tells of the alternate screen */
async function throughWindows(
  pty: Pty,
  isOpen: (screen: ScreenReader) => boolean,
  look: (name: string) => Promise<void>,
): Promise<void> {
  const see = async (name: string, wanted: string): Promise<void> => {
    await pty.until((screen) => isOpen(screen) && screen.text().includes(wanted));
    await look(name);
  };
  const close = async (): Promise<void> => {
    pty.press('q');
    await pty.until((screen) => !isOpen(screen));
  };
  const command = async (words: string): Promise<void> => {
    pty.type(words);
    await pty.until(`> ${words}`);
    pty.press('enter');
  };
  pty.press('ctrl+o');
  await see('transcript', 'The list is there.');
  await close();
  pty.press('ctrl+t');
  await see('tasks', 'Show the total');
  await close();
  await command('/resume');
  await see('sessions', 'Enter goes on');
  await close();
  pty.press('escape', 'escape');
  await see('rewind-list', 'Enter shows');
  pty.press('enter');
  await see('rewind', '1 file would change');
  pty.press('q');
  await see('rewind-list', 'Enter shows');
  await close();
  pty.press('?');
  await see('keys', 'While you write');
  await close();
  await command('/context');
  await see('context', 'System prompt');
  await close();
  // Of long lists a part, which others change less often.
  for (const [words, name, wanted, search] of [
    ['/config', 'settings', 'Enter changes yours', 'editorMode'],
    ['/model', 'model', 'Enter chooses', 'sonnet-5-5'],
    ['/output-style', 'output-style', 'Enter chooses', 'guidance'],
  ] as const) {
    await command(words);
    await pty.until((screen) => isOpen(screen) && screen.text().includes(wanted));
    pty.type(`/${search}`);
    await see(name, ` / ${search}`);
    pty.press('escape');
    await pty.until((screen) => !screen.text().includes(` / ${search}`));
    await close();
  }
  // What is typed at once is for the search, though it is loaded only now.
  pty.press('ctrl+r');
  pty.type('t e');
  await pty.until('Earlier prompts: t e');
  pty.press('down');
  await pty.until('2 of 3.');
  await look('history');
  pty.press('escape');
  await pty.until((screen) => !screen.text().includes('Earlier prompts'));
}

function shownOf(name: string, screen: ScreenReader): string {
  if (name === 'context') return uncounted(still(screen));
  if (name !== 'history') return still(screen);
  // Below the conversation, which has files of its own.
  const rows = ansiOf(screen).split('\n');
  return rows.slice(rows.findIndex((row) => row.includes('Earlier prompts')) - 2).join('\n');
}

it.each([40, 80, 120])('each window at %i columns', async (columns) => {
  const pty = await openDesk(columns);
  const isOpen = (screen: ScreenReader) => screen.modes().isAlternate;
  await throughWindows(pty, isOpen, async (name) => {
    const shown = shownOf(name, pty.screen);
    await expect(shown).toMatchFileSnapshot(`../fixtures/screens/window-${name}-${columns}.ansi`);
  });
});

it.skipIf(!TMUX)('each window looks the same under tmux', async () => {
  const socket = `turnwright-windows-${process.pid}`;
  const size = ['-x', '80', '-y', String(ROWS)];
  const around = ['tmux', '-u', '-L', socket, '-f', '/dev/null', 'new-session', ...size];
  onTestFinished(() => void spawnSync('tmux', ['-L', socket, 'kill-server']));
  // A row more, which is tmux's own.
  const pty = await openDesk(80, around, ROWS + 1);
  const titles = /^ (?:Transcript|Tasks|Sessions|Rewind|Keys|Context|Settings|Model|Output style) /;
  const isOpen = (screen: ScreenReader) => titles.test(`${screen.rows()[0]} `);
  await throughWindows(pty, isOpen, async (name) => {
    const golden = new URL(`../fixtures/screens/window-${name}-80.ansi`, import.meta.url);
    const wanted = rowsOf(readFileSync(golden, 'utf8'));
    expect(rowsOf(shownOf(name, pty.screen)).slice(0, wanted.length), name).toEqual(wanted);
  });
});

/** Rows without their styles: tmux has other ways to say the same. */
function rowsOf(ansi: string): string[] {
  return ansi.replace(STYLE, '').trimEnd().split('\n');
}

const STYLE = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]*m`, 'g');
