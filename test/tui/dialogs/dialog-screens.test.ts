// How each dialog looks, at three widths. The golden screens are files: `cat` shows them. After a change that is meant:
// npm test -- test/tui/dialogs/dialog-screens.test.ts -u
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formOf, questionsOf } from '../../../src/tools/ask-user-question.js';
import { type AskOptions, askInTerminal } from '../../../src/tui/dialogs/ask-in-terminal.js';
import { askTrust } from '../../../src/tui/dialogs/before-session.js';
import { createTheme } from '../../../src/tui/theme.js';
import { ansiOf } from '../../support/terminal/ansi-of.js';
import { screenOf } from '../../support/terminal/screen-reader.js';
import { type FakeFace, fakeFace, settle } from './fake-face.js';

const SIZES = [
  { columns: 40, rows: 20 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 30 },
];

type Ask = (
  session: AskOptions,
  options: { readonly signal: AbortSignal; readonly toolUseID: string },
  folder: string,
  face: FakeFace,
) => Promise<unknown>;

const QUESTION = {
  questions: [
    {
      question: 'Which package manager do you use here?',
      header: 'Manager',
      options: [
        { label: 'npm', description: 'the usual one', preview: 'npm ci\nnpm test' },
        { label: 'pnpm', description: 'the fast one, 快い', preview: 'pnpm install\npnpm test' },
      ],
      multiSelect: false,
    },
  ],
};

const SEVERAL = {
  questions: [
    ...QUESTION.questions,
    {
      question: 'What should the first release have? Choose all that you want to wait for.',
      header: 'Release',
      options: [
        { label: 'Tests on Windows', description: 'half a day; nobody has run them there yet' },
        { label: 'A changelog', description: 'an hour' },
        { label: '日本語の説明書', description: '翻訳は二日かかります' },
      ],
      multiSelect: true,
    },
  ],
};

/** Asks as the session does: by the tool's own form. */
const questioned =
  (input: typeof QUESTION | typeof SEVERAL): Ask =>
  (session, options) => {
    void session.canUseTool('AskUserQuestion', input, options);
    const { message, schema: requestedSchema } = formOf(questionsOf(input));
    return session.onElicitation(
      { serverName: 'turnwright', message, requestedSchema },
      { ...options, requestId: 'r' },
    );
  };

const rules = [{ toolName: 'Bash', ruleContent: 'npm test *' }];
const suggestions = [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }] as const;

const SCENES: readonly (readonly [name: string, keys: readonly string[], ask: Ask])[] = [
  [
    'permission-command',
    ['down', 'down'],
    (session, options) =>
      session.canUseTool(
        'Bash',
        { command: 'npm test 2>&1 | tee log && sudo rm -rf "old build"', description: 'Runs the tests' },
        {
          ...options,
          suggestions: [...suggestions],
          decisionReason: 'no rule allows sudo',
          description: 'Starts npm, tee, sudo, rm. Writes log. Removes old build.',
        },
      ),
  ],
  [
    'permission-edit',
    [],
    (session, options, folder) => {
      const lines = Array.from({ length: 30 }, (_, at) => `const line${at} = ${at};`).join('\n');
      writeFileSync(join(folder, 'a.ts'), lines);
      return session.canUseTool(
        'Edit',
        { file_path: 'a.ts', old_string: 'const line12 = 12;', new_string: 'const line12 = 13;\nconst 語 = 1;' },
        {
          ...options,
          decisionReason: 'edits are asked about',
          suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
        },
      );
    },
  ],
  [
    'permission-note',
    ['e', ...'use pnpm'],
    (session, options) => session.canUseTool('Bash', { command: 'npm install left-pad' }, options),
  ],
  [
    'permission-cut',
    [],
    (session, options) =>
      session.canUseTool('Bash', { command: Array.from({ length: 60 }, (_, at) => `echo ${at}`).join('\n') }, options),
  ],
  ['question', ['down', 'down'], questioned(QUESTION)],
  ['question-several', ['2', '1', 'down', 'down', 'space'], questioned(SEVERAL)],
  ['question-answers', ['2', '1', '3', 'd'], questioned(SEVERAL)],
  [
    'form',
    [],
    (session, options) => {
      const requestedSchema = {
        properties: {
          city: {
            type: 'string',
            title: 'City',
            description: 'Where do you want to go?',
            enum: ['Kyōto', 'Roma', 'Zürich'],
          },
          seats: { type: 'integer', minimum: 1, default: 1 },
        },
        required: ['city'],
      };
      return session.onElicitation(
        { serverName: 'travel', message: 'Please fill in your trip', requestedSchema },
        { ...options, requestId: 'r' },
      );
    },
  ],
  [
    'page',
    [],
    (session, options) =>
      session.onElicitation(
        {
          serverName: 'shop',
          mode: 'url',
          message: 'Sign in to go on',
          url: 'https://shop.example/login?state=0123456789',
        },
        { ...options, requestId: 'r' },
      ),
  ],
  [
    'plan',
    [],
    (session, options) => {
      const plan = '# Rename the option\n\n1. Change `sdk/options`.\n2. Run the tests.\n3. Tell it in the changelog.';
      return session.canUseTool(
        'ExitPlanMode',
        { plan },
        { ...options, exitPlanMode: { plan, planFilePath: '/plans/rename.md' } },
      );
    },
  ],
  [
    'trust',
    [],
    (_session, { signal }, _folder, { face }) => {
      const hooks = { SessionStart: [{ hooks: [{ type: 'command', command: './setup.sh' }] }] };
      const settings = [
        { file: '/code/shop/.turnwright/settings.json', key: 'hooks', value: hooks, files: ['setup.sh'] },
      ];
      const git = [{ file: '/code/shop/.git/config', key: 'core.fsmonitor', value: './watch.sh', files: [] }];
      const folder = { root: '/code/shop', settings, git, skills: [], agents: [], commands: [], outputStyles: [] };
      return askTrust(face, folder, signal);
    },
  ],
];

describe.each(SCENES)('%s', (name, keys, ask) => {
  it.each(SIZES)('at $columns columns', async (size) => {
    const folder = mkdtempSync(join(tmpdir(), 'screens-'));
    mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const theme = createTheme({ env: { TERM: 'xterm-256color' }, theme: 'dark' });
    const fake = fakeFace(size, theme);
    const parts = {
      face: fake.face,
      place: () => ({ cwd: folder, home: folder }),
      agentOf: () => null,
      openPage: async () => null,
    };
    const controller = new AbortController();
    const asked = ask(askInTerminal(parts), { signal: controller.signal, toolUseID: 't' }, folder, fake);
    await settle(() => fake.layerNames().length > 0);
    fake.paint();
    fake.pass(600);
    for (const key of keys) {
      fake.press(key);
      // Long enough for a letter to be an answer, and for the next question to take one.
      fake.pass(800);
    }
    const { lines } = fake.frame();
    const screen = await screenOf(lines.join('\r\n'), { ...size, rows: size.rows });
    await expect(ansiOf(screen)).toMatchFileSnapshot(`../../fixtures/screens/${name}-${size.columns}.ansi`);
    controller.abort();
    await asked;
  });
});
