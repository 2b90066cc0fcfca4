// The first hour of somebody who has just installed it, from the first command without a key to the first undo, with the
// package as it is published. What is printed is held whole, line by line: each of these lines was read, and has to be true.
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-wire.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { VERSION } from '../../src/util/version.js';
import { leaveTurnwright, openPty, type Pty } from '../support/terminal/open-pty.js';
import type { ScreenReader } from '../support/terminal/screen-reader.js';
import {
  buildEntry,
  type CliOptions,
  installPackage,
  mockEnv,
  runCli as runBuilt,
  startCli as startBuilt,
  temporaryFolder,
} from './run-cli.js';
import { openTerminal as openBuilt } from './terminal.js';

const KEY = 'sk-typed-0123456789';
const TITLE_LINE = `Turnwright ${VERSION}. /help lists commands, # keeps a note, /exit or Ctrl-D leaves, \\ at the end of a line goes on.`;
const NO_KEY =
  'turnwright: No model can answer, because there is no key. Set ANTHROPIC_API_KEY or the key of another provider, or run "turnwright login". To try it without a key: --model offline (in code, model: "offline").\n';

const installed = mkdtempSync(join(realpathSync(tmpdir()), 'turnwright-first-hour-'));
let entry = '';
beforeAll(() => {
  buildEntry();
  entry = installPackage(installed);
}, 120_000);
afterAll(() => rmSync(installed, { recursive: true, force: true, maxRetries: 5 }));

const startCli = (argv: readonly string[], options: CliOptions = {}) => startBuilt(argv, { ...options, entry });
const runCli = (argv: readonly string[], options: CliOptions = {}) => runBuilt(argv, { ...options, entry });
const openTerminal = (argv: readonly string[], options: Omit<Parameters<typeof openBuilt>[1], 'entry'>) =>
  openBuilt(argv, { ...options, entry });

describe('the package', () => {
  it('says which version it is, and carries the documents that its texts name', async () => {
    expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${VERSION} (Turnwright)\n`, stderr: '' });
    const root = join(installed, 'node_modules', 'turnwright');
    const scripts = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.(?:js|md)$/.test(file),
    );
    const texts = scripts.map((file) => readFileSync(join(root, 'dist', file), 'utf8')).join('\n');
    const named = new Set([...texts.matchAll(/\bdocs\/[a-z/-]+\.md\b/g)].map(([name]) => name));
    expect(named.size).toBeGreaterThan(5);
    expect([...named].filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });
});

const QUESTION = {
  question: 'Which package manager?',
  header: 'Manager',
  options: [
    { label: 'npm', description: 'the usual one' },
    { label: 'pnpm', description: 'the fast one' },
  ],
  multiSelect: false,
};

/** A home and a folder where nothing is yet, and a model on this machine for when there is a key. */
async function newcomer(steps: readonly MockStep[] = []) {
  const model = await startMockProvider({ steps });
  onTestFinished(() => model.close());
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const bare = { HOME: home, TURNWRIGHT_HOME: home };
  const { ANTHROPIC_API_KEY: _, ...reached } = mockEnv(model.url);
  return { model, home, cwd, bare, reached: { ...bare, ...reached }, keyed: { ...bare, ...mockEnv(model.url) } };
}

/** What changes from run to run: ids, tokens, money, times. */
function still(screen: string): string {
  return screen
    .replace(/\b[0-9a-f]{8}\b/g, 'ID')
    .replace(/(\d+ turns?) · .*/g, '$1 · …')
    .replace(/(ID +)just now +[\d.]+ KB/g, '$1just now SIZE');
}

describe('without a key', () => {
  it('one prompt ends with what to do, on one line, and nothing else is said or written', async () => {
    const { bare, cwd, home } = await newcomer();
    expect(await runCli(['-p', 'what is here?'], { env: bare, cwd })).toEqual({ code: 2, stdout: '', stderr: NO_KEY });
    expect(existsSync(join(home, 'projects'))).toBe(false);
    const status = await runCli(['auth', 'status'], { env: bare, cwd });
    expect(status).toEqual({ code: 0, stdout: NO_KEY.replace('turnwright: ', ''), stderr: '' });
  });

  it('a terminal says first that the offline model answers, and what it is', async () => {
    const { bare, cwd } = await newcomer();
    const terminal = openTerminal([], { env: bare, cwd });
    await terminal.answer('\n> ', 'list the files\n');
    await terminal.answer('\n> ', 'what is life?\n');
    await terminal.answer('\n> ', '/exit\n');
    expect(await terminal.ended).toBe(0);
    expect(still(terminal.screen())).toBe(`${TITLE_LINE}
! There is no key, so the offline model answers: a planner by fixed rules, not a language model.
  It understands prompts such as "list the Markdown files" or "show README.md", and says so of any other.
  For a language model: turnwright login, or set ANTHROPIC_API_KEY or the key of another provider.
> list the files
Looking for files.
● Glob  **/*
  ⎿ No files found.
Files: none found.
2 turns · …
> what is life?
I did not understand "what is life", so I did nothing. I am Turnwright's offline model: a planner by fixed rules, not a language model.

What I can do, for example:
- search for "createServer" in src
- list the Markdown files in docs
- find the largest TypeScript file in src, then write its path and line count to report.md
- count the Python files
- count the lines in README.md
- show README.md
- run \`npm test\` and write the output to test-output.txt
- write "Hello, world" to hello.txt
- replace "foo" with "bar" in src/a.ts

Parts are joined by "then" or "and". docs/offline-model.md of the package lists all forms.

For anything else a language model is needed: run \`turnwright login\`, or set ANTHROPIC_API_KEY or the key of another provider; --model chooses one.
error: The offline model did not understand the prompt, so nothing was done. Its answer says what it understands.
1 turn · …
> /exit
To go on with this session: turnwright --resume ID
`);
  });
});

describe('a key', () => {
  it('is typed unseen, kept, used, and told of by its place', async () => {
    const { reached, cwd, home, model } = await newcomer([text('Nothing is here.')]);
    const terminal = openTerminal(['login'], { env: reached, cwd });
    await terminal.answer('not shown: ', `${KEY}\n`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).not.toContain(KEY);
    expect(terminal.screen().replaceAll(home, 'HOME').split('\n')).toEqual([
      'API key for Anthropic (https://platform.claude.com/settings/keys); what you type is not shown: ',
      'The key for Anthropic is kept in HOME/credentials.json. To forget it: turnwright logout anthropic',
      '',
    ]);
    const status = await runCli(['auth', 'status'], { env: reached, cwd });
    expect(status.stdout).toMatch(
      /^anthropic {2}key kept by login\nWithout --model, anthropic\/claude-[\w-]+ answers\.\n$/,
    );
    const first = await runCli(['-p', 'what is here?'], { env: reached, cwd });
    expect(first).toMatchObject({ code: 0, stdout: 'Nothing is here.\n' });
    expect(first.stderr).toMatch(/^1 turn · [^\n]*\n$/);
    expect(model.requests[0]?.headers['x-api-key']).toBe(KEY);
  });

  it('that is wrong is said so once, with where to look, and nothing is tried again', async () => {
    const { keyed, cwd, model } = await newcomer([{ status: 401 }]);
    const { code, stdout, stderr } = await runCli(['-p', 'hi'], { env: keyed, cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^error: The API key was refused \(401 .*\): .* Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or the key that "turnwright login" keeps\.\n$/,
    );
    expect(model.requests).toHaveLength(1);
  });
});

describe('a first session at the terminal', () => {
  it('answers, asks, takes a refusal with a reason, says how to come back, and shows its end when it is chosen', async () => {
    const { keyed, cwd, model } = await newcomer([
      text('The folder is empty.'),
      reply(text('I ask first.'), toolCall('AskUserQuestion', { questions: [QUESTION] })),
      text('It is pnpm.'),
      reply(text('I test.'), toolCall('Bash', { command: 'npm test' })),
      text('Then with pnpm.'),
      text('Going on.'),
    ]);
    const terminal = openTerminal([], { env: keyed, cwd });
    await terminal.answer('\n> ', 'what is here?\n');
    await terminal.answer('\n> ', '/hlep\n');
    await terminal.answer('\n> ', 'choose one\n');
    await terminal.answer('no answer] > ', '2\n');
    await terminal.answer('\n> ', 'test it\n');
    await terminal.answer('in all projects > ', 'e\n');
    await terminal.answer('reads it) > ', 'we use pnpm here\n');
    await terminal.answer('\n> ', '# Use pnpm.\n');
    await terminal.answer('\n> ', '/exit\n');
    expect(await terminal.ended).toBe(0);
    expect(readFileSync(join(cwd, 'AGENTS.md'), 'utf8')).toBe('- Use pnpm.\n');
    const screen = still(terminal.screen());
    expect(screen.split('\n').filter((line) => !/^ {2}(?:what it does|why asked): |^ {4}\d\) /.test(line))).toEqual([
      TITLE_LINE,
      '> what is here?',
      'The folder is empty.',
      '1 turn · …',
      '> /hlep',
      'error: There is no command /hlep, so nothing was sent to the model. Did you mean /help? If it was meant for the model, begin with another character.',
      '> choose one',
      'I ask first.',
      '● AskUserQuestion  Which package manager?',
      '? Which package manager?',
      '  [a number, or your own words; empty: no answer] > 2',
      '  ⎿ The user answered: "Which package manager?": pnpm',
      'It is pnpm.',
      '2 turns · …',
      '> test it',
      'I test.',
      '● Bash  npm test',
      '? Bash wants to run:',
      '    npm test',
      '  [y] yes, once  [n] no  [e] no, and say why',
      expect.stringMatching(
        /^ {2}or allow always Bash\(npm test\b.*\): \[a\] in this session {2}\[p\] in this project {2}\[u\] in all projects > e$/,
      ),
      '  No, because (the model reads it) > we use pnpm here',
      '  ⎿ The user refused this call, and says: we use pnpm here',
      'Then with pnpm.',
      '2 turns · …',
      '> # Use pnpm.',
      'Noted in AGENTS.md. It counts from the next prompt on.',
      '> /exit',
      'To go on with this session: turnwright --resume ID',
      '',
    ]);
    expect(JSON.stringify(model.requests[4]?.body)).toContain('The user refused this call, and says: we use pnpm here');

    const chosen = openTerminal(['-r'], { env: keyed, cwd });
    await chosen.answer('q for none: ', '1\n');
    await chosen.answer('Then with pnpm.\n\n> ', 'go on\n');
    await chosen.answer('\n> ', '\x04');
    expect(await chosen.ended).toBe(0);
    expect(still(chosen.screen())).toBe(`    ID        CHANGED     SIZE  TITLE
 1  ID  just now SIZE  what is here?
Which one? 1 to 1, Enter for the newest, q for none: 1
${TITLE_LINE}
Going on with "what is here?"

> what is here?

The folder is empty.

> choose one

I ask first.
● AskUserQuestion  Which package manager?
  ⎿ The user answered: "Which package manager?": pnpm

It is pnpm.

> test it

I test.
● Bash  npm test
  ⎿ The user refused this call, and says: we use pnpm here

Then with pnpm.

> go on
Going on.
1 turn · …
> 
To go on with this session: turnwright --resume ID
`);
  });
});

describe('the same hour in the whole window', () => {
  /** What stood on the screens, one after the other: a file, so that each line of it can be read. */
  const screens: string[] = [];
  const keep = (title: string, shown: string) => screens.push(`===== ${title}\n${stillScreen(shown)}\n`);
  const draft = (screen: ScreenReader) => (screen.rows()[screen.cursor().row] ?? '').trim();

  /** What changes from run to run, with the machine, and with the version. */
  function stillScreen(screen: string): string {
    return (
      still(screen)
        .replaceAll(VERSION, 'x.y.z')
        // Shown with its folder, which depends on where temporary folders are.
        .replace(/Other keys: \S*keybindings\.json/g, 'Other keys: keybindings.json')
        .replace(/\/\S*turnwright-e2e-\S*/g, 'FOLDER')
        .replace(/context \d+ %/g, 'context 1 %')
        .replace(/\b\d+ s\b/g, '1 s')
        .replace(/[◐◓◑◒]/g, '◐')
        .replace(/\$\d+\.\d+/g, '$0.01')
        .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TODAY')
        .replace(/^(.*turns? · …)\n(?:in |\/ ).*$/gm, '$1')
    );
  }

  it('no key, a wrong key, a key; a question, a refusal with a reason, an undo, a crash, and going on; help all the way', async () => {
    const { bare, keyed, cwd } = await newcomer([
      { status: 401 },
      text('The folder is empty.'),
      reply(text('I ask first.'), toolCall('AskUserQuestion', { questions: [QUESTION] })),
      text('It is pnpm.'),
      reply(text('I test.'), toolCall('Bash', { command: 'npm test' })),
      text('Then with pnpm.'),
      reply(text('I write it.'), toolCall('Write', { file_path: 'a.txt', content: 'one\ntwo\n' })),
      text('Written.'),
      toolCall('Bash', { command: 'echo begun; sleep 600' }),
      text('I look what became of it.'),
    ]);
    const open = async (argv: readonly string[], env: Readonly<Record<string, string>>) => {
      const size = { columns: 100, rows: 44 };
      const pty = openPty([process.execPath, entry, ...argv], { cwd, env: { ...env, NO_COLOR: '1' }, size });
      await pty.until((screen) => draft(screen) === '>');
      return pty;
    };
    const prompt = async (pty: Pty, words: string) => {
      pty.type(words);
      await pty.until((screen) => draft(screen) === `> ${words}`);
      pty.press('enter');
    };
    const idle = (pty: Pty, turns: number) =>
      pty.until(
        (screen) =>
          screen.history().filter((line) => /^\d+ turns? · /.test(line)).length === turns &&
          !screen.text().includes('Esc interrupts'),
      );
    const leave = async (pty: Pty, title: string) => {
      await pty.until((screen) => draft(screen) === '>');
      expect(await leaveTurnwright(pty)).toBe(0);
      keep(title, pty.screen.history().join('\n'));
    };

    const none = await open([], bare);
    await none.until('offline model answers');
    await prompt(none, 'list the files');
    await idle(none, 1);
    await leave(none, 'without a key');

    const wrong = await open([], keyed);
    await prompt(wrong, 'hi');
    await idle(wrong, 0);
    await wrong.until('The API key was refused');
    await leave(wrong, 'with a wrong key');

    const pty = await open([], keyed);
    pty.press('?');
    await pty.until((screen) => screen.modes().isAlternate && screen.text().includes('While you write'));
    keep('?', pty.screen.text());
    pty.press('q');
    await pty.until((screen) => !screen.modes().isAlternate);
    await prompt(pty, '/hlep');
    await pty.until('Did you mean /help?');
    await prompt(pty, 'what is here?');
    await idle(pty, 1);
    await prompt(pty, 'choose one');
    await pty.until(/one key, or/);
    keep('a question', pty.screen.text());
    pty.press('2');
    await idle(pty, 2);
    await prompt(pty, 'test it');
    await pty.until(/one key, or/);
    keep('a permission', pty.screen.text());
    pty.press('e');
    await pty.until('the model reads it');
    pty.type('we use pnpm here');
    await pty.until('> we use pnpm here');
    keep('a refusal with a reason', pty.screen.text());
    pty.press('enter');
    await idle(pty, 3);
    await prompt(pty, 'write it');
    await pty.until(/one key, or/);
    keep('a new file', pty.screen.text());
    pty.press('y');
    await idle(pty, 4);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    pty.press('escape', 'escape');
    await pty.until('Enter shows');
    keep('which prompt', pty.screen.text());
    pty.press('enter');
    await pty.until('1 file would change');
    keep('what an undo would change', pty.screen.text());
    pty.press('b');
    await pty.until('y does it');
    pty.press('y');
    await pty.until('u takes it back');
    keep('an undo', pty.screen.text());
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
    pty.press('q');
    await pty.until((screen) => draft(screen) === '> write it');
    pty.press('ctrl+c');
    await pty.until((screen) => draft(screen) === '>');
    pty.press('shift+tab');
    await pty.until('Mode acceptEdits');
    await prompt(pty, 'run it');
    await pty.until(/^begun/m);
    pty.signal('SIGKILL');
    await pty.ended;
    keep('the first session, until it was killed', pty.screen.history().join('\n'));

    const again = await open(['--continue'], keyed);
    await again.until('Going on with "what is here?"');
    await prompt(again, 'what happened?');
    await idle(again, 1);
    await leave(again, 'going on after a crash');
    await expect(screens.join('\n')).toMatchFileSnapshot('../fixtures/screens/first-hour.txt');
  });
});

describe('what goes wrong later', () => {
  it('a crash is told of when the session goes on, by 8 characters of its id; an undo sets files and conversation back', async () => {
    const { keyed, cwd } = await newcomer([
      toolCall('Write', { file_path: 'a.txt', content: 'one\n' }),
      text('Written.'),
      toolCall('Bash', { command: 'echo begun; sleep 600' }),
      text('I look what became of it.'),
      text('Again.'),
    ]);
    const run = (argv: readonly string[]) => runCli(argv, { env: keyed, cwd });
    expect(await run(['-p', 'write a', '--permission-mode', 'acceptEdits'])).toMatchObject({
      code: 0,
      stdout: 'Written.\n',
    });
    const broken = startCli(['-p', 'run it', '-c', '--allowedTools', 'Bash'], { env: keyed, cwd });
    await expect.poll(() => broken.output.stderr, { timeout: 60_000 }).toContain('● Bash');
    broken.child.kill('SIGKILL');
    await broken.ended;

    const [stored] = JSON.parse((await run(['sessions', 'list', '--json'])).stdout) as { sessionId: string }[];
    const id = stored?.sessionId.slice(0, 8) ?? '';
    const resumed = await run(['-p', 'what happened?', '--resume', id]);
    expect(resumed).toMatchObject({ code: 0, stdout: 'I look what became of it.\n' });
    expect(resumed.stderr).toMatch(
      /^! 1 tool call had not ended when the session stopped \(Bash\)\. Effects are unknown; nothing is run again\.\n/,
    );

    const prompts = (await run(['sessions', 'rewind', id])).stdout;
    expect(still(prompts)).toBe(
      'ID        SENT      FILES  PROMPT\nID  just now      1  write a\nID  just now      -  run it\nID  just now      -  what happened?\n',
    );
    const first = /^([0-9a-f]{8}) .*write a$/m.exec(prompts)?.[1] ?? '';
    const tried = await run(['sessions', 'rewind', id, first, '--dry-run']);
    expect(tried.stdout).toMatch(
      /^Would take \d+ messages out of the conversation\.\nWould set back 1 file \(\+0 -1 lines\)\.\n {2}.*a\.txt\n/,
    );
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    const undone = await run(['sessions', 'rewind', id, first]);
    expect(undone).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Took .*\nSet back 1 file .*\n.*a\.txt\n[\s\S]*To take it back: turnwright sessions rewind /,
      ),
    });
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
  });

  it.each([
    [
      ['--resume', '0000aaaa', '-p', 'x'],
      'There is no session whose id begins with 0000aaaa. "turnwright sessions list --all" lists them.',
    ],
    [['-p', 'x', '--reusme', 'y'], 'unknown flag --reusme. Did you mean --resume?'],
    [
      ['sesions', 'list'],
      'unknown command "sesions". Did you mean "turnwright sessions"? For a prompt, write: turnwright -p "sesions list"',
    ],
    [['sessions', 'lsit'], 'there is no command "turnwright sessions lsit". Did you mean list?'],
    [['sessions', 'show', 'zz'], '"zz" is not the id of a session, nor the beginning of one.'],
    [['auth', 'stauts'], '"auth" has one command: turnwright auth status [--json].'],
    [['login'], 'stdin is not a terminal. Pipe the key in: echo "$KEY" | turnwright login anthropic --with-key'],
    [['-p', 'x', '--cwd', '/nowhere'], '--cwd /nowhere does not exist.'],
    [
      ['--resume'],
      'away from a terminal there is nobody to choose a session. "turnwright sessions list" shows their ids; then: turnwright --resume ID -p "go on"',
    ],
    [
      ['-p', 'x', '--resume', 'abc'],
      '"abc" is not the id of a session: neither a whole one, which is a UUID such as the session_id of a result, nor its first 8 characters.',
    ],
    [['what does it do?'], 'away from a terminal a prompt needs -p: turnwright -p "what does it do?"'],
    [['config', 'set', 'modle', 'x'], 'There is no setting "modle". Did you mean model?'],
    [
      ['permissions', 'check', 'Bahs', 'npm test'],
      'what a call of "Bahs" would do cannot be said in one text. Did you mean Bash? Tools of which it can: Bash, Read, Edit, Write, NotebookEdit, Glob, Grep, WebFetch, Agent, Skill. Give the call of another as JSON.',
    ],
  ])('%j says on one line what is wrong and what to write', async (argv, says) => {
    const { keyed, cwd, model } = await newcomer();
    expect(await runCli(argv, { env: keyed, cwd })).toEqual({ code: 2, stdout: '', stderr: `turnwright: ${says}\n` });
    expect(model.requests).toEqual([]);
  });

  it('what a run refuses, and what it lacks, is told in words that say how to get it', async () => {
    const { keyed, cwd, model } = await newcomer([
      toolCall('Bash', { command: 'mkdir -p t && npm test' }),
      text('The tests did not run.'),
      text('Nothing to work with.'),
      { status: 529 },
      text('It came through.'),
    ]);
    const run = (argv: readonly string[]) => runCli(argv, { env: keyed, cwd });
    const refused = await run(['-p', 'test it', '--permission-mode', 'acceptEdits']);
    expect({ ...refused, stderr: still(refused.stderr) }).toEqual({
      code: 0,
      stdout: 'The tests did not run.\n',
      stderr: `● Bash  mkdir -p t && npm test
✗ Bash denied: no rule allows npm test, and there is nobody to ask. To allow it: --allowedTools 'Bash(npm test)'.
2 turns · …
`,
    });
    const slip = await run(['-p', 'x', '--tools', 'Raed']);
    expect(slip.stderr).toMatch(
      /^! There is no tool Raed, so naming it has no effect\. Did you mean Read\? Known tools: [\w, ]+\.\n1 turn · .*\n$/,
    );
    const busy = await run(['-p', 'x']);
    expect(busy.stdout).toBe('It came through.\n');
    expect(still(busy.stderr)).toBe(
      "retrying in 0.0 s (1/10): The model's server is overloaded (529 overloaded_error): Scripted status 529. Try again later.\n1 turn · …\n",
    );
    expect(model.requests).toHaveLength(5);
    expect(await run(['config', 'get', 'model'])).toEqual({ code: 1, stdout: '', stderr: 'model is not set.\n' });
    const unknown = await run(['-p', '/hlep']);
    expect(unknown).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: There is no command /hlep, so nothing was sent to the model. Did you mean /help? If it was meant for the model, begin with another character.\n',
    });
  });

  it.each([
    ['sessions'],
    ['tools'],
    ['agents'],
    ['worktrees'],
    ['plugin'],
    ['mcp'],
    ['acp'],
    ['models'],
    ['config'],
    ['permissions'],
    ['hooks'],
    ['skills'],
    ['doctor'],
    ['completions'],
    ['auth'],
    ['login'],
    ['logout'],
  ])('%s has a help, and the help of all names it', async (name) => {
    const [own, all] = await Promise.all([runCli(['help', name]), runCli(['--help'])]);
    expect(own).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`turnwright ${name}`) });
    expect(all.stdout).toMatch(new RegExp(`^ {2}(?:\\w+, )?${name}\\b`, 'm'));
  });
});
