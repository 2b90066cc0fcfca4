import { describe, expect, it, onTestFinished } from 'vitest';
import { shareSignal } from '../../src/util/abort.js';

/** Work that goes on until its signal is aborted. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve(String(signal.reason))));

describe('shareSignal', () => {
  it('aborts all work under way with the parent, at once and for its reason', async () => {
    const parent = new AbortController();
    const shared = shareSignal(parent.signal);
    const signals: AbortSignal[] = [];
    const work = [1, 2, 3].map(() =>
      shared.use((signal) => {
        signals.push(signal);
        return untilAborted(signal);
      }),
    );
    parent.abort('enough');
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true, true]);
    expect(await Promise.all(work)).toEqual(['enough', 'enough', 'enough']);
  });

  it('aborts its own work alone', async () => {
    const parent = new AbortController();
    const shared = shareSignal(parent.signal);
    const work = shared.use(untilAborted);
    shared.abort();
    await work;
    expect(parent.signal.aborted).toBe(false);
  });

  it('works again after all work was done, and with a parent that is aborted already', async () => {
    const parent = new AbortController();
    const shared = shareSignal(parent.signal);
    expect(await shared.use(async (signal) => signal.aborted)).toBe(false);
    await expect(
      shared.use(async () => {
        throw new Error('failed');
      }),
    ).rejects.toThrow('failed');
    parent.abort();
    expect(await shared.use(async (signal) => signal.aborted)).toBe(true);
  });

  it('is one listener however much work there is: the process warns of nothing', async () => {
    const warnings: Error[] = [];
    const heed = (warning: Error) => void warnings.push(warning);
    process.on('warning', heed);
    onTestFinished(() => void process.off('warning', heed));
    const parent = new AbortController();
    const shared = shareSignal(parent.signal);
    const work = Array.from({ length: 50 }, () => shared.use(untilAborted));
    parent.abort();
    await Promise.all(work);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  });
});
