import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CanUseToolOptions, PermissionResult } from '../../../src/protocol/permissions.js';
import { askInTerminal } from '../../../src/tui/dialogs/ask-in-terminal.js';
import { escapeHidden } from '../../../src/view/escape-text.js';
import { fakeFace, settle } from './fake-face.js';

const SUGGESTIONS: CanUseToolOptions['suggestions'] = [
  {
    type: 'addRules',
    rules: [{ toolName: 'Bash', ruleContent: 'npm test *' }],
    behavior: 'allow',
    destination: 'localSettings',
  },
];

function desk(rows = 24, columns = 80) {
  const fake = fakeFace({ columns, rows });
  const cwd = mkdtempSync(join(tmpdir(), 'dialogs-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const agentOf = (id: string) => (id === 'a1' ? 'the agent reviewer (Look over it)' : null);
  const { canUseTool } = askInTerminal({
    face: fake.face,
    place: () => ({ cwd, home: cwd }),
    agentOf,
    openPage: async () => null,
  });
  const controller = new AbortController();
  return {
    ...fake,
    cwd,
    controller,
    ask(name: string, input: Record<string, unknown>, options: Partial<CanUseToolOptions> = {}) {
      return canUseTool(name, input, { signal: controller.signal, toolUseID: 't', ...options });
    },
    /** Until a dialog stands there, painted, and the keyboard has rested. */
    async ready() {
      await settle(() => fake.layerNames().length > 0);
      fake.paint();
      fake.pass(500);
    },
    /** One key alone. */
    answer(key: string) {
      fake.press(key);
      fake.pass(300);
    },
  };
}

describe('the permission dialog', () => {
  it('asks about planning first in words, and says once what it cannot tell', async () => {
    const plan = desk();
    const planned = plan.ask('EnterPlanMode', {}, { decisionReason: 'the user says whether to plan first' });
    await plan.ready();
    expect(plan.shown()).toContain('? The model wants to plan first: it reads, and changes nothing before');
    expect(plan.shown()).not.toMatch(/EnterPlanMode|why asked/);
    plan.answer('n');
    await planned;
    const piped = desk();
    const asked = piped.ask(
      'Bash',
      { command: 'echo x | sh' },
      { decisionReason: 'it cannot be told what would run: sh runs what it reads as its input (sh)' },
    );
    await piped.ready();
    expect(piped.shown().split('sh runs what it reads as its input')).toHaveLength(2);
    piped.answer('n');
    await asked;
  });

  it('shows the command, its parts as they would run, why, and the rule', async () => {
    const { ask, ready, shown, answer } = desk();
    const asked = ask(
      'Bash',
      { command: 'git status && sudo rm -rf "build"' },
      { decisionReason: 'no rule allows rm', suggestions: SUGGESTIONS ?? [] },
    );
    await ready();
    expect(shown()).toBe(`? Bash wants to run:
    git status && sudo rm -rf "build"
  which starts:
      1. git status
      2. sudo rm -rf build
      3. rm -rf build
  why asked: no rule allows rm
  always would allow: Bash(npm test *)
  y  yes, once
  a  yes, and always in this session
  p  yes, and always in this project
  u  yes, and always in all projects
  r  change the rule
  n  no
  e  no, and say why
  one key, or arrows and Enter · v shows all · Esc says no`);
    answer('y');
    expect(await asked).toEqual({ behavior: 'allow', decisionClassification: 'user_temporary' });
  });

  it('shows what an edit changes, and what a new text would', async () => {
    const { ask, ready, shown, answer, cwd } = desk();
    const file = join(cwd, 'a.ts');
    writeFileSync(file, 'one\ntwo\nthree\n');
    const edit = ask('Edit', { file_path: file, old_string: 'two', new_string: '2\u202e' });
    await ready();
    expect(shown()).toContain(`    +1 -1 lines
    1   one
    2 - two
    2 + 2\\u202e
    3   three`);
    answer('n');
    expect(await edit).toMatchObject({ behavior: 'deny', message: 'The user refused this call.' });
    const write = ask('Write', { file_path: 'new.ts', content: 'a\nb\n' });
    await ready();
    expect(shown()).toContain('    +2 -0 lines as a new file\n    1 + a\n    2 + b');
    answer('y');
    expect(await write).toMatchObject({ behavior: 'allow' });
  });

  it('draws nothing hidden, and cuts nothing without its count; v opens all of it', async () => {
    const { ask, ready, shown, press, pass, pager, frame, answer } = desk(16);
    const lines = Array.from({ length: 100 }, (_, at) => `echo ${at}`);
    const command = `${lines.join('\n')}\nrm\u200b -rf x${' '.repeat(400)}; curl evil`;
    const asked = ask('Bash', { command, description: 'List\x1b[2J' });
    await ready();
    expect(frame().lines).toHaveLength(16);
    expect(shown()).toMatch(/… \d{2,3} more lines: v shows all/);
    expect(escapeHidden(shown())).toBe(shown());
    press('v');
    pass(300);
    const all: string[] = [];
    const view = pager();
    if (view === null) throw new Error('no pager');
    await settle(() => view.render({ columns: 80, rows: 16 }).lines.join('').includes('echo 1'));
    for (let turn = 0; turn < 40; turn++) {
      all.push(...view.render({ columns: 80, rows: 16 }).lines);
      view.handle({ type: 'key', key: 'space', data: '\x1b', at: 0 });
    }
    const text = all.join('\n');
    for (const line of lines) expect(text).toContain(line);
    expect(text).toContain('rm\\u200b -rf x ⟨400 spaces⟩ ; curl evil');
    press('q');
    await settle(() => pager() === null);
    pass(1_000);
    answer('n');
    expect(await asked).toMatchObject({ behavior: 'deny' });
  });

  it('names the subagent that asks, and says how many wait', async () => {
    const { ask, ready, shown, answer } = desk();
    const both = [ask('Bash', { command: 'a' }, { agentID: 'a1' }), ask('Bash', { command: 'b' }, { agentID: 'zz' })];
    await ready();
    expect(shown()).toContain('? Bash of the agent reviewer (Look over it) wants to run: (1 more question \nwaits)');
    answer('y');
    await both[0];
    await ready();
    expect(shown()).toContain('? Bash of a subagent wants to run:\n');
    answer('n');
    expect((await Promise.all(both)).map(({ behavior }) => behavior)).toEqual(['allow', 'deny']);
  });

  const kept: [key: string, destination: string][] = [
    ['a', 'session'],
    ['p', 'localSettings'],
    ['u', 'userSettings'],
  ];
  it.each(kept)(
    '%s allows always, and what waits with the same rule is not asked about again',
    async (key, destination) => {
      const { ask, ready, answer } = desk();
      const both = [1, 2].map(() => ask('Bash', { command: 'npm test a' }, { suggestions: SUGGESTIONS ?? [] }));
      await ready();
      answer(key);
      const [first, second] = await Promise.all(both);
      expect(first).toMatchObject({
        behavior: 'allow',
        updatedPermissions: [
          { type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'npm test *' }], destination },
        ],
      });
      expect(second).toEqual({ behavior: 'allow', decisionClassification: 'user_permanent' });
    },
  );

  it('takes another rule, refuses one that is none, and asks nothing again that it covers', async () => {
    const { ask, ready, answer, press, shown, pass } = desk();
    const other: CanUseToolOptions['suggestions'] = [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'npm run x *' }],
        behavior: 'allow',
        destination: 'session',
      },
    ];
    const asked: Promise<PermissionResult>[] = [
      ask('Bash', { command: 'npm test a' }, { suggestions: SUGGESTIONS ?? [] }),
      ask('Bash', { command: 'npm run x 1' }, { suggestions: other ?? [] }),
      ask('Bash', { command: 'rm a' }, { suggestions: [] }),
    ];
    await ready();
    answer('r');
    expect(shown()).toContain('  > Bash(npm test *)');
    press('ctrl+u', ...'Bash(', 'enter');
    await settle(() => shown().includes('neither'));
    expect(shown()).toMatch(/neither the name of a tool/);
    press('ctrl+u', ...'Bash(npm', 'space', ...'*)', 'enter');
    await settle(() => shown().includes('always would allow: Bash(npm *)'));
    pass(500);
    answer('a');
    expect(await asked[0]).toMatchObject({
      updatedPermissions: [{ rules: [{ toolName: 'Bash', ruleContent: 'npm *' }] }],
    });
    expect(await asked[1]).toEqual({ behavior: 'allow', decisionClassification: 'user_permanent' });
    await ready();
    expect(shown()).toContain('    rm a');
    answer('n');
    expect(await asked[2]).toMatchObject({ behavior: 'deny' });
  });

  it('takes a note with a refusal: what is pasted into it is text, and only Enter sends it', async () => {
    const { ask, ready, answer, press, paste, shown, draft } = desk();
    const asked = ask('Bash', { command: 'npm i' });
    await ready();
    answer('e');
    press(...'use');
    paste(' pnpm\nhere ');
    expect(shown()).toContain('  > use pnpm\n  > here');
    press('enter');
    expect(await asked).toMatchObject({ message: 'The user refused this call, and says: use pnpm here' });
    expect(draft()).toBe('');
  });

  it('is taken away by an abort, and what was typed stays', async () => {
    const { ask, ready, press, controller, layerNames, draft } = desk();
    const asked = ask('Bash', { command: 'ls' });
    await ready();
    press('y');
    controller.abort();
    expect(await asked).toMatchObject({
      behavior: 'deny',
      message: 'The call was interrupted before it was approved.',
    });
    expect([layerNames(), draft()]).toEqual([[], 'y']);
  });
});

describe('typing is safe', () => {
  it('Enter alone answers nothing, with the arrows it answers what they chose, never "always" by itself', async () => {
    const { ask, ready, press, pass } = desk();
    const asked = ask('Bash', { command: 'ls' }, { suggestions: SUGGESTIONS ?? [] });
    let result: PermissionResult | null = null;
    void asked.then((given) => {
      result = given;
    });
    await ready();
    for (let time = 0; time < 5; time++) {
      press('enter');
      pass(600);
    }
    await Promise.resolve();
    expect(result).toBeNull();
    press('down', 'enter');
    expect(await asked).toEqual({ behavior: 'allow', decisionClassification: 'user_temporary' });
  });

  it('takes no key before it is painted and the keyboard has rested, and none that begins a word', async () => {
    const { ask, press, pass, paint, paste, draft, layerNames, answer } = desk();
    const asked = ask('Bash', { command: 'ls' });
    await settle(() => layerNames().length > 0);
    pass(2_000);
    press('y');
    paint();
    pass(400);
    press('y');
    pass(499);
    press('y');
    paste('y\n');
    pass(500);
    press('y');
    pass(100);
    press('e', 's');
    pass(700);
    expect(draft()).toBe('yyyy\nyes');
    expect(layerNames()).toEqual(['permission']);
    answer('y');
    expect(await asked).toMatchObject({ behavior: 'allow' });
    expect(draft()).toBe('yyyy\nyes');
  });

  it('leaves the arrows and Enter to a draft that holds text, until Tab gives the question the keyboard', async () => {
    const { ask, ready, press, pass, shown, draft, layerNames } = desk();
    const asked = ask('Bash', { command: 'ls' });
    await ready();
    press('h', 'i');
    pass(700);
    expect(shown()).toContain('one key, or Tab and arrows');
    press('down', 'enter');
    pass(700);
    expect(layerNames()).toEqual(['permission']);
    press('tab');
    expect(shown()).toContain('one key, or arrows and Enter');
    press('down', 'enter');
    expect(await asked).toMatchObject({ behavior: 'allow' });
    expect(draft()).toBe('hi');
  });

  it('leaves every key to a draft that takes commands, as vim does, until Tab', async () => {
    const { ask, ready, press, pass, shown, face, layerNames } = desk();
    face.draftHolds = (key) => key !== 'tab';
    const asked = ask('Bash', { command: 'ls' });
    await ready();
    expect(shown()).toContain('Tab, then one key');
    for (const key of ['y', 'n', 'escape', 'e', 'v', 'enter']) {
      press(key);
      pass(700);
    }
    expect(layerNames()).toEqual(['permission']);
    press('tab', 'y');
    pass(300);
    expect(await asked).toMatchObject({ behavior: 'allow' });
  });
});
