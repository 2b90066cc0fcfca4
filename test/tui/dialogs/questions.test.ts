import { describe, expect, it } from 'vitest';
import type { ElicitationRequest } from '../../../src/protocol/permissions.js';
import { formOf, questionsOf } from '../../../src/tools/ask-user-question.js';
import { type AskParts, askInTerminal, askWaiting } from '../../../src/tui/dialogs/ask-in-terminal.js';
import { askTrust } from '../../../src/tui/dialogs/before-session.js';
import { fakeFace, settle } from './fake-face.js';

function desk(parts: Partial<AskParts> = {}, rows = 24) {
  const fake = fakeFace({ columns: 80, rows });
  const given: AskParts = {
    face: fake.face,
    place: () => ({ cwd: '/', home: '/' }),
    agentOf: () => null,
    openPage: async () => null,
    ...parts,
  };
  const { canUseTool, onElicitation } = askInTerminal(given);
  const controller = new AbortController();
  const ready = async () => {
    await settle(() => fake.layerNames().length > 0);
    fake.paint();
    fake.pass(500);
  };
  return {
    ...fake,
    given,
    controller,
    ready,
    canUseTool: (name: string, input: Record<string, unknown>, plan?: string) =>
      canUseTool(name, input, {
        signal: controller.signal,
        toolUseID: 't',
        ...(plan === undefined ? {} : { exitPlanMode: { plan, planFilePath: '/plans/a.md' } }),
      }),
    elicit: (request: Partial<ElicitationRequest>) =>
      onElicitation(
        { serverName: 'turnwright', message: '', ...request },
        { signal: controller.signal, requestId: 'r' },
      ),
    answer(...keys: string[]) {
      for (const key of keys) {
        fake.press(key);
        fake.pass(700);
      }
    },
  };
}

const INPUT = {
  questions: [
    {
      question: 'Which package manager?',
      header: 'Manager',
      options: [
        { label: 'npm', description: 'the usual one', preview: 'npm ci\nnpm test' },
        { label: 'pnpm', description: 'the fast one', preview: 'pnpm i' },
      ],
      multiSelect: false,
    },
    {
      question: 'Which checks?',
      header: 'Checks',
      options: [{ label: 'types' }, { label: 'lint' }, { label: 'tests' }],
      multiSelect: true,
    },
  ],
};

/** As the tool of questions asks it. */
function asForm(input: typeof INPUT): Partial<ElicitationRequest> {
  const { message, schema } = formOf(questionsOf(input));
  return { message, requestedSchema: schema };
}

describe('questions of the model', () => {
  it('are asked one by one, with previews and several choices, and sent when they were seen', async () => {
    const { canUseTool, elicit, ready, shown, press, answer } = desk();
    expect(await canUseTool('AskUserQuestion', INPUT)).toEqual({ behavior: 'allow' });
    const answered = elicit(asForm(INPUT));
    await ready();
    expect(shown()).toBe(`? The model asks, 1 of 2
  Manager
  Which package manager?
  1  npm  the usual one
  2  pnpm  the fast one
  w  answer in other words
  one key, or arrows and Enter · v shows all · Esc answers nothing`);
    press('down');
    expect(shown()).toContain('    npm ci\n    npm test\n› 1  npm');
    press('down');
    expect(shown()).toContain('    pnpm i\n');
    press('enter');
    await ready();
    answer('1', '3');
    expect(shown()).toContain('  1  [x] types\n  2  [ ] lint\n› 3  [x] tests');
    answer('3', '2', 'd');
    expect(shown()).toContain(`? The model asks: these are your answers
  Which package manager?
    pnpm
  Which checks?
    types, lint`);
    answer('s');
    expect(await answered).toEqual({ action: 'accept', content: { Manager: 'pnpm', Checks: ['types', 'lint'] } });
  });

  it('can be answered in other words, and by Esc with nothing', async () => {
    const { elicit, ready, press, answer } = desk();
    const [first = INPUT.questions[0]] = INPUT.questions;
    const one = { questions: [first] } as typeof INPUT;
    const words = elicit(asForm(one));
    await ready();
    answer('w');
    press(...'3', 'space', ...'bun', 'enter');
    expect(await words).toEqual({ action: 'accept', content: { Manager: '3 bun' } });
    const nothing = elicit(asForm(one));
    await ready();
    press('escape');
    expect(await nothing).toEqual({ action: 'cancel' });
  });

  it('are taken away by an abort', async () => {
    const { elicit, ready, controller, layerNames } = desk();
    const asked = elicit(asForm(INPUT));
    await ready();
    controller.abort();
    expect(await asked).toEqual({ action: 'cancel' });
    expect(layerNames()).toEqual([]);
  });
});

describe('forms of a server', () => {
  const requestedSchema = {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', description: 'Who are you?', minLength: 2 },
      age: { type: 'integer', minimum: 18 },
      plan: {
        type: 'string',
        oneOf: [
          { const: 'a', title: 'Small' },
          { const: 'b', title: 'Large' },
        ],
      },
      news: { type: 'boolean', default: false },
    },
    required: ['name', 'plan'],
  };

  it('take what the schema allows, say what it does not, leave out what is optional', async () => {
    const { elicit, ready, shown, answer, press } = desk();
    const asked = elicit({ serverName: 'shop\u001b', message: 'Please fill in', requestedSchema });
    await ready();
    expect(shown()).toContain(
      '? shop\\x1b asks, 1 of 4\n  Please fill in\n  Name\n  Who are you?\n  w  write the answer',
    );
    answer('w');
    press('x', 'enter');
    await settle(() => shown().includes('2 characters or more'));
    press('y', 'enter');
    await settle(() => shown().includes('2 of 4'));
    await ready();
    answer('w');
    press('1', '7', 'enter');
    await settle(() => shown().includes('It has to be 18 or more.'));
    press('escape');
    await ready();
    answer('l', '2', 'y');
    expect(shown()).toContain('(left out)');
    answer('s');
    expect(await asked).toEqual({ action: 'accept', content: { name: 'xy', plan: 'b', news: true } });
  });

  it('can be refused', async () => {
    const { elicit, ready, answer } = desk();
    const asked = elicit({ serverName: 'shop', message: 'More?', requestedSchema });
    await ready();
    answer('x');
    expect(await asked).toEqual({ action: 'decline' });
  });
});

describe('a page that a server wants opened', () => {
  it('is opened by a key alone, with its whole address shown before', async () => {
    const opened: string[] = [];
    const openPage = async (url: string) => (opened.push(url) === 1 ? 'There is no browser.' : null);
    const { elicit, ready, shown, answer, press, pass } = desk({ openPage });
    const asked = elicit({
      serverName: 'shop',
      mode: 'url',
      url: 'https://good.example@evil.example/x',
      message: 'Sign in',
    });
    await ready();
    press('enter');
    pass(1_000);
    expect(opened).toEqual([]);
    expect(shown()).toContain('    https://good.example@evil.example/x\n    of the machine evil.example');
    answer('o');
    await settle(() => shown().includes('There is no browser.'));
    await ready();
    answer('o');
    expect(await asked).toEqual({ action: 'accept' });
    expect(opened).toHaveLength(2);
  });

  it('is not opened if it is no page of the web', async () => {
    const { elicit, ready, shown, answer } = desk();
    const asked = elicit({ serverName: 'shop', mode: 'url', url: 'file:///etc/passwd', message: 'Look' });
    await ready();
    expect(shown()).not.toContain('open it in the browser');
    answer('n');
    expect(await asked).toEqual({ action: 'decline' });
  });
});

describe('a plan', () => {
  it('is shown whole; what is approved is what was shown last', async () => {
    const edits = ['', 'changed plan\n'];
    const edit = async (text: string) => {
      const next = edits.shift();
      if (next === '') throw new Error('the editor ended with 1');
      return next ?? text;
    };
    const { canUseTool, ready, shown, answer } = desk({ edit });
    const asked = canUseTool('ExitPlanMode', { plan: 'first\u200b plan' }, 'first\u200b plan');
    await ready();
    expect(shown()).toContain('? The plan:\n  first\\u200b plan\n  kept in /plans/a.md\n  y  yes, begin');
    answer('c');
    await settle(() => shown().includes('the editor ended with 1'));
    await ready();
    answer('c');
    await settle(() => shown().includes('? The plan, as you changed it:\n  changed plan'));
    await ready();
    answer('a');
    expect(await asked).toEqual({
      behavior: 'allow',
      updatedInput: { plan: 'changed plan' },
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      decisionClassification: 'user_temporary',
    });
  });

  it('is planned on, with a note or without', async () => {
    const { canUseTool, ready, press, answer } = desk();
    const noted = canUseTool('ExitPlanMode', {}, 'plan');
    await ready();
    answer('e');
    press(...'smaller', 'enter');
    expect(await noted).toMatchObject({
      behavior: 'deny',
      message: 'The user wants you to plan on, and says: smaller',
    });
    const plain = canUseTool('ExitPlanMode', {}, 'plan');
    await ready();
    press('escape');
    expect(await plain).toMatchObject({
      behavior: 'deny',
      message: 'The user wants you to plan on. Ask what to change.',
    });
  });
});

describe('T26: calls that wait since the session was left', () => {
  it('are asked about before it goes on; without an answer they wait on', async () => {
    const { given, ready, shown, answer, controller } = desk();
    const calls = [
      { id: 'c1', name: 'Bash', input: { command: 'rm a' }, reason: 'nobody to ask' },
      { id: 'c2', name: 'Bash', input: { command: 'rm b' } },
      { id: 'c3', name: 'Bash', input: { command: 'rm c' } },
    ];
    const decided = askWaiting(given, calls, controller.signal);
    await ready();
    expect(shown()).toContain('why asked: it waits since the session was left: nobody to ask');
    answer('y');
    await settle(() => shown().includes('rm b'));
    await ready();
    answer('n');
    await settle(() => shown().includes('rm c'));
    controller.abort();
    expect(await decided).toEqual([
      expect.objectContaining({ behavior: 'allow', toolUseID: 'c1', decidedInput: { command: 'rm a' } }),
      expect.objectContaining({ behavior: 'deny', toolUseID: 'c2', decidedInput: { command: 'rm b' } }),
    ]);
  });
});

describe('trust', () => {
  const value = {
    file: '/r/.turnwright/settings.json',
    key: 'hooks',
    value: { command: 'curl\u202e' },
    files: ['a.sh'],
  };
  const folder = { root: '/r', settings: [value], git: [], skills: [], agents: [], commands: [], outputStyles: [] };

  it('is given by its key alone, for what is shown', async () => {
    const fake = fakeFace();
    const asked = askTrust(fake.face, folder, new AbortController().signal);
    fake.paint();
    fake.press('y');
    fake.pass(700);
    expect(fake.shown()).toContain('    hooks = {"command":"curl\\u202e"}\n      with a.sh, as it stands');
    fake.press('enter');
    fake.pass(700);
    fake.press('y');
    fake.pass(300);
    expect(await asked).toBe('trusted');
    expect(fake.draft()).toBe('y');
  });

  it('is not given by Esc, by an abort, or for more than can be shown', async () => {
    const fake = fakeFace();
    const left = askTrust(fake.face, folder, new AbortController().signal);
    fake.paint();
    fake.pass(600);
    fake.press('escape');
    expect(await left).toBe('not trusted');
    const controller = new AbortController();
    const aborted = askTrust(fake.face, folder, controller.signal);
    controller.abort();
    expect(await aborted).toBe('not trusted');
    const much = { ...folder, settings: Array.from({ length: 300 }, () => value) };
    expect(await askTrust(fake.face, much, new AbortController().signal)).toBe('too much to ask');
  });
});
