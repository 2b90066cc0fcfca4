// A person who types while dialogs come up, for T55: no answer that was not meant, no character lost. Shared by the quick test
// and the long one.
import fc from 'fast-check';
import { expect } from 'vitest';
import { openDialog } from '../../../src/tui/dialogs/dialog.js';
import { fakeFace } from './fake-face.js';

type Act =
  | { readonly do: 'open' }
  | { readonly do: 'paint' }
  | { readonly do: 'abort' }
  /** Letters, the first two of them less than a fifth of a second apart: nobody begins a word slower than that. */
  | { readonly do: 'word'; readonly letters: readonly string[]; readonly gaps: readonly number[] }
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'paste'; readonly text: string }
  | { readonly do: 'enter' }
  /** Looks at the dialog, and presses one key. */
  | { readonly do: 'answer'; readonly key: string };

/** The letters that mean something to dialogs are the ones to be afraid of. */
const LETTER = fc.constantFrom('y', 'n', 'a', 'p', 'e', 'v', '1', '2', 'o', 's', 'é', '語', ' ');

const ACT: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Act>({ do: 'open' }) },
  { weight: 3, arbitrary: fc.constant<Act>({ do: 'paint' }) },
  { weight: 1, arbitrary: fc.constant<Act>({ do: 'abort' }) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.array(LETTER, { minLength: 2, maxLength: 8 }),
        fc.array(fc.integer({ min: 0, max: 199 }), { minLength: 8, maxLength: 8 }),
      )
      .map(([letters, gaps]): Act => ({ do: 'word', letters, gaps })),
  },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 1_500 }).map((ms): Act => ({ do: 'pause', ms })) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }).map((text): Act => ({ do: 'paste', text })) },
  { weight: 2, arbitrary: fc.constant<Act>({ do: 'enter' }) },
  { weight: 3, arbitrary: fc.constantFrom('y', 'n').map((key): Act => ({ do: 'answer', key })) },
);

/** @returns dialogs that were opened */
export function checkTyping(runs: number, seed?: number): number {
  let dialogs = 0;
  fc.assert(
    fc.property(fc.array(ACT, { minLength: 20, maxLength: 60 }), (acts) => {
      dialogs += runScenario(acts);
    }),
    { numRuns: runs, ...(seed === undefined ? {} : { seed }) },
  );
  return dialogs;
}

function runScenario(acts: readonly Act[]): number {
  const fake = fakeFace();
  let typed = '';
  let opened = 0;
  const answers: string[] = [];
  const meant: string[] = [];
  const open: { readonly id: number; readonly controller: AbortController }[] = [];

  function ask(): void {
    const id = opened++;
    const controller = new AbortController();
    const answer = (key: string) => () => {
      answers.push(`${id}${key}`);
      open.splice(
        open.findIndex((each) => each.id === id),
        1,
      );
      dialog.close();
    };
    open.push({ id, controller });
    const choices = ['y', 'n', 'a', 'p', 'e', '1'].map((key) => ({ key, label: key, act: answer(key) }));
    const dialog = openDialog(fake.face, {
      name: String(id),
      signal: controller.signal,
      view: () => ({ head: [{ text: 'May it?' }], body: [], foot: [], choices, dismisses: 'says no' }),
      dismiss: answer('escape'),
      gone: () => undefined,
    });
  }

  for (const act of acts) {
    switch (act.do) {
      case 'open':
        ask();
        break;
      case 'paint':
        fake.paint();
        break;
      case 'abort':
        open.shift()?.controller.abort();
        break;
      case 'word':
        for (const [at, letter] of act.letters.entries()) {
          if (at > 0) fake.pass(act.gaps[at] ?? 0);
          typed += letter;
          fake.press(letter);
          if (fake.pager() !== null) throw new Error('a word opened a window');
        }
        break;
      case 'pause':
        fake.pass(act.ms);
        break;
      case 'paste':
        typed += act.text;
        fake.paste(act.text);
        break;
      case 'enter':
        fake.press('enter');
        break;
      case 'answer': {
        const [first] = open;
        if (first === undefined) break;
        fake.paint();
        fake.pass(500);
        meant.push(`${first.id}${act.key}`);
        fake.press(act.key);
        fake.pass(200);
        break;
      }
      default:
        act satisfies never;
    }
  }
  fake.pass(1_000);
  expect(answers).toEqual(meant);
  expect(fake.draft()).toBe(typed);
  return opened;
}
