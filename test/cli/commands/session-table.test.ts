import { describe, expect, it } from 'vitest';
import { readWords } from '../../../src/cli/commands/read-words.js';
import { renderSession, sessionTable, timeAgo } from '../../../src/cli/commands/session-views.js';
import { reportLines } from '../../../src/cli/commands/sessions-change.js';
import type { SDKSessionInfo, SessionMessage } from '../../../src/protocol/session-store.js';
import { formatMoment } from '../../../src/view/figures.js';
import { displayWidth } from '../../../src/view/width.js';

const NOW = Date.UTC(2025, 5, 15, 12);
const plain = (columns: number) => ({ colour: false, columns, verbose: false });

function info(sessionId: string, fields: Partial<SDKSessionInfo> = {}): SDKSessionInfo {
  return {
    sessionId,
    summary: 'A title',
    lastModified: NOW - 120_000,
    fileSize: 12_345,
    cwd: '/home/user/project',
    ...fields,
  };
}

const ONE = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';
const TWO = '2b4e28ba-2fa1-41d2-883f-0016d3cca427';

describe('a table of sessions', () => {
  it('has a line a session', () => {
    const table = sessionTable([info(ONE), info(TWO, { summary: 'Other', tag: 'later', archived: true })], {
      style: plain(60),
      now: NOW,
      showsFolder: false,
    });
    expect(table).toEqual([
      'ID        CHANGED       SIZE  TITLE',
      '1b4e28ba  2 min ago  12.3 KB  A title',
      '2b4e28ba  2 min ago  12.3 KB  [later] Other (archived)',
    ]);
  });

  it('fits the terminal, whatever the titles', () => {
    const titles = [
      'x'.repeat(300),
      '日本語のタイトル'.repeat(20),
      'a\nb\x1b[31mred\u202e',
      '',
      '\u{1f600}'.repeat(100),
    ];
    const sessions = titles.map((summary, at) =>
      info(`${at}b4e28ba-2fa1-41d2-883f-0016d3cca427`, { summary, cwd: `/日本/${summary}` }),
    );
    for (const columns of [60, 80, 133]) {
      for (const showsFolder of [false, true]) {
        for (const line of sessionTable(sessions, { style: plain(columns), now: NOW, showsFolder })) {
          expect(displayWidth(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
        }
      }
    }
  });

  it('shows the end of a folder, and as much of an id as tells them apart', () => {
    const folder = '/a/very/long/path/that/goes/on/to/the/project';
    const [, first] = sessionTable([info(ONE, { cwd: folder }), info(`${ONE.slice(0, 20)}9${ONE.slice(21)}`)], {
      style: plain(80),
      now: NOW,
      showsFolder: true,
    });
    expect(first).toContain('…');
    expect(first).toContain('the/project');
    expect(first?.startsWith(ONE.slice(0, 21))).toBe(true);
  });

  it.each<[number, string]>([
    [0, 'just now'],
    [59_000, 'just now'],
    [-5_000, 'just now'],
    [60_000, '1 min ago'],
    [59 * 60_000, '59 min ago'],
    [3 * 3_600_000, '3 h ago'],
    [30 * 86_400_000, '30 d ago'],
    [40 * 86_400_000, '2025-05-06'],
    [-3_600_000, '2025-06-15'],
  ])('tells a time %d ms ago as %s', (passed, expected) => {
    expect(timeAgo(NOW - passed, NOW)).toBe(expected);
  });
});

describe('the view of a session', () => {
  const message = (type: 'user' | 'assistant', content: unknown): SessionMessage => ({
    type,
    uuid: 'u',
    session_id: ONE,
    message: { content },
    parent_tool_use_id: null,
    parent_agent_id: null,
  });

  it('has facts, prompts, replies, calls and results, with nothing hidden in them', () => {
    const lines = renderSession(
      ONE,
      info(ONE, { gitBranch: 'main', createdAt: 0 }),
      [
        message('user', 'do \x1b[31mit\nnow'),
        message('assistant', [
          { type: 'text', text: 'I will.' },
          { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } },
        ]),
        message('user', [
          { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'a\nb' }, { type: 'image' }] },
        ]),
      ],
      7,
      plain(80),
    );
    expect(lines).toEqual([
      'A title',
      `id        ${ONE}`,
      'folder    /home/user/project',
      'branch    main',
      `started   ${formatMoment(0)}`,
      `changed   ${formatMoment(NOW - 2 * 60_000)}`,
      'size      12.3 KB',
      '',
      '… 7 earlier messages',
      '',
      '> do \\x1b[31mit',
      '> now',
      '',
      'I will.',
      '● Bash  ls',
      '  ⎿ a … (+2 lines)',
    ]);
  });

  it('takes messages of any shape', () => {
    const odd = [
      null,
      7,
      'text',
      [null, 1, { type: 'text' }, { type: 'tool_use' }, { type: 'tool_result' }, { type: 'x' }],
      {},
    ];
    expect(
      renderSession(
        ONE,
        undefined,
        odd.map((content) => message('user', content)),
        0,
        plain(80),
      ).length,
    ).toBeGreaterThan(2);
    const noMessage = { ...message('user', ''), message: undefined };
    expect(renderSession(ONE, undefined, [noMessage], 0, plain(80))).toEqual([
      'Session without a title',
      `id        ${ONE}`,
    ]);
  });
});

describe('the words of a command', () => {
  const flags = [
    { name: 'json', takes: 'nothing' },
    { name: 'up-to', takes: 'value' },
    { name: 'output', short: 'o', takes: 'value' },
  ] as const;

  it('are flags and the rest', () => {
    const words = readWords(['id', '--up-to', 'x', '-o=-', '--json', 'a', '--', '--json'], flags);
    expect(words.words).toEqual(['id', 'a', '--json']);
    expect([words.has('json'), words.value('up-to'), words.value('output')]).toEqual([true, 'x', '-']);
    expect(readWords(['--upTo=y', '-o', 'z', '-'], flags).value('up-to')).toBe('y');
  });

  it.each([
    [['--jsn'], /unknown flag --jsn\. Did you mean --json\?/],
    [['-x'], /unknown flag -x/],
    [['--json=1'], /--json takes no value/],
    [['--up-to'], /--up-to needs a value/],
    [['--up-to='], /--up-to needs a value/],
  ])('are refused: %s', (argv, says) => {
    expect(() => readWords(argv, flags)).toThrow(says);
  });
});

describe('the report of a collection', () => {
  const removed = [
    { kind: 'session', path: '/home/a.jsonl', bytes: 12_000, sessionId: ONE, lastModified: NOW - 40 * 86_400_000 },
    { kind: 'blob', path: '/home/blob\x1b[31m', bytes: 500 },
  ] as const;

  it('says what went, what would go, and what could not', () => {
    const report = { removed, kept: [{ path: '/b', reason: 'denied\nreally' }], remainingBytes: 5_000 };
    expect(reportLines(report, false, NOW)).toEqual([
      'deleted session /home/a.jsonl (12.0 KB, 2025-05-06)',
      'deleted blob /home/blob\\x1b[31m (500 bytes)',
      'kept /b: denied really',
      'Freed 1 session, 1 blob: 12.5 KB; 5.0 KB of sessions left.',
    ]);
    expect(reportLines({ ...report, kept: [], remainingBytes: null }, true, NOW).at(-1)).toBe(
      'Would free 1 session, 1 blob: 12.5 KB.',
    );
    expect(reportLines({ removed: [], kept: [], remainingBytes: null }, true, NOW)).toEqual([
      'There was nothing to delete.',
    ]);
  });

  it('does not list thousands', () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({ kind: 'lock', path: `/${n}`, bytes: 1 }) as const);
    const lines = reportLines({ removed: many, kept: [], remainingBytes: null }, false, NOW);
    expect(lines.length).toBe(202);
    expect(lines.at(-2)).toBe('… and 800 more');
  });
});
