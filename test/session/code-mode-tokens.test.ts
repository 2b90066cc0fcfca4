// A task over 200 results costs at most 15 % of the tokens in code mode, and what is denied is the same.
import { expect, it } from 'vitest';
import { expectedNotes, runBulkTask } from '../support/bulk-task.js';

it('takes at most 15 % of the tokens of single calls, with the same denials', async () => {
  const script = await runBulkTask('script');
  const calls = await runBulkTask('calls');
  expect(JSON.parse(script.answer)).toEqual(expectedNotes());
  expect(Number(calls.answer)).toBeGreaterThanOrEqual(expectedNotes().length);
  expect(calls.denied).toHaveLength(4);
  expect([...script.denied].sort()).toEqual([...calls.denied].sort());
  expect(script.requests).toBe(2);
  expect(script.tokens / calls.tokens).toBeLessThanOrEqual(0.15);
});
