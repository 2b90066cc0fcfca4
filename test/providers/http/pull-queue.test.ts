// Values from a socket to a loop.
import { describe, expect, it } from 'vitest';
import { PullQueue } from '../../../src/providers/http/event-stream.js';

const done = { value: undefined, done: true };
const value = (of: number) => ({ value: of, done: false });

function create() {
  let emptied = 0;
  const queue = new PullQueue<number>(() => emptied++);
  return { queue, emptied: () => emptied };
}

describe('a pull queue', () => {
  it('gives values in order, whether they or their readers come first', async () => {
    const { queue } = create();
    queue.push(1);
    queue.push(2);
    expect([await queue.next(), await queue.next()]).toEqual([value(1), value(2)]);
    const waiting = [queue.next(), queue.next(), queue.next()];
    queue.push(3);
    queue.push(4);
    queue.end();
    expect(await Promise.all(waiting)).toEqual([value(3), value(4), done]);
    expect(await queue.next()).toEqual(done);
  });

  it('tells when it ran empty', async () => {
    const { queue, emptied } = create();
    queue.push(1);
    queue.push(2);
    expect(queue.isEmpty).toBe(false);
    await queue.next();
    expect(emptied()).toBe(0);
    await queue.next();
    expect([emptied(), queue.isEmpty]).toEqual([1, true]);
  });

  it('gives an error after the values before it, once', async () => {
    const { queue } = create();
    queue.push(1);
    queue.fail(new Error('late'), false);
    queue.push(2);
    expect(await queue.next()).toEqual(value(1));
    await expect(queue.next()).rejects.toThrow('late');
    expect(await queue.next()).toEqual(done);
  });

  it('gives an error at once if the values are dropped', async () => {
    const { queue } = create();
    queue.push(1);
    queue.fail(new Error('now'), true);
    await expect(queue.next()).rejects.toThrow('now');
  });

  it('gives an error to the first of several readers and the end to the others', async () => {
    const { queue } = create();
    const [first, second] = [queue.next(), queue.next()];
    queue.fail(new Error('now'), false);
    await expect(first).rejects.toThrow('now');
    expect(await second).toEqual(done);
  });

  it('forgets everything when it is discarded', async () => {
    const { queue } = create();
    queue.push(1);
    queue.fail(new Error('unread'), false);
    queue.discard();
    expect(await queue.next()).toEqual(done);
  });
});
