// T55 at its full count: keys at every moment around more than a thousand dialogs.
import { expect, it } from 'vitest';
import { checkTyping } from '../tui/dialogs/typing-property.js';

it('no answer that was not meant and no character lost around 1,000 dialogs and more', () => {
  const dialogs = checkTyping(2_000);
  process.stdout.write(`typing: ${dialogs} dialogs\n`);
  expect(dialogs).toBeGreaterThan(1_000);
});
