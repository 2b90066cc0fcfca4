import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLineReader } from '../../src/cli/lines/line-reader.js';
import { createAskPermission, oneAtATime } from '../../src/cli/questions/ask-person.js';
import type { CanUseToolOptions } from '../../src/protocol/permissions.js';

const STYLE = { colour: false, columns: 80, verbose: false };

/** A person at a terminal: answers each question with the next line of the script; null ends the input. */
function createPerson(answers: (string | null)[]) {
  const input = new PassThrough();
  const reader = createLineReader(input);
  const shown: string[] = [];
  const canUseTool = createAskPermission({
    reader,
    style: STYLE,
    inTurn: oneAtATime(),
    write: async (text) => {
      shown.push(text);
      if (!text.trimEnd().endsWith('>')) return;
      const answer = answers.shift();
      if (answer === null) input.end();
      else if (answer !== undefined) input.write(`${answer}\n`);
    },
  });
  return { input, reader, shown, canUseTool };
}

const options = (fields: Partial<CanUseToolOptions> = {}): CanUseToolOptions => ({
  signal: new AbortController().signal,
  toolUseID: 't',
  decisionReasonType: 'other',
  ...fields,
});

describe('createAskPermission', () => {
  it.each(['y', 'YES', ' y '])('allows once on %j', async (answer) => {
    const { canUseTool } = createPerson([answer]);
    expect(await canUseTool('Bash', { command: 'ls' }, options())).toMatchObject({ behavior: 'allow' });
  });

  it.each(['n', 'No'])('denies on %j', async (answer) => {
    const { canUseTool } = createPerson([answer]);
    const decision = await canUseTool('Bash', { command: 'ls' }, options());
    expect(decision).toMatchObject({ behavior: 'deny', message: 'The user refused this call.' });
  });

  it.each([[['e', 'use pnpm here']], [['n use pnpm here']], [['No, use pnpm here']]])(
    'denies with a reason that the model reads on %j',
    async (answers) => {
      const { canUseTool } = createPerson(answers);
      const decision = await canUseTool('Bash', { command: 'npm test' }, options());
      const message = 'The user refused this call, and says: use pnpm here';
      expect(decision).toMatchObject({ behavior: 'deny', message, decisionClassification: 'user_reject' });
    },
  );

  it('asks about planning first in words', async () => {
    const { canUseTool, shown } = createPerson(['y']);
    const decision = await canUseTool('EnterPlanMode', {}, options({ decisionReason: 'the user says whether' }));
    expect(decision).toMatchObject({ behavior: 'allow' });
    expect(shown.join('')).toContain('? The model wants to plan first: it reads, and changes nothing before you agree');
    expect(shown.join('')).not.toMatch(/EnterPlanMode|why asked/);
  });

  it.each(['', null])('denies without one if %j is said', async (note) => {
    const { canUseTool, shown } = createPerson(['e', note]);
    expect(await canUseTool('Bash', {}, options())).toMatchObject({ message: 'The user refused this call.' });
    expect(shown).toHaveLength(2);
    expect(shown[0]).toContain('[e] no, and say why');
  });

  const rule = (ruleContent: string) => [
    {
      type: 'addRules' as const,
      rules: [{ toolName: 'Bash', ruleContent }],
      behavior: 'allow' as const,
      destination: 'localSettings' as const,
    },
  ];

  it('remembers what was offered for the session, and asks no more for calls already waiting that it covers', async () => {
    const { canUseTool, shown } = createPerson(['a', 'n']);
    const [first, second, third] = await Promise.all([
      canUseTool('Bash', { command: 'npm test' }, options({ suggestions: rule('npm test *') })),
      canUseTool('Bash', { command: 'npm test x' }, options({ suggestions: rule('npm test *') })),
      canUseTool('Bash', { command: 'rm x' }, options({ suggestions: rule('rm x') })),
    ]);
    expect(first).toMatchObject({
      behavior: 'allow',
      updatedPermissions: [{ ...rule('npm test *')[0], destination: 'session' }],
    });
    expect(second).toEqual({ behavior: 'allow', decisionClassification: 'user_permanent' });
    expect(third).toMatchObject({ behavior: 'deny' });
    expect(shown).toHaveLength(2);
    expect(shown[0]).toContain('always Bash(npm test *):');
  });

  it.each([
    ['p', 'localSettings'],
    ['U', 'userSettings'],
  ])('%s keeps it in %s', async (answer, destination) => {
    const { canUseTool } = createPerson([answer]);
    const decision = await canUseTool('Bash', { command: 'npm test' }, options({ suggestions: rule('npm test *') }));
    expect(decision).toMatchObject({ updatedPermissions: [{ destination }], decisionClassification: 'user_permanent' });
  });

  it('keeps no mode beyond the session', async () => {
    const { canUseTool, shown } = createPerson(['p', 'a']);
    const suggestions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const;
    const decision = await canUseTool('Edit', { file_path: 'a' }, options({ suggestions: [...suggestions] }));
    expect(shown[0]).toContain('always edits in the workspace:');
    expect(shown[0]).not.toContain('[p]');
    expect(decision).toMatchObject({ updatedPermissions: suggestions });
  });

  it('offers no always if nothing would keep the next question away', async () => {
    const { canUseTool, shown } = createPerson(['a', 'y']);
    const decision = await canUseTool('Write', { file_path: '.git/x' }, options({ decisionReasonType: 'safetyCheck' }));
    expect(shown[0]).not.toContain('[a]');
    expect(decision).toMatchObject({ behavior: 'allow' });
    expect(decision).not.toHaveProperty('updatedPermissions');
  });

  it('shows a rule without anything hidden in it, and what the call would do', async () => {
    const { canUseTool, shown } = createPerson(['n']);
    const suggestions = rule('ls\u202e\u001b[8m *');
    await canUseTool('Bash', { command: 'ls' }, options({ suggestions, description: 'Starts ls\u0007.' }));
    for (const hidden of ['\u0007', '\u001b', '\u202e']) expect(shown[0]).not.toContain(hidden);
    expect(shown[0]).toContain('what it does: Starts ls');
  });

  it('takes three unclear answers for a no', async () => {
    const { canUseTool, shown } = createPerson(['maybe', '', 'ok']);
    expect(await canUseTool('Bash', {}, options())).toMatchObject({ behavior: 'deny' });
    expect(shown).toHaveLength(3);
  });

  it('takes the end of the input for a no', async () => {
    const { canUseTool } = createPerson([null]);
    expect(await canUseTool('Bash', {}, options())).toMatchObject({ behavior: 'deny', message: /ended/ });
  });

  it('ends with the call: an abort is a denial, and the next question works', async () => {
    const { canUseTool, shown } = createPerson([undefined as never, 'y']);
    const abort = new AbortController();
    const waiting = canUseTool('Bash', {}, options({ signal: abort.signal }));
    await expect.poll(() => shown.length).toBe(1);
    abort.abort();
    expect(await waiting).toMatchObject({ behavior: 'deny' });
    expect(await canUseTool('Bash', {}, options())).toMatchObject({ behavior: 'allow' });
  });

  it('counts no line typed before the question was shown', async () => {
    const { canUseTool, input, shown } = createPerson([undefined as never]);
    input.write('y\ny\n');
    const waiting = canUseTool('Bash', { command: 'rm -rf build' }, options());
    await expect.poll(() => shown.length).toBe(1);
    input.write('n\n');
    expect(await waiting).toMatchObject({ behavior: 'deny' });
  });

  it('shows the whole command, nothing hidden in it or pushed out of sight', async () => {
    const { canUseTool, shown } = createPerson(['n']);
    const command = `ls${' '.repeat(2000)};\x1b[8m rm -rf ~\u202e\n\n\n\n\n\necho ${'x'.repeat(3000)}END`;
    await canUseTool(
      'Bash',
      { command, description: 'List\x1b[0m files' },
      options({ decisionReason: 'Bash needs\x07 approval' }),
    );
    const question = shown[0] ?? '';
    expect(question).toContain('ls ⟨2,000 spaces⟩ ;\\x1b[8m rm -rf ~\\u202e');
    expect(question).toContain('⟨6 line ends⟩');
    expect(question).toContain('xEND');
    expect(question).toContain('description: List\\x1b[0m files');
    expect(question).toContain('why asked: Bash needs\\x07 approval');
    for (const hidden of ['\x07', '\x1b', '\u202e']) expect(question).not.toContain(hidden);
  });

  it('shows both ends of a command too long to show', async () => {
    const { canUseTool, shown } = createPerson(['n']);
    await canUseTool('Bash', { command: `START${'x'.repeat(50_000)}END` }, options());
    expect(shown[0]).toMatch(/START.*⟨30,008 characters not shown⟩.*END/s);
  });

  it('says if a subagent asks', async () => {
    const { canUseTool, shown } = createPerson(['n', 'n']);
    await canUseTool('Bash', { command: 'ls' }, options({ agentID: 'a1' }));
    await canUseTool('Bash', { command: 'ls' }, options());
    expect(shown[0]).toContain('Bash of a subagent wants to run:');
    expect(shown[1]).toContain('Bash wants to run:');
  });

  it('shows the beginning of content', async () => {
    const { canUseTool, shown } = createPerson(['n']);
    await canUseTool('Write', { file_path: '/a', content: 'line\n'.repeat(500) }, options());
    expect(shown[0]).toContain('    /a\n');
    expect(shown[0]).toContain('… (2,500 characters in all)');
    expect((shown[0] ?? '').split('\n').length).toBeLessThan(16);
  });
});

describe('createLineReader', () => {
  it('reads lines whatever the cuts, then null', async () => {
    const input = new PassThrough();
    const reader = createLineReader(input);
    const { signal } = new AbortController();
    const first = reader.read(signal);
    for (const part of ['o', 'ne\r\ntw', 'o\nläst']) input.write(part);
    input.end();
    expect([await first, await reader.read(signal), await reader.read(signal), await reader.read(signal)]).toEqual([
      'one',
      'two',
      'läst',
      null,
    ]);
  });

  it('gives null when it is closed or the signal aborts', async () => {
    const reader = createLineReader(new PassThrough());
    const abort = new AbortController();
    const aborted = reader.read(abort.signal);
    abort.abort();
    expect(await aborted).toBeNull();
    const closed = reader.read(new AbortController().signal);
    reader.close();
    expect(await closed).toBeNull();
    expect(await reader.read(new AbortController().signal)).toBeNull();
  });

  it('touches the input only when it is asked to read', () => {
    const input = new PassThrough();
    createLineReader(input).close();
    expect(input.listenerCount('data')).toBe(0);
  });
});
