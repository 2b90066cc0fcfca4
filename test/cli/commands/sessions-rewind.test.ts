import { describe, expect, it } from 'vitest';
import { pointLines, rewindLines } from '../../../src/cli/commands/sessions-change.js';
import type { Style } from '../../../src/cli/lines/style.js';

const STYLE: Style = { colour: false, columns: 60, verbose: false };
const NOW = 1_700_000_000_000;

describe('the list of prompts', () => {
  it('has one line each, as wide as the terminal, with nothing hidden', () => {
    const points = [
      { uuid: '11111111-aaaa', prompt: 'first \x1b[31m', at: NOW - 120_000, filesChanged: ['/a', '/b'] },
      { uuid: '11111111-bbbb', prompt: `long ${'word '.repeat(30)}`, filesChanged: null },
    ];
    const lines = pointLines(points, 60, STYLE, NOW);
    expect(lines[0]).toMatch(/^ID +SENT +FILES {2}PROMPT$/);
    expect(lines[1]).toMatch(/^11111111-a {2}2 min ago {6}2 {2}first \\x1b\[31m$/);
    expect(lines[2]).toMatch(/^11111111-b +- {2}long word/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});

describe('what a rewind did', () => {
  it('is said with what stays, and how to take it back', () => {
    const lines = rewindLines(
      {
        status: 'partial',
        targetUserMessageId: 'u1',
        scope: 'both',
        removedMessageIds: ['a', 'b'],
        filesChanged: ['/x/a.txt'],
        insertions: 1,
        deletions: 2,
        failedFiles: [{ path: '/x/b.txt', error: '/x/b.txt was changed.' }],
        files: { canRewind: true, notCovered: [{ path: null, reason: 'too_large', message: 'Too large.' }] },
        rewindId: 'r1',
      },
      'SESSION',
      false,
    );
    expect(lines).toEqual([
      'Took 2 messages out of the conversation.',
      'Set back 1 file (+1 -2 lines).',
      '  /x/a.txt',
      'Note: /x/b.txt was changed.',
      'Note: Too large.',
      'To take it back: turnwright sessions rewind SESSION r1 --both',
    ]);
  });

  it('is said as what would be done on a dry run', () => {
    const result = { targetUserMessageId: 'u1', scope: 'conversation', removedMessageIds: ['a'] } as const;
    expect(rewindLines({ ...result, status: 'ready' }, 'SESSION', true)).toEqual([
      'Would take 1 message out of the conversation.',
    ]);
  });
});
