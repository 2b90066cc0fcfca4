import { describe, expect, it } from 'vitest';
import { type DialogView, openDialog } from '../../../src/tui/dialogs/dialog.js';
import { displayWidth } from '../../../src/view/width.js';
import { fakeFace } from './fake-face.js';
import { checkTyping } from './typing-property.js';

describe('T55: keys at every moment around dialogs', () => {
  it('no answer that was not meant, no character lost', () => {
    expect(checkTyping(300)).toBeGreaterThan(1_000);
  });
});

describe('a dialog in any window', () => {
  const view: DialogView = {
    head: [{ text: '? May it?' }],
    body: Array.from({ length: 40 }, (_, at) => ({ text: `line ${at} 漢字`, indent: 4 })),
    foot: [{ text: 'why asked: nobody said so' }],
    choices: [
      { key: 'y', label: 'yes', act: () => undefined },
      { key: 'n', label: 'no', act: () => undefined },
    ],
    dismisses: 'says no',
  };

  it('is never larger than its room, and takes no answer if its question cannot be seen', () => {
    for (let rows = 1; rows <= 30; rows++) {
      for (const columns of [1, 2, 5, 12, 40, 80, 120]) {
        const fake = fakeFace({ columns, rows });
        const answers: string[] = [];
        const choices = view.choices.map((choice) => ({ ...choice, act: () => answers.push(choice.key) }));
        openDialog(fake.face, {
          name: 'test',
          view: () => ({ ...view, choices: choices.map((choice) => ({ ...choice, act: () => void choice.act() })) }),
          dismiss: () => undefined,
          gone: () => undefined,
        });
        fake.paint();
        const { lines } = fake.frame();
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(columns, 2));
        fake.pass(600);
        fake.press('y');
        fake.pass(300);
        const isSeen = fake.frame().lines.join('').includes('yes');
        if (!isSeen) expect(answers).toEqual([]);
        if (columns >= 40 && rows >= 6) expect(answers).toEqual(['y']);
      }
    }
  });
});
