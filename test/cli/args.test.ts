import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArgs } from '../../src/cli/args/args.js';
import { resolveFolders, splitList } from '../../src/cli/args/flag-values.js';
import { FLAGS } from '../../src/cli/args/flags.js';
import { HELP } from '../../src/cli/args/help.js';
import { ConfigError } from '../../src/protocol/errors.js';
import { nearestWord } from '../../src/util/text.js';
import { sharedFolder } from '../support/shared-folder.js';

const ID = '1b4e28ba-2fa1-11d2-883f-0016d3cca427';

const WIRE = ['--input-format', 'stream-json'];

/** Lists, which are empty then, and texts. */
const EMPTY_IS_A_VALUE = [
  ...[
    'allowed-tools',
    'disallowed-tools',
    'tools',
    'allowed-mcp-server-names',
    'betas',
    'extensions',
    'setting-sources',
  ],
  ...['system-prompt', 'append-system-prompt'],
];

describe('parseArgs', () => {
  const accepted: [name: string, argv: string[], expected: object][] = [
    ['nothing', [], { action: 'run', print: false, prompt: undefined, outputFormat: 'text', options: {} }],
    ['a prompt', ['-p', 'hello'], { print: true, prompt: 'hello' }],
    ['words', ['fix', 'the', 'test'], { print: true, saysPrint: false, prompt: 'fix the test', commandWord: 'fix' }],
    ['a sentence', ['fix the test'], { print: true, saysPrint: false, commandWord: undefined }],
    ['a question', ['why?'], { commandWord: undefined }],
    ['a word behind --', ['--', 'sessions'], { prompt: 'sessions', commandWord: undefined }],
    ['a word with -p', ['doctor', '-p'], { saysPrint: true, prompt: 'doctor', commandWord: undefined }],
    ['a word with a format', ['doctor', '--output-format=json'], { saysPrint: true, commandWord: 'doctor' }],
    ['flags around the prompt', ['--verbose', 'hi', '--model', 'm'], { prompt: 'hi', verbose: true }],
    ['an empty prompt', ['-p', ''], { print: true, prompt: '' }],
    ['a prompt after --', ['-p', '--', '--help', '-x'], { action: 'run', prompt: '--help -x' }],
    ['a lone dash', ['-p', '-'], { prompt: '-' }],
    ['a negative number is a word', ['-p', 'is', '-5', 'even'], { prompt: 'is -5 even' }],
    ['--print', ['--print'], { print: true, prompt: undefined }],
    ['an output format implies print', ['--output-format', 'json'], { print: true, outputFormat: 'json' }],
    ['stream-json', ['--output-format=stream-json'], { outputFormat: 'stream-json' }],
    ['camelCase', ['--outputFormat=json'], { outputFormat: 'json' }],
    ['short flags in one', ['-pc', 'go on'], { print: true, prompt: 'go on', options: { continue: true } }],
    ['help', ['--help'], { action: 'help' }],
    ['help beats version', ['-v', '-h'], { action: 'help' }],
    ['-v is the version', ['-v'], { action: 'version' }],
    ['--version', ['--version'], { action: 'version' }],
    ['the last of a flag', ['--model', 'a', '--model', 'b'], { options: { model: 'b' } }],
    ['max turns', ['--max-turns', '7'], { options: { maxTurns: 7 } }],
    ['a budget', ['--max-budget-usd', '0.5'], { options: { maxBudgetUsd: 0.5 } }],
    ['a task budget', ['--task-budget=5000'], { options: { taskBudget: { total: 5000 } } }],
    ['a fallback', ['--fallback-model', 'haiku'], { options: { fallbackModel: 'haiku' } }],
    ['an effort', ['--effort=high'], { options: { effort: 'high' } }],
    [
      'a schema',
      ['--json-schema', '{"type":"object"}'],
      { options: { outputFormat: { type: 'json_schema', schema: { type: 'object' } } } },
    ],
    ['maxTurns', ['--maxTurns=7'], { options: { maxTurns: 7 } }],
    [
      'a value that looks like a list item',
      ['--system-prompt', '- be brief'],
      { options: { systemPrompt: '- be brief' } },
    ],
    ['a value with an equals sign', ['--system-prompt=a=b'], { options: { systemPrompt: 'a=b' } }],
    ['an empty value', ['--system-prompt='], { options: { systemPrompt: '' } }],
    ['a value with dashes', ['--system-prompt=--x'], { options: { systemPrompt: '--x' } }],
    [
      'an appended prompt',
      ['--append-system-prompt', 'x'],
      { options: { systemPrompt: { type: 'preset', preset: 'turnwright', append: 'x' } } },
    ],
    [
      'both prompts',
      ['--append-system-prompt', 'b', '--system-prompt', 'a'],
      { options: { systemPrompt: ['a', 'b'] } },
    ],
    ['no tools', ['--tools='], { options: { tools: [] } }],
    ['no tools, two words', ['--tools', ''], { options: { tools: [] } }],
    ['some tools', ['--tools', 'Read,Grep'], { options: { tools: ['Read', 'Grep'] } }],
    ['all tools', ['--tools=default'], { options: { tools: { type: 'preset', preset: 'turnwright' } } }],
    [
      'allowed tools, repeated and listed',
      ['--allowedTools', 'Bash Edit', '--allowed-tools=Read,Grep'],
      { options: { allowedTools: ['Bash', 'Edit', 'Read', 'Grep'] } },
    ],
    [
      'parentheses stay whole',
      ['--disallowed-tools=Bash(rm -rf *, x),Read'],
      { options: { disallowedTools: ['Bash(rm -rf *, x)', 'Read'] } },
    ],
    ['disallowedTools', ['--disallowedTools', 'Bash'], { options: { disallowedTools: ['Bash'] } }],
    ['an agent', ['--agent', 'reviewer'], { options: { agent: 'reviewer' } }],
    [
      'agents, which add up',
      ['--agents={"a":{"description":"A.","prompt":"a"}}', '--agents', '{"b":{"description":"B.","prompt":"b"}}'],
      { options: { agents: { a: { description: 'A.', prompt: 'a' }, b: { description: 'B.', prompt: 'b' } } } },
    ],
    ['a coordinator', ['--coordinator'], { options: { coordinator: true } }],
    ['a mode', ['--permission-mode', 'plan'], { options: { permissionMode: 'plan' } }],
    ['a judge', ['--judge', 'small'], { options: { permissionMode: 'auto', autoMode: { judge: 'small' } } }],
    [
      'bypass with leave',
      ['--permission-mode', 'bypassPermissions', '--allow-dangerously-skip-permissions'],
      { options: { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } },
    ],
    [
      'the dangerous flag alone switches on',
      ['--dangerously-skip-permissions'],
      { options: { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } },
    ],
    [
      'the dangerous flag leaves a named mode',
      ['--dangerously-skip-permissions', '--permission-mode=plan'],
      { options: { permissionMode: 'plan', allowDangerouslySkipPermissions: true } },
    ],
    ['a sandbox', ['--sandbox'], { options: { sandbox: { enabled: true } } }],
    [
      'thinking',
      ['--thinking=adaptive', '--thinking-display', 'omitted'],
      { options: { thinking: { type: 'adaptive', display: 'omitted' } } },
    ],
    [
      'a display alone',
      ['--thinking-display=summarized'],
      { options: { thinking: { type: 'adaptive', display: 'summarized' } } },
    ],
    ['tokens for thinking', ['--max-thinking-tokens=0'], { options: { maxThinkingTokens: 0 } }],
    [
      'tokens with a display',
      ['--max-thinking-tokens', '2000', '--thinking-display=omitted'],
      { options: { thinking: { type: 'enabled', budgetTokens: 2000, display: 'omitted' } } },
    ],
    ['who is asked', ['--permission-prompts=none'], { options: { permissionPrompts: 'none' } }],
    ['managed settings', ['--managed-settings', '{"model":"m"}'], { options: { managedSettings: { model: 'm' } } }],
    [
      'plugins',
      ['--plugin-dir=a', '--plugin-dir-no-mcp', 'b'],
      {
        options: {
          plugins: [
            { type: 'local', path: 'a' },
            { type: 'local', path: 'b' },
          ],
        },
      },
    ],
    [
      'a switch with an empty value, of a program',
      [...WIRE, '--replay-user-messages', '', '--verbose', ''],
      { prompt: undefined, verbose: true, options: { replayUserMessages: true } },
    ],
    [
      'the same in one word',
      [...WIRE, '--replay-user-messages=', '--verbose='],
      { prompt: undefined, verbose: true, options: { replayUserMessages: true } },
    ],
    ['a log', ['--debug', '--debug-file=x'], { debug: true, debugFile: 'x', options: {} }],
    ['a prompt in a file', ['--system-prompt-file', 'p.md'], { systemPromptFile: 'p.md' }],
    ['folders', ['--add-dir', 'a,b', '--add-dir=c'], { options: { additionalDirectories: ['a,b', 'c'] } }],
    ['resume by id', ['--resume', ID, '-p', 'go'], { prompt: 'go', options: { resume: ID } }],
    ['resume without id', ['--resume', '-p', 'go'], { prompt: 'go', options: { continue: true } }],
    ['continue', ['-c'], { options: { continue: true } }],
    [
      'a fork with an id of its own',
      ['-c', '--fork-session', '--session-id', ID],
      { options: { continue: true, forkSession: true, sessionId: ID } },
    ],
    [
      'a cut',
      [`--resume=${ID}`, `--resume-session-at=${ID}`, '--resume-drops-turn', ID],
      { options: { resume: ID, resumeSessionAt: ID, resumeDropsTurn: ID } },
    ],
    ['session id', ['--session-id', ID], { options: { sessionId: ID } }],
    ['partial messages', ['--include-partial-messages'], { options: { includePartialMessages: true } }],
    ['no persistence', ['--no-session-persistence'], { options: { persistSession: false } }],
    ['a debug file', ['--debug-file', 'x.log'], { debugFile: 'x.log' }],
  ];
  it.each(accepted)('reads %s', (_name, argv, expected) => {
    expect(parseArgs(argv)).toMatchObject(expected);
  });

  const refused: [name: string, argv: string[], says: RegExp][] = [
    ['an unknown flag', ['--modle', 'x'], /unknown flag --modle\. Did you mean --model\?/],
    ['an unknown camelCase flag', ['--outputFormatt=x'], /Did you mean --output-format\?/],
    ['a cut flag', ['--dangerously'], /Did you mean --dangerously-skip-permissions\?/],
    ['a flag unlike any', ['--zzzzzzzzzz'], /unknown flag --zzzzzzzzzz\. "turnwright --help"/],
    ['an unknown short flag', ['-x'], /unknown flag -x\./],
    ['a word for max turns', ['--max-turns', 'abc'], /--max-turns needs a whole number from 1 on, not "abc"/],
    ['zero turns', ['--max-turns=0'], /whole number/],
    ['no money', ['--max-budget-usd=0'], /above 0/],
    ['a word for money', ['--max-budget-usd', 'much'], /US dollars/],
    ['a schema that is not JSON', ['--json-schema', '{'], /JSON Schema/],
    ['a schema that is not an object', ['--json-schema=[]'], /JSON Schema object/],
    ['agents that are no JSON', ['--agents', 'reviewer'], /--agents needs a JSON object of agent definitions/],
    ['agents that are not an object', ['--agents=[]'], /agent definitions, not "\[\]"/],
    ['an agent without a name', ['--agent='], /--agent needs a value/],
    ['half a turn', ['--max-turns=1.5'], /whole number/],
    ['negative turns', ['--max-turns', '-1'], /whole number/],
    ['an unknown mode', ['--permission-mode', 'foo'], /--permission-mode is one of default, .*, not "foo"/],
    ['an unknown format', ['--output-format', 'xml'], /--output-format is one of text, json, stream-json, not "xml"/],
    [
      'a judge of another mode',
      ['--judge', 'small', '--permission-mode', 'plan'],
      /--judge is asked in mode auto only/,
    ],
    ['a judge without a name', ['--judge='], /--judge/],
    ['bypass without leave', ['--permission-mode', 'bypassPermissions'], /--allow-dangerously-skip-permissions/],
    ['its alias without leave', ['--permission-mode=yolo'], /--allow-dangerously-skip-permissions/],
    ['a missing value', ['--model'], /--model needs a value/],
    ['a flag for a value', ['--model', '--verbose'], /--model needs a value.*--model=--verbose/],
    ['an empty model', ['--model='], /--model needs a value/],
    ['an empty id, which is no wish for the newest session', ['--resume='], /--resume needs a value/],
    ['an empty id as a word', ['--resume', ''], /--resume needs a value/],
    ['a value where none goes', ['--verbose=1'], /--verbose takes no value/],
    ['a session id that is none', ['--session-id', 'abc'], /--session-id needs a UUID, not "abc"/],
    ['two system prompts', ['--system-prompt=a', '--system-prompt-file=b'], /Give one/],
    ['another way to think', ['--thinking=much'], /--thinking is one of adaptive, enabled, disabled/],
    ['settings that are none', ['--managed-settings=[]'], /needs a JSON object of settings/],
    ['two sessions', ['-c', '--resume', ID], /--continue and --resume/],
    ['two sessions for a fork', ['-c', '--resume', ID, '--fork-session'], /--continue and --resume/],
    ['an old session with a new id', ['-c', '--session-id', ID], /--continue and --session-id/],
    ['a fork of nothing', ['--fork-session'], /--fork-session needs --resume or --continue/],
    ['a cut of nothing', ['--resume-session-at', ID], /--resume-session-at needs --resume or --continue/],
    ['a cut at no id', ['-c', '--resume-session-at', 'last'], /needs a UUID/],
    ['a turn that nothing cuts off', ['-c', '--resume-drops-turn', ID], /needs --resume-session-at/],
    ['a long value', ['--permission-mode', 'x'.repeat(10_000)], /…"\.$/],
  ];
  it.each(refused)('refuses %s in one line', (_name, argv, says) => {
    const attempt = () => parseArgs(argv);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(says);
    expect(attempt).not.toThrow(/\n/);
    expect(attempt).not.toThrow(/.{400}/);
  });

  // One published SDK writes `--flag=`, the others and all `extraArgs` write an empty word.
  it.each(FLAGS)('takes --$name with an empty value from a program, or says that it needs one', ({ name, takes }) => {
    for (const words of [[`--${name}=`], [`--${name}`, '']]) {
      const read = () => parseArgs([...WIRE, ...words]);
      const isTaken = takes === 'nothing' ? name !== 'fork-session' : EMPTY_IS_A_VALUE.includes(name);
      if (isTaken) expect(read().prompt, words.join(' ')).toBeUndefined();
      else expect(read, words.join(' ')).toThrow(new RegExp(`^--${name} (needs|is one of) `));
    }
  });

  it('throws nothing but ConfigError, whatever the words', () => {
    const words = fc.oneof(
      fc.constantFrom(
        ...FLAGS.flatMap((flag) => [`--${flag.name}`, `--${flag.name}=x`, `-${flag.short ?? 'z'}`]),
        '--',
        '',
      ),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), (argv) => {
        try {
          return ['run', 'help', 'version'].includes(parseArgs(argv).action);
        } catch (error) {
          return error instanceof ConfigError;
        }
      }),
      { seed: 42, numRuns: 500 },
    );
  });
});

describe('help', () => {
  it('names every flag, in at most 120 lines of at most 90 columns', () => {
    const lines = HELP.split('\n');
    expect(lines.length).toBeLessThanOrEqual(120);
    expect(lines.filter((line) => line.length > 90)).toEqual([]);
    const camel = (name: string) => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const missing = FLAGS.filter(({ name }) => !HELP.includes(`--${name}`) && !HELP.includes(`--${camel(name)}`));
    expect(missing).toEqual([]);
  });
});

describe('splitList', () => {
  it.each([
    ['', []],
    [' , ,', []],
    ['a b,c', ['a', 'b', 'c']],
    ['Bash(a, b) Read', ['Bash(a, b)', 'Read']],
    ['Bash(a (b, c), d),E', ['Bash(a (b, c), d)', 'E']],
    ['Bash(open, never', ['Bash(open, never']],
    ['a),b', ['a)', 'b']],
  ])('splits %j', (text, entries) => {
    expect(splitList(text)).toEqual(entries);
  });
});

describe('nearestWord', () => {
  it('names nothing for a word unlike any', () => {
    expect(nearestWord('completely-different', ['model', 'tools'])).toBeUndefined();
    expect(nearestWord('x'.repeat(100_000), ['model'])).toBeUndefined();
    expect(nearestWord('tolls', ['model', 'tools'])).toBe('tools');
  });
});

describe('resolveFolders', () => {
  const folder = sharedFolder('cli');
  writeFileSync(join(folder, 'file'), '');

  it('makes folders absolute, --add-dir from --cwd on', () => {
    const resolved = resolveFolders({ cwd: '.', additionalDirectories: ['.'] }, folder);
    expect(resolved).toMatchObject({ cwd: folder, additionalDirectories: [folder] });
    expect(resolveFolders({}, folder)).toEqual({ cwd: folder });
  });

  it.each([
    [{ cwd: 'missing' }, /--cwd .*missing does not exist/],
    [{ cwd: 'file' }, /--cwd .*file is not a folder/],
    [{ cwd: 'file/below' }, /is not a folder/],
    [{ cwd: 'a\0b' }, /--cwd .*cannot be used/],
    [{ additionalDirectories: ['missing'] }, /--add-dir .*missing does not exist/],
  ])('refuses %j', (options, says) => {
    expect(() => resolveFolders(options, folder)).toThrow(says);
  });
});
