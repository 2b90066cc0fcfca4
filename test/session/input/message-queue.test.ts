import { describe, expect, it } from 'vitest';
import { createMessageQueue, type MessageQueue } from '../../../src/session/input/message-queue.js';

function filled(...priorities: ('now' | 'next' | 'later' | undefined)[]): MessageQueue {
  const queue = createMessageQueue();
  for (const [index, priority] of priorities.entries())
    queue.push({ prompt: String(index), ...(priority === undefined ? {} : { priority }) });
  return queue;
}

const taken = (queue: MessageQueue) => Array.from(queue.waiting, () => queue.take()?.prompt);

describe('the queue of messages', () => {
  it('gives now first and later last, the others in the order they came', () => {
    expect(taken(filled('later', undefined, 'next', 'now', undefined, 'now'))).toEqual(['3', '5', '1', '2', '4', '0']);
    expect(createMessageQueue().take()).toBeNull();
  });

  it('has only messages with next between turns, past those that get a prompt of their own', () => {
    const first = (queue: MessageQueue) => queue.firstBetweenTurns(() => true)?.prompt;
    expect(first(filled('later', undefined, 'next', 'next'))).toBe('2');
    expect(first(filled('now', undefined, 'later'))).toBeUndefined();
  });

  it('holds back what stands behind a message that the running prompt cannot take', () => {
    const queue = filled('next', 'next');
    expect(queue.firstBetweenTurns(({ prompt }) => prompt !== '0')).toBeNull();
    expect(queue.waiting).toHaveLength(2);
  });

  it('gives each message once', () => {
    const queue = filled('next');
    const first = queue.firstBetweenTurns(() => true);
    if (first === null) throw new Error('nothing waits');
    expect([queue.remove(first), queue.remove(first), queue.take()]).toEqual([true, false, null]);
  });

  it('wakes who waits with a message, an end or an error; what waits comes before both', async () => {
    const queue = createMessageQueue();
    const ready = queue.ready();
    queue.push({ prompt: 'a' });
    expect(await ready).toBe(true);
    queue.end();
    expect(await queue.ready()).toBe(true);
    queue.take();
    expect(await queue.ready()).toBe(false);
    const broken = filled(undefined);
    broken.fail(new Error('the source broke'));
    expect(await broken.ready()).toBe(true);
    broken.take();
    await expect(broken.ready()).rejects.toThrow('the source broke');
  });
});
