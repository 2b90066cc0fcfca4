// The dialogs under a pseudo-terminal, through the whole program: what is asked, what comes of the answer.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../../src/testing/model/script.js';
import { mockEnv, runCli, temporaryFolder } from '../../e2e/run-cli.js';
import { leaveTurnwright, openTurnwright, untilIdle } from '../../support/terminal/open-pty.js';

/** Keys are taken. */
const READY = /one key, or /;

async function desk(steps: readonly MockStep[], cwd = temporaryFolder()) {
  const model = await startMockProvider({ steps });
  onTestFinished(() => model.close());
  const home = temporaryFolder();
  const env = { ...mockEnv(model.url), HOME: home, TURNWRIGHT_HOME: home, NO_COLOR: '1' };
  return { model, cwd, home, env, open: (argv: readonly string[] = []) => openTurnwright(argv, { cwd, env }) };
}

describe('permission', () => {
  it('runs what was allowed, keeps "always", asks for a subagent by its name, and loses nothing that was typed', async () => {
    const { open, cwd } = await desk([
      reply(text('I make a.'), toolCall('Bash', { command: 'mkdir a && touch a/x' })),
      reply(toolCall('Bash', { command: 'mkdir b' })),
      reply(toolCall('Agent', { subagent_type: 'general-purpose', description: 'Look over it', prompt: 'look' })),
      reply(toolCall('Bash', { command: 'rm -rf a' })),
      text('The agent is done.'),
      text('All done.'),
      reply(toolCall('Bash', { command: 'rm -rf a/x' })),
      reply(toolCall('Bash', { command: 'rm -rf a/y' })),
    ]);
    const pty = open();
    await pty.until('>');
    pty.type('go\r');
    await pty.until('? Bash wants to run:');
    pty.type('yes I think so');
    await pty.until('yes I think so');
    await pty.until(READY);
    expect(existsSync(join(cwd, 'a'))).toBe(false);
    pty.press('a');
    await pty.until('? Bash of the agent general-purpose (Look over it) wants to run:');
    expect(existsSync(join(cwd, 'a/x'))).toBe(true);
    expect(existsSync(join(cwd, 'b'))).toBe(true);
    expect(pty.screen.text()).toContain('yes I think so');
    await pty.until(READY);
    pty.press('n');
    await pty.until('All done.');
    expect(existsSync(join(cwd, 'a/x'))).toBe(true);
    expect(pty.screen.text()).toContain('yes I think so');
    await pty.until(/turns ·/);
    pty.press('ctrl+c');
    // Ctrl-C, and Esc before keys are taken, take the question away, and nothing ran.
    for (const [prompt, key] of [
      ['one', 'ctrl+c'],
      ['two', 'escape'],
    ] as const) {
      pty.type(`${prompt}\r`);
      await pty.until('? Bash wants to run:');
      pty.press(key);
      await pty.until((screen) => !screen.text().includes('wants to run'));
      await untilIdle(pty);
    }
    expect(existsSync(join(cwd, 'a/x'))).toBe(true);
    expect(await leaveTurnwright(pty)).toBe(0);
  });
});

describe('a question, and a plan', () => {
  it('are answered in their dialogs', async () => {
    const question = {
      question: 'Which package manager?',
      header: 'Manager',
      options: [
        { label: 'npm', description: 'the usual one', preview: 'npm ci' },
        { label: 'pnpm', description: 'the fast one' },
      ],
      multiSelect: false,
    };
    const { open, model } = await desk([
      reply(toolCall('AskUserQuestion', { questions: [question] })),
      reply(toolCall('ExitPlanMode', { plan: '# Plan\n1. Use pnpm.' })),
      text('I begin.'),
    ]);
    const pty = open(['--permission-mode', 'plan']);
    await pty.until('>');
    pty.type('plan it\r');
    await pty.until('Which package manager?');
    await pty.until(READY);
    pty.press('down');
    await pty.until('npm ci');
    pty.press('2');
    await pty.until('? The plan:');
    expect(pty.screen.text()).toContain('1. Use pnpm.');
    await pty.until(READY);
    pty.press('y');
    await pty.until('I begin.');
    expect(JSON.stringify(model.requests[1]?.body)).toContain('pnpm');
  });
});

describe('T35: a folder that brings settings', () => {
  it('starts nothing and sends nothing before somebody says yes', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.turnwright'));
    const hook = { matcher: '', hooks: [{ type: 'command', command: `touch ${join(cwd, 'ran')}` }] };
    writeFileSync(join(cwd, '.turnwright/settings.json'), JSON.stringify({ hooks: { SessionStart: [hook] } }));
    const { open, model } = await desk([text('Hello.'), text('Hello.')], cwd);
    const untrusting = open();
    await untrusting.until('that nobody has vouched for');
    await untrusting.until(READY);
    expect([existsSync(join(cwd, 'ran')), model.requests.length]).toEqual([false, 0]);
    untrusting.press('n');
    await untrusting.until('Not trusted');
    untrusting.type('hi\r');
    await untrusting.until('Hello.');
    await leaveTurnwright(untrusting);
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
    const trusting = open();
    await trusting.until(READY);
    trusting.press('y');
    await trusting.until((screen) => !READY.test(screen.text()));
    trusting.type('hi\r');
    await trusting.until('Hello.');
    expect(existsSync(join(cwd, 'ran'))).toBe(true);
  });
});

describe('T26: a call that waits since the session was left', () => {
  it('is asked about on resume, and runs once if it is allowed', async () => {
    const { open, env, cwd } = await desk([reply(toolCall('Bash', { command: 'echo x >> out' })), text('It ran.')]);
    const left = await runCli(['-p', 'go', '--defer-permissions', '--output-format', 'json'], { env, cwd });
    const { session_id: id, terminal_reason: reason } = JSON.parse(left.stdout);
    expect(reason).toBe('tool_deferred');
    const pty = open(['--resume', id]);
    await pty.until('it waits since the session was left');
    expect(existsSync(join(cwd, 'out'))).toBe(false);
    await pty.until(READY);
    pty.press('y');
    await pty.until('It ran.');
    expect(existsSync(join(cwd, 'out'))).toBe(true);
  });
});
