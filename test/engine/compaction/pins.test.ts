import { describe, expect, it } from 'vitest';
import { collectPins, type PinInput } from '../../../src/engine/compaction/pins.js';
import { createTokenEstimator } from '../../../src/engine/estimate-tokens.js';
import { textOf } from '../long-histories.js';

const estimator = createTokenEstimator();
const pins = (input: Partial<PinInput>) =>
  collectPins({ todos: [], readFiles: [], instructions: [], maxTokens: 1_000, estimator, ...input });

describe('pins', () => {
  it('hold instructions, plan and todos word for word', () => {
    const found = pins({
      instructions: ['# Rules\n\n- Tabs.\t\n', '  '],
      plan: '1. Read.\n2. Write.',
      todos: [
        { id: '1', content: 'Read it', status: 'completed' },
        { id: '2', content: 'Fix it', status: 'in_progress', priority: 'high' },
        { id: '3', content: 'Test it', status: 'pending' },
      ],
    });
    expect(found).toHaveLength(3);
    expect(found[0]).toBe('# Rules\n\n- Tabs.\t\n');
    expect(found[1]).toContain('\n1. Read.\n2. Write.');
    expect(found[2]).toMatch(/\[x\] Read it \(id 1\)\n\[~\] Fix it \(id 2, high priority\)\n\[ \] Test it \(id 3\)$/);
  });

  it('never leave those out for want of room, but the files', () => {
    const rules = textOf(5_000, 1);
    expect(pins({ instructions: [rules], readFiles: [{ path: 'a', text: 'a' }] })).toEqual([rules]);
  });

  it('take the most recent files first, whole, and each once', () => {
    const file = (path: string, tokens: number) => ({ path, text: textOf(tokens, path.length) });
    const readFiles = [
      file('src/a.ts', 300),
      file('huge', 900),
      file('src/a.ts', 300),
      file('b', 300),
      file('cc', 900),
    ];
    const found = pins({ readFiles });
    expect(found.map((pin) => /^The file (\S+),/.exec(pin)?.[1])).toEqual(['src/a.ts', 'b']);
    expect(found[0]).toContain(`\n${textOf(300, 8)}\n`);
    expect(found.reduce((sum, pin) => sum + estimator.text(pin), 0)).toBeLessThanOrEqual(1_000);
  });

  it('are none where there is nothing to pin', () => {
    expect(pins({ plan: ' ', readFiles: [{ path: 'a', text: '\n' }] })).toEqual([]);
    expect(pins({ maxTokens: 0, readFiles: [{ path: 'a', text: 'x' }] })).toEqual([]);
  });

  it('are valid text', () => {
    expect(pins({ readFiles: [{ path: 'a', text: 'half \ud800 pair' }] })[0]).toContain('half \ufffd pair');
  });
});
