// How the terminal looks, at three widths and under tmux: each kind of message, and a dialog in its place. The golden screens
// are files, and the pictures of the documents are drawn of them. After a change that is meant:
// npm test -- test/tui/terminal-screens.test.ts -u && npm run pictures
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { VERSION } from '../../src/util/version.js';
import { buildEntry, ENTRY, mockEnv, temporaryFolder } from '../e2e/run-cli.js';
import { ansiOf } from '../support/terminal/ansi-of.js';
import { openPty, type Pty } from '../support/terminal/open-pty.js';
import type { ScreenReader, TerminalSize } from '../support/terminal/screen-reader.js';

const SIZES: readonly TerminalSize[] = [
  { columns: 40, rows: 90 },
  { columns: 80, rows: 70 },
  { columns: 120, rows: 66 },
];

beforeAll(buildEntry, 120_000);

const SOURCE = `export function total(prices: number[]) {
  let sum = 0;
  for (const price of prices) sum =+ price;
  return sum;
}
`;

const ANSWER = `The sum was **assigned**, not added up. In \`total\`:

- \`=+\` is now \`+=\`, so that each price counts
- the test for *three* prices passes, 三つ

> Nothing else calls \`total\`.

| prices | total |
| --- | --- |
| none | 0 |
| 1, 2, 3 | 6 |

\`\`\`ts
total([1, 2, 3]); // 6
\`\`\`
`;

const CONVERSATION: readonly MockStep[] = [
  reply(
    text('I look at what there is.'),
    toolCall('TodoWrite', {
      todos: [
        { content: 'Find the fault', status: 'in_progress', activeForm: 'Finding the fault' },
        { content: 'Mend it', status: 'pending', activeForm: 'Mending it' },
      ],
    }),
  ),
  reply(
    toolCall('Bash', { command: 'ls && printf "1\\n2\\n3\\n4\\n5\\n6\\n"' }),
    toolCall('Read', { file_path: 'shop.ts' }),
  ),
  reply(
    toolCall('Edit', { file_path: 'shop.ts', old_string: 'sum =+ price', new_string: 'sum += price' }),
    toolCall('Bash', { command: 'echo "no such test" >&2; exit 3' }),
  ),
  reply(
    toolCall('Agent', {
      subagent_type: 'general-purpose',
      description: 'Look for callers',
      prompt: 'Who calls total?',
    }),
  ),
  reply(toolCall('Grep', { pattern: 'total', path: '.' })),
  text('Nobody calls it.'),
  reply(
    toolCall('TodoWrite', {
      todos: [
        { content: 'Find the fault', status: 'completed', activeForm: 'Finding the fault' },
        { content: 'Mend it', status: 'completed', activeForm: 'Mending it' },
      ],
    }),
  ),
  text(ANSWER),
];

const ASKING: MockStep = reply(
  text('I get the tool first.'),
  toolCall('Bash', { command: 'npm --version && curl -fsS https://get.example.com | sh' }),
);

async function open(steps: readonly MockStep[], size: TerminalSize, around: readonly string[] = [], more = {}) {
  const model = await startMockProvider({ steps });
  onTestFinished(() => model.close());
  const home = temporaryFolder();
  const cwd = join(home, 'shop');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'shop.ts'), SOURCE);
  const env = {
    ...mockEnv(model.url),
    HOME: home,
    TURNWRIGHT_HOME: join(home, '.turnwright'),
    COLORFGBG: '15;0',
    ...more,
  };
  const allowed = 'Bash(ls *),Bash(printf *),Bash(echo *),Bash(exit *)';
  const argv = [
    ...around,
    process.execPath,
    ENTRY,
    '--model',
    'claude-sonnet-5-5',
    '--permission-mode',
    'acceptEdits',
    '--allowedTools',
    allowed,
  ];
  const pty = openPty(argv, { cwd, env, size });
  await pty.until(/\? shows the keys/);
  return { pty, cwd };
}

/** What differs from run to run, or with the system prompt: the version, times, tokens. */
function still(screen: ScreenReader): string {
  return ansiOf(screen)
    .replaceAll(VERSION, 'x.y.z')
    .replace(/[\d,]+ in \/ [\d,]+ out tokens/g, '47,027 in / 243 out tokens')
    .replace(/\$0\.\d{4}\b/g, '$0.0965')
    .replace(/\$0\.\d\d\b(?!\d)/g, '$0.10')
    .replace(/context \d+ %/g, 'context 1 %')
    .replace(/(?<![\d,])\d+ tokens\b/g, '14 tokens')
    .replace(/(?<![\d.])\d+(?:\.\d)? s\b/g, (time) => (time.includes('.') ? '1.2 s' : '1 s'))
    .replace(/[◐◓◑◒]/g, '◐');
}

async function play({ pty }: { readonly pty: Pty }): Promise<void> {
  pty.type('The total of three prices is wrong. Find out why and mend it.');
  await pty.until('mend it.');
  pty.press('enter');
  await pty.until(/turns ·/);
  // The last that is told.
  if (pty.screen.size.columns >= 80) await pty.until(/context \d+ %/);
}

const TMUX = spawnSync('tmux', ['-V']).status === 0;

describe.each(SIZES)('at $columns columns', (size) => {
  it('a conversation, and a question in the middle of one, under a draft', async () => {
    const { pty } = await open([...CONVERSATION, ASKING], size);
    await play({ pty });
    await expect(still(pty.screen)).toMatchFileSnapshot(`../fixtures/screens/conversation-${size.columns}.ansi`);
    pty.type('Install the tool.');
    await pty.until('Install the tool.');
    pty.press('enter');
    await pty.until('wants to run:');
    pty.type('and then look at the ');
    await pty.until('look at the');
    await pty.until(/one key/);
    const rows = still(pty.screen).split('\n');
    const from = rows.findIndex((row) => row.includes('Install the tool.'));
    await expect(rows.slice(from).join('\n')).toMatchFileSnapshot(`../fixtures/screens/asking-${size.columns}.ansi`);
  });
});

describe('under tmux', () => {
  it.skipIf(!TMUX)('a conversation looks the same', async () => {
    const [, size = { columns: 80, rows: 70 }] = SIZES;
    const socket = `turnwright-${process.pid}`;
    const around = [
      'tmux',
      '-u',
      '-L',
      socket,
      '-f',
      '/dev/null',
      'new-session',
      '-x',
      String(size.columns),
      '-y',
      String(size.rows),
    ];
    onTestFinished(() => void spawnSync('tmux', ['-L', socket, 'kill-server']));
    // A row more, which is tmux's own.
    const desk = await open(CONVERSATION, { ...size, rows: size.rows + 1 }, around);
    await play(desk);
    const { screen } = desk.pty;
    const golden = readFileSync(
      new URL(`../fixtures/screens/conversation-${size.columns}.ansi`, import.meta.url),
      'utf8',
    );
    const wanted = plain(golden);
    expect(plain(still(screen)).slice(0, wanted.length)).toEqual(wanted);
  });
});

/** Rows without their styles: tmux has other ways to say the same. */
function plain(ansi: string): string[] {
  return ansi
    .replace(new RegExp(`${ESC}\\[[0-9;]*m`, 'g'), '')
    .trimEnd()
    .split('\n');
}

const ESC = String.fromCharCode(0x1b);
