// The first hour of somebody who has just installed it, from the first command without a key to the first undo. What is
// printed is held whole, line by line: each of these lines was read, and has to be true.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMockProvider } from '../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../src/testing/mock/mock-steps.js';
import { reply, text, toolCall } from '../../src/testing/model/script-steps.js';
import { VERSION } from '../../src/util/version.js';
import { buildEntry, mockEnv, runCli, startCli, temporaryFolder } from './run-cli.js';
import { openTerminal } from './terminal.js';

const KEY = 'sk-typed-0123456789';
const NO_KEY =
  'turnwright: No model can answer, because there is no key. Set ANTHROPIC_API_KEY or the key of another provider, or run "turnwright login". To try it without a key: --model offline (in code, model: "offline").\n';

beforeAll(buildEntry, 120_000);

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
    const [first = ''] = terminal.screen().split('> list the files');
    expect(first).toContain('! There is no key, so the offline model answers: a planner by fixed rules');
    expect(first).toContain('turnwright login');
    expect(terminal.screen()).toMatch(
      /Files: none found\.\n[\s\S]*I did not understand "what is life", so I did nothing\.[\s\S]*error: The offline model did not understand/,
    );
  });
});

describe('a key', () => {
  it('is typed unseen, kept, used, and told of by its place', async () => {
    const { reached, cwd, home, model } = await newcomer([text('Nothing is here.')]);
    const terminal = openTerminal(['login'], { env: reached, cwd });
    await terminal.answer('not shown: ', `${KEY}\n`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).not.toContain(KEY);
    expect(terminal.screen()).toContain(`kept in ${home}/credentials.json. To forget it: turnwright logout anthropic`);
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
  const question = {
    question: 'Which package manager?',
    header: 'Manager',
    options: [
      { label: 'npm', description: 'the usual one' },
      { label: 'pnpm', description: 'the fast one' },
    ],
    multiSelect: false,
  };

  it('answers, asks, takes a refusal with a reason, says how to come back, and shows its end when it is chosen', async () => {
    const { keyed, cwd, model } = await newcomer([
      text('The folder is empty.'),
      reply(text('I ask first.'), toolCall('AskUserQuestion', { questions: [question] })),
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
      `Turnwright ${VERSION}. /help lists commands, # keeps a note, /exit or Ctrl-D leaves, \\ at the end of a line goes on.`,
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
    expect(still(chosen.screen())).toMatch(
      /^ +ID +CHANGED +SIZE +TITLE\n +1 +ID +just now SIZE +what is here\?\nWhich one\? 1 to 1, .*\nTurnwright .*\nGoing on with "what is here\?"\n\n> what is here\?\n\nThe folder is empty\.\n[\s\S]*Going on\.\n[\s\S]*To go on with this session: turnwright --resume ID\n$/,
    );
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
    [['auth', 'stauts'], '"auth" knows one command: turnwright auth status [--json].'],
    [['login'], 'stdin is no terminal. Pipe the key in: echo "$KEY" | turnwright login anthropic --with-key'],
    [['-p', 'x', '--cwd', '/nowhere'], '--cwd /nowhere does not exist.'],
  ])('%j says on one line what is wrong and what to write', async (argv, says) => {
    const { keyed, cwd, model } = await newcomer();
    expect(await runCli(argv, { env: keyed, cwd })).toEqual({ code: 2, stdout: '', stderr: `turnwright: ${says}\n` });
    expect(model.requests).toEqual([]);
  });

  it.each([
    ['sessions'],
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
