// T59: a whole session for somebody who has it read aloud. Nothing is drawn twice, nothing moves, and what a colour says is said
// in words.
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { mockEnv, temporaryFolder } from '../e2e/run-cli.js';
import { openTurnwright } from '../support/terminal/open-pty.js';

const ESC = String.fromCharCode(0x1b);
/** Colours and weights: they move nothing. */
const STYLE = new RegExp(`${ESC}\\[[0-9;]*m`, 'g');

describe('T59: --screen-reader', () => {
  it('moves no cursor in a session with calls, questions, an error and an interrupt, and says what is waited for', async () => {
    const model = await startMockProvider({
      steps: [
        reply(text('I **look**.\n\n- one\n- two'), toolCall('Bash', { command: 'sleep 1.2; echo out' })),
        reply(
          toolCall('Bash', { command: 'rm x' }),
          toolCall('AskUserQuestion', {
            questions: [
              {
                question: 'Which?',
                header: 'W',
                options: [
                  { label: 'a', description: 'A' },
                  { label: 'b', description: 'B' },
                ],
                multiSelect: false,
              },
            ],
          }),
        ),
        text('It is b.'),
        { status: 400 },
        reply(toolCall('Bash', { command: 'sleep 60' })),
      ],
    });
    onTestFinished(() => model.close());
    const home = temporaryFolder();
    const env = { ...mockEnv(model.url), HOME: home, TURNWRIGHT_HOME: home };
    const pty = openTurnwright(['--screen-reader', '--allowedTools', 'Bash(sleep *),Bash(echo *)'], { cwd: home, env });
    await pty.answer('/help lists commands', 'look\n');
    await pty.answer('Turnwright waits for you.', 'n\n');
    await pty.answer('empty: no answer', '2\n');
    await pty.until('It is b.');
    await pty.answer(/Done\.\n>/, 'fail\n');
    await pty.answer(/error: [\s\S]*Done\.\n>/, 'wait\n');
    await pty.until('sleep 60');
    pty.press('ctrl+c');
    await pty.answer(/interrupted[\s\S]*Done\.\n>/, '/exit\n');
    expect(await pty.ended).toBe(0);
    const bytes = pty.bytes();
    expect(bytes).toContain('  ⎿ out');
    expect(bytes.split('Turnwright waits for you.')).toHaveLength(3);
    const plain = bytes.replace(STYLE, '').replaceAll('\r\n', '\n');
    expect([...plain].filter((character) => character < ' ' && character !== '\n' && character !== '\t')).toEqual([]);
  });
});
