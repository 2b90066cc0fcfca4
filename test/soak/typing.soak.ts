// T55 at its full count: keys at every moment around more than a thousand dialogs.
import { expect, it } from 'vitest';
import { checkTyping } from '../tui/dialogs/typing-property.js';

it('no answer that was not meant and no character lost around tens of thousands of dialogs', () => {
  const dialogs = checkTyping(20_000);
  process.stdout.write(`typing: ${dialogs} dialogs\n`);
  expect(dialogs).toBeGreaterThan(10_000);
});
