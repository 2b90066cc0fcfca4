import { expect, it } from 'vitest';
import { createTextFlow } from '../../../src/cli/acp/updates.js';

function flow() {
  const said: string[] = [];
  return { said, ...createTextFlow((id, text) => said.push(`${id}:${text}`)) };
}

it('what was streamed is not said again; what was not is', () => {
  const { said, delta, whole } = flow();
  delta('m1', 'one ');
  delta('m1', 'two');
  whole('m1', 'one two');
  whole('m2', 'not streamed');
  delta('m3', 'half');
  whole('m3', 'half and more');
  expect(said).toEqual(['m1:one ', 'm1:two', 'm2:not streamed', 'm3:half', 'm3: and more']);
});

it('a withdrawn attempt: the next goes on if it says the same, and else begins a message of its own', () => {
  const same = flow();
  same.delta('m1', 'The answer');
  same.withdraw('m1');
  same.delta('m2', 'The ');
  same.delta('m2', 'answer is');
  same.withdraw('m2');
  same.delta('m3', 'The answer is 42');
  same.delta('m3', '.');
  same.whole('m3', 'The answer is 42.');
  expect(same.said).toEqual(['m1:The answer', 'm1: is', 'm1: 42', 'm1:.']);

  const other = flow();
  other.delta('m1', 'The answer');
  other.withdraw('m1');
  other.delta('m2', 'The ');
  other.delta('m2', 'question');
  other.whole('m2', 'The question');
  expect(other.said).toEqual(['m1:The answer', 'm2:The question']);

  const shorter = flow();
  shorter.delta('m1', 'The answer is long');
  shorter.withdraw('m1');
  shorter.delta('m2', 'The answer');
  shorter.whole('m2', 'The answer');
  expect(shorter.said).toEqual(['m1:The answer is long', 'm2:The answer']);
});
