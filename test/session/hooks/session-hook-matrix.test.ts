// Each hook event in a whole session, with one kind of hook and one way to end each; `npm run soak -- hooks` takes all.
import { expect, it, onTestFinished } from 'vitest';
import { HOOK_EVENTS } from '../../../src/protocol/hooks.js';
import {
  openSessionMatrix,
  SESSION_ENDS,
  SESSION_KINDS,
  sessionCases,
} from '../../support/soak/session-hook-matrix.js';

it('is fired once if it is due, refuses if it can, and its failure is told', async () => {
  const matrix = await openSessionMatrix();
  onTestFinished(matrix.close);
  const cases = sessionCases();
  expect(cases).toHaveLength(HOOK_EVENTS.length * SESSION_KINDS.length * SESSION_ENDS.length);
  const problems: string[] = [];
  const due = cases.filter(({ event, kind, end }) => {
    const at = HOOK_EVENTS.indexOf(event);
    return SESSION_KINDS[at % SESSION_KINDS.length] === kind && SESSION_ENDS[at % SESSION_ENDS.length] === end;
  });
  for (const each of due) {
    const problem = await matrix.run(each);
    if (problem !== null) problems.push(`${each.event} ${each.kind} ${each.end}: ${problem}`);
  }
  expect(problems).toEqual([]);
}, 60_000);
