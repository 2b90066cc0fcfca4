// What the terminal has beyond writing and reading, as a person meets it: under a pseudo-terminal, with the built program.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { mockEnv, temporaryFolder } from '../e2e/run-cli.js';
import { leaveTurnwright, openTurnwright, type Pty, type PtyOptions, untilIdle } from '../support/terminal/open-pty.js';

interface Setup extends Partial<PtyOptions> {
  readonly argv?: readonly string[];
  readonly settings?: unknown;
  readonly home?: string;
}

async function open(steps: readonly MockStep[], { argv = [], settings, ...more }: Setup = {}) {
  const model = await startMockProvider({ steps });
  onTestFinished(() => model.close());
  const [home, cwd] = [more.home ?? temporaryFolder(), more.cwd ?? temporaryFolder()];
  if (settings !== undefined) writeFileSync(join(home, 'settings.json'), JSON.stringify(settings));
  const env = { ...mockEnv(model.url), HOME: home, TURNWRIGHT_HOME: home, NO_COLOR: '1', ...more.env };
  const pty = openTurnwright(argv, { ...more, cwd, env });
  await pty.until('>');
  return { pty, model, cwd, home };
}

async function leave(pty: Pty): Promise<void> {
  expect(await leaveTurnwright(pty)).toBe(0);
}

/** Waits until a window shows it, and not the conversation behind it. */
const inWindow = (pty: Pty, wanted: string) =>
  pty.until((screen) => screen.modes().isAlternate && screen.text().includes(wanted));

/** The line that the caret stands in. */
const draftOf = (pty: Pty) => pty.screen.rows()[pty.screen.cursor().row] ?? '';

describe('the draft', () => {
  it('survives a crash, and so do earlier prompts, which Up and Ctrl-R find', async () => {
    const first = await open([text('One.'), text('Two.')]);
    first.pty.type('fix the parser\r');
    await first.pty.until('One.');
    await untilIdle(first.pty);
    first.pty.type('then the printer\r');
    await first.pty.until('Two.');
    await untilIdle(first.pty);
    first.pty.type('half a prompt');
    await first.pty.until('> half a prompt');
    const drafts = join(first.home, 'drafts');
    const kept = () =>
      readdirSync(drafts)
        .map((name) => readFileSync(join(drafts, name), 'utf8'))
        .join();
    await expect.poll(() => existsSync(drafts) && kept().includes('half a prompt')).toBe(true);
    first.pty.signal('SIGKILL');
    await first.pty.ended;
    const { pty } = await open([text('Three.')], { home: first.home, cwd: first.cwd });
    await pty.until('The draft of a terminal that ended unexpectedly.');
    expect(draftOf(pty)).toBe('> half a prompt');
    pty.press('ctrl+c');
    await pty.until(() => draftOf(pty).trim() === '>');
    pty.press('ctrl+r');
    await pty.until('1 of 3.');
    pty.type('pars');
    await pty.until('1 of 1.');
    pty.press('enter');
    await pty.until((screen) => !screen.text().includes('Earlier prompts'));
    expect(draftOf(pty)).toBe('> fix the parser');
    pty.press('ctrl+c');
    await pty.until(() => draftOf(pty).trim() === '>');
    // What was thrown away is an earlier prompt too.
    pty.press('up');
    await pty.until(() => draftOf(pty) === '> fix the parser');
    pty.press('up');
    await pty.until(() => draftOf(pty) === '> half a prompt');
    pty.press('up');
    await pty.until(() => draftOf(pty) === '> then the printer');
    pty.press('down', 'down', 'down');
    await pty.until(() => draftOf(pty).trim() === '>');
  });

  it('completes commands and files, takes a dropped image, and goes through the editor of the person', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src', 'composer.ts'), 'the text of the file');
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    writeFileSync(join(cwd, 'my shot.png'), Buffer.from(png, 'base64'));
    const editor = join(cwd, 'editor');
    writeFileSync(editor, '#!/bin/sh\ngrep -q fail "$1" && exit 1\nprintf "from the editor" > "$1"\n');
    chmodSync(editor, 0o755);
    const { pty, model } = await open([text('Read.'), text('A dot.')], { cwd, env: { VISUAL: editor } });
    pty.type('/transc');
    await pty.until('Shows the whole conversation');
    pty.press('escape');
    await pty.until((screen) => !screen.text().includes('Shows the whole conversation'));
    pty.press('ctrl+u');
    pty.type('see @compo');
    await pty.until('src/composer.ts');
    pty.press('tab');
    await pty.until(() => draftOf(pty).startsWith('> see @src/composer.ts'));
    pty.press('enter');
    await pty.until('Read.');
    await untilIdle(pty);
    expect(JSON.stringify(model.requests[0]?.body)).toContain('the text of the file');

    pty.paste(`'${join(cwd, 'my shot.png')}'`);
    await pty.until('[image #1]');
    pty.type('what is it?\r');
    await pty.until('A dot.');
    await untilIdle(pty);
    expect(JSON.stringify(model.requests[1]?.body)).toContain(png.slice(0, 60));

    pty.type('a draft');
    await pty.until('> a draft');
    pty.press('ctrl+g');
    await pty.until(() => draftOf(pty) === '> from the editor');
    pty.press('ctrl+u');
    pty.type('fail please');
    await pty.until('> fail please');
    pty.press('ctrl+g');
    await pty.until('The text is as it was');
    expect(draftOf(pty)).toBe('> fail please');
  });

  it('is edited by vim, if the settings say so, and what is marked is seen', async () => {
    const { pty } = await open([], { settings: { editorMode: 'vim' } });
    // The settings are read behind the first line that is drawn.
    await pty.until('INSERT');
    pty.type('one two three');
    await pty.until('one two three');
    pty.press('escape');
    await pty.until('NORMAL');
    pty.type('0dw');
    await pty.until(() => draftOf(pty) === '> two three');
    pty.type('u');
    await pty.until(() => draftOf(pty) === '> one two three');
    pty.type('wve');
    const marked = () =>
      pty.screen
        .cells(pty.screen.cursor().row)
        .filter(({ inverse }) => inverse)
        .map(({ text: cell }) => cell)
        .join('');
    await pty.until(() => marked() === 'two');
    pty.type('csix');
    await pty.until(() => draftOf(pty) === '> one six three' && marked() === '');
  });
});

describe('keys', () => {
  it('are listed by ?, and are others if keybindings.json says so; settings are changed in their window, and act at once', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'keybindings.json'), '{"transcript":"alt+t","tasks":"ctrl+c","trancript":"f2"}');
    const { pty } = await open([], { home });
    const all = () => pty.screen.history().join(' ').replace(/ +/g, ' ');
    await pty.until(() => all().includes('Did you mean "transcript"?'));
    expect(all()).toContain('Ctrl-C cannot be "tasks": it is "clear" already.');
    pty.press('?');
    await pty.until('Alt-T');
    expect(pty.screen.modes().isAlternate).toBe(true);
    expect(pty.screen.text()).not.toContain('Ctrl-O ');
    pty.press('q');
    await pty.until((screen) => !screen.modes().isAlternate);
    // What it is a letter of is no key.
    pty.type('why?');
    await pty.until('> why?');
    pty.press('ctrl+c', 'alt+t');
    await pty.until('Nothing was said yet.');
    pty.press('q');
    await pty.until((screen) => !screen.modes().isAlternate);

    pty.type('/config\r');
    await pty.until('Enter changes yours');
    pty.type('/editorMode');
    await pty.until(/\/ editorMode/);
    // Each counts, also one that is pressed while the file is written.
    pty.press('enter', 'enter', 'enter');
    await pty.until('editorMode = vim stands in your settings.');
    expect(JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8'))).toEqual({ editorMode: 'vim' });
    pty.press('q');
    await pty.until((screen) => !screen.modes().isAlternate && screen.text().includes('INSERT'));
  });
});

describe('windows', () => {
  it('modes, transcript, model, rewind and tasks, as they come in a day', async () => {
    const command = 'echo started; echo $$ > pid; sleep 300';
    const { pty, model, cwd } = await open(
      [
        text('Alpha and omega.'),
        text('Two.'),
        reply(toolCall('Write', { file_path: 'made.txt', content: 'by the agent\n' }, 'call_1')),
        text('Written.'),
        reply(toolCall('Bash', { command, run_in_background: true, description: 'Waits' }, 'call_2')),
        text('It runs.'),
        text('It was stopped.'),
      ],
      { argv: ['--allowedTools', 'Bash', '--allow-dangerously-skip-permissions'] },
    );
    const closed = () => pty.until((screen) => !screen.modes().isAlternate);

    // The transcript has all that was said, and is searched.
    pty.type('the first prompt\r');
    await pty.until('Alpha and omega.');
    await untilIdle(pty);
    const before = pty.screen.history();
    pty.press('ctrl+o');
    await inWindow(pty, '> the first prompt');
    pty.type('/');
    pty.type('omega');
    pty.press('enter');
    await pty.until('found: omega');
    pty.press('escape');
    await pty.until((screen) => !screen.text().includes('found: omega'));
    pty.press('q');
    await closed();
    expect(pty.screen.history().slice(0, 8)).toEqual(before.slice(0, 8));

    // A model that is chosen answers the next request.
    pty.type('/model\r');
    await pty.until('Enter chooses');
    pty.type('/haiku');
    await pty.until(/\/ haiku/);
    pty.press('enter', 'enter');
    await pty.until('From the next request on');
    pty.press('q');
    await closed();
    pty.type('again\r');
    await pty.until('Two.');
    await untilIdle(pty);
    const models = model.requests.map(({ body }) => (body as { model: string }).model);
    expect(models[1]).toContain('haiku');
    expect(models[0]).not.toBe(models[1]);

    // Shift-Tab goes through the modes, never to one that asks nobody; it counts from the next call on.
    for (const mode of ['acceptEdits', 'plan', 'default', 'acceptEdits']) {
      pty.press('shift+tab');
      await pty.until(`Mode ${mode}`);
    }
    pty.type('make the file\r');
    await pty.until('Written.');
    await untilIdle(pty);
    expect(readFileSync(join(cwd, 'made.txt'), 'utf8')).toBe('by the agent\n');

    // Rewind shows what would change, and changes nothing before a second yes.
    pty.press('escape', 'escape');
    await inWindow(pty, '> make the file');
    pty.press('enter');
    await pty.until('1 file would change');
    expect(pty.screen.text()).toContain('made.txt');
    pty.press('b');
    await pty.until('y does it');
    pty.press('n');
    await pty.until('b both  c conversation  f files');
    expect(existsSync(join(cwd, 'made.txt'))).toBe(true);
    pty.press('b');
    await pty.until('y does it');
    pty.press('y');
    await pty.until('Set back');
    expect(existsSync(join(cwd, 'made.txt'))).toBe(false);
    pty.press('q');
    await closed();
    // The prompt can be put in other words.
    await pty.until(() => draftOf(pty) === '> make the file');
    pty.press('ctrl+c');

    // T45: a task is stopped from its window, and nothing of it is alive.
    pty.type('run it\r');
    await pty.until('It runs.');
    const written = () => existsSync(join(cwd, 'pid')) && readFileSync(join(cwd, 'pid'), 'utf8');
    await expect.poll(written).toMatch(/^\d+\n$/);
    const pid = Number(written());
    pty.press('ctrl+t');
    await inWindow(pty, '> background');
    pty.press('enter');
    await inWindow(pty, 'started');
    pty.press('x');
    await pty.until('x once more stops');
    pty.press('x');
    await pty.until('Stopped:');
    // What was killed may take a moment to be gone.
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    pty.press('q', 'q');
    await closed();
    await pty.until('It was stopped.');
  });

  it('an earlier session is named, gone on with, and deleted only by a second key', async () => {
    const first = await open([text('Said before.')]);
    first.pty.type('the earlier prompt\r');
    await first.pty.until('Said before.');
    await untilIdle(first.pty);
    await leave(first.pty);
    const hook = { hooks: [{ type: 'command', command: 'cat > ended.json' }] };
    const settings = { hooks: { SessionEnd: [hook] } };
    const { pty, model } = await open([text('Aside.'), text('Going on.')], {
      home: first.home,
      cwd: first.cwd,
      settings,
    });
    pty.type('aside\r');
    await pty.until('Aside.');
    await untilIdle(pty);
    pty.type('/resume\r');
    await inWindow(pty, 'the earlier prompt');
    pty.press('down');
    await inWindow(pty, '> the earlier prompt');
    pty.press('d');
    await pty.until('d once more deletes');
    pty.press('n', 'r', 'ctrl+u');
    pty.type('My name');
    pty.press('enter');
    await pty.until('> My name');
    pty.press('enter');
    await pty.until((screen) => !screen.modes().isAlternate && screen.text().includes('Said before.'));
    // What was said before is copied and drawn again as what is said now.
    pty.type('/copy\r');
    await pty.until('Copied 12 characters');
    pty.press('ctrl+l');
    await pty.until(/The last turns again\s+> the earlier prompt\s+Said before\./);
    pty.type('and now?\r');
    await pty.until('Going on.');
    expect(JSON.stringify(model.requests[1]?.body)).toContain('the earlier prompt');
    expect(JSON.parse(readFileSync(join(first.cwd, 'ended.json'), 'utf8'))).toMatchObject({ reason: 'resume' });
    await leave(pty);
  });
});

describe('statusLine', () => {
  it('stands below the draft with its colours alone; what goes wrong is told once, and the usual line stands there', async () => {
    const command = `[ -e slow ] && sleep 30; [ -e broken ] && exit 3; cat > seen.json; printf '\\033[31mred\\033[0m \\033[2Jline\\n'`;
    const { pty, cwd } = await open([], { settings: { statusLine: { type: 'command', command, padding: 1 } } });
    // Its command has a second, which a machine that stands still does not give it: it runs again after the next change.
    const shown = async (wanted: string) => {
      const timer = setInterval(() => pty.press('shift+tab'), 5_000);
      await pty.until(wanted).finally(() => clearInterval(timer));
    };
    await shown(' red \\x1b[2Jline');
    const row = pty.screen.rows().findIndex((line) => line.includes('red'));
    expect(pty.screen.cells(row).find(({ text: cell }) => cell === 'r')?.foreground).toBe(1);
    const input = JSON.parse(readFileSync(join(cwd, 'seen.json'), 'utf8'));
    expect(input).toMatchObject({
      hook_event_name: 'Status',
      cwd,
      workspace: { current_dir: cwd, project_dir: cwd },
      cost: { total_cost_usd: 0 },
      context_window: { used_percentage: expect.any(Number) },
    });
    writeFileSync(join(cwd, 'broken'), '');
    pty.press('shift+tab');
    await shown('it ended with code 3');
    await pty.until(/claude-sonnet/);
    writeFileSync(join(cwd, 'slow'), '');
    pty.press('shift+tab');
    await pty.until('it took more than 1 second');
    expect(pty.screen.text().split('it ended with code 3')).toHaveLength(2);
  });
});
