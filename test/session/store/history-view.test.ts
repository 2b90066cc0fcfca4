import { describe, expect, it } from 'vitest';
import type { ReadEntry } from '../../../src/session/store/read-transcript.js';
import { withoutRepeats } from '../../../src/session/store/session-messages.js';

/**
 * `p1` is a prompt, `a1` a reply, `S` a summary, `B` a boundary. The number of an entry tells two of one content apart;
 * `p1@5` was written at that time.
 */
function entries(...names: string[]): ReadEntry[] {
  return names.map((name, at) => {
    const role = name.startsWith('a') ? 'assistant' : name === 'B' ? null : 'user';
    const [content, timestamp] = name.split('@');
    const value = {
      message: { content },
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(name.startsWith('S') ? { isCompactSummary: true } : {}),
    };
    return { value, uuid: String(at), at, role, replyId: null, isLossy: false, isBeside: false };
  });
}

const shown = (...names: string[]) =>
  withoutRepeats(entries(...names)).map(({ value }) => (value['message'] as { content: string }).content);

describe('a conversation across its compactions', () => {
  it.each<[string, string[], string[]]>([
    ['no compaction', ['p1', 'a1', 'p1', 'a1'], ['p1', 'a1', 'p1', 'a1']],
    ['nothing kept', ['p1', 'a1', 'S', 'p2', 'a2'], ['p1', 'a1', 'S', 'p2', 'a2']],
    ['the end kept', ['p1', 'a1', 'p2', 'a2', 'S', 'p2', 'a2', 'p3'], ['p1', 'a1', 'p2', 'a2', 'S', 'p3']],
    ['all kept', ['p1', 'a1', 'S', 'p1', 'a1', 'p2'], ['p1', 'a1', 'S', 'p2']],
    [
      'the prompt and a later end kept',
      ['p1', 'a1', 'a2', 'a3', 'S', 'p1', 'a3', 'p2'],
      ['p1', 'a1', 'a2', 'a3', 'S', 'p2'],
    ],
    [
      'a prompt that was cut, and the end',
      ['p1', 'a1', 'a2', 'S', 'p9', 'a2', 'p2'],
      ['p1', 'a1', 'a2', 'S', 'p9', 'a2', 'p2'],
    ],
    ['the same prompt typed again', ['p1', 'a1', 'S', 'p1', 'a2'], ['p1', 'a1', 'S', 'p1', 'a2']],
    ['the prompt alone kept', ['p1@1', 'a1', 'S', 'p1@1', 'p2', 'a2'], ['p1', 'a1', 'S', 'p2', 'a2']],
    ['the same prompt typed later', ['p1@1', 'a1', 'S', 'p1@2', 'a2'], ['p1', 'a1', 'S', 'p1', 'a2']],
    [
      'two compactions',
      ['p1', 'a1', 'S', 'a1', 'p2', 'a2', 'S2', 'p2', 'a2', 'p3'],
      ['p1', 'a1', 'S', 'p2', 'a2', 'S2', 'p3'],
    ],
    ['a boundary', ['p1', 'a1', 'B', 'S', 'a1', 'p2'], ['p1', 'a1', 'B', 'S', 'p2']],
    ['nothing before', ['S', 'p1', 'a1'], ['S', 'p1', 'a1']],
  ])('with %s', (_name, names, expected) => {
    expect(shown(...names)).toEqual(expected);
  });

  it('takes no time to speak of if everything is the same', () => {
    const same = Array.from({ length: 3_000 }, () => 'a1');
    expect(shown(...same, 'S', ...same).length).toBe(3_001);
  });
});
