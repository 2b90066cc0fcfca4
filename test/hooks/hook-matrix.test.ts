// Each event with each kind of hook: allows, denies, changes, is late, crashes. `npm run soak -- hooks` takes all.
import { expect, it, onTestFinished } from 'vitest';
import { HOOK_EVENTS } from '../../src/protocol/hooks.js';
import { changeOf, ENDS, KINDS, matrixCases, matrixProblem, openMatrix } from '../support/soak/hook-matrix.js';

it('is fired once, heard alike whatever kind it is, and told if it fails', async () => {
  const matrix = await openMatrix();
  onTestFinished(matrix.close);
  const cases = matrixCases();
  expect(cases.length).toBe(HOOK_EVENTS.length * KINDS.length * ENDS.length);
  // Functions with all ends; of the others, which cost more, one end for each event, and of addresses their changes.
  const due = cases.filter(({ event, kind, end }) => {
    const turn = (HOOK_EVENTS.indexOf(event) + KINDS.indexOf(kind)) % ENDS.length;
    return kind === 'callback' || ENDS[turn] === end || (kind === 'http' && end === 'modify');
  });
  const problems: string[] = [];
  const changes = new Map<string, unknown>();
  for (const each of due) {
    const result = await matrix.run(each);
    const problem = matrixProblem(each, result);
    if (problem !== null) problems.push(`${each.event} ${each.kind} ${each.end}: ${problem}`);
    if (each.end !== 'modify' || each.kind === 'prompt' || each.kind === 'agent') continue;
    const change = changes.get(each.event) ?? changeOf(result.result);
    changes.set(each.event, change);
    expect(changeOf(result.result), `${each.event} ${each.kind}`).toEqual(change);
  }
  expect(problems).toEqual([]);
}, 60_000);
