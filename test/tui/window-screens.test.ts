// How the windows of the terminal look, at three widths: one conversation, and each window opened over it. After a change that
// is meant: npm test -- test/tui/window-screens.test.ts -u
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { reply, text, toolCall } from '../../src/testing/model/script-steps.js';
import { buildEntry, mockEnv, temporaryFolder } from '../e2e/run-cli.js';
import { ansiOf } from '../support/terminal/ansi-of.js';
import { openTurnwright } from '../support/terminal/open-pty.js';
import type { ScreenReader } from '../support/terminal/screen-reader.js';

beforeAll(buildEntry, 120_000);

/** How each is opened, what says that all of it is there, and whether it is the same from run to run and month to month. */
const WINDOWS: readonly (readonly [name: string, open: string, ready: string | RegExp, isGolden: boolean])[] = [
  ['transcript', '\x0f', 'Mended.', true],
  ['keys', '?', 'sends the prompt', true],
  ['tasks', '\x14', 'Nothing works', true],
  ['rewind', '/rewind\r', /Mend it\..*file/, true],
  ['sessions', '/resume\r', 'Mend it.', true],
  ['output-style', '/output-style\r', 'Explanatory', true],
  ['context', '/context\r', /tokens \(/, false],
  ['settings', '/config\r', 'permissions.defaultMode', false],
];

/** What differs from run to run: moments, sizes. */
function still(screen: ScreenReader): string {
  return ansiOf(screen)
    .replace(/\d{4}-\d\d-\d\d \d[\d:]*/g, (moment) => '2026-01-31 18:05'.slice(0, moment.length))
    .replace(/[\d.]+ KB/g, '4.8 KB');
}

describe.each([
  { columns: 40, rows: 24 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 30 },
])('windows at $columns columns', (size) => {
  it('look as they should, and leave the conversation as it was', async () => {
    const model = await startMockProvider({
      steps: [
        reply(text('I look.'), toolCall('Read', { file_path: 'a.ts' })),
        reply(toolCall('Bash', { command: 'printf two > a.ts' })),
        text('Mended.'),
      ],
    });
    onTestFinished(() => model.close());
    const home = temporaryFolder();
    const cwd = join(home, 'shop');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'a.ts'), 'one\n');
    const env = { ...mockEnv(model.url), HOME: home, TURNWRIGHT_HOME: join(home, '.turnwright'), COLORFGBG: '15;0' };
    const argv = [
      '--model',
      'claude-sonnet-5-5',
      '--permission-mode',
      'acceptEdits',
      '--allowedTools',
      'Bash(printf *)',
    ];
    const pty = openTurnwright(argv, { cwd, env, size });
    await pty.until('? shows the keys');
    pty.type('Mend it.');
    await pty.until('Mend it.');
    pty.press('enter');
    await pty.until(/turns ·/);
    const conversation = () => pty.screen.history().filter((line) => !line.includes('claude-sonnet'));
    const before = conversation();
    for (const [name, open, ready, isGolden] of WINDOWS) {
      if (open.endsWith('\r')) {
        pty.type(open.slice(0, -1));
        await pty.until(open.slice(0, -1));
        pty.press('enter');
      } else pty.type(open);
      await pty.until((screen) => screen.modes().isAlternate && matches(screen.text(), ready));
      if (isGolden)
        await expect(still(pty.screen)).toMatchFileSnapshot(`../fixtures/screens/${name}-${size.columns}.ansi`);
      else expect(pty.screen.rows().at(-1)).toMatch(/^ \S/);
      pty.press('q');
      await pty.until((screen) => !screen.modes().isAlternate);
    }
    expect(conversation()).toEqual(before);
  });
});

/** Wherever lines are broken. */
function matches(shown: string, wanted: string | RegExp): boolean {
  const text = shown.replace(/\s+/g, ' ');
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}
