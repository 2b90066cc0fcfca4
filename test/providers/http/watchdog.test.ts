// Limits on silence, on a clock that the test moves.
import { describe, expect, it } from 'vitest';
import { createWatchdog, type Silence } from '../../../src/providers/http/watchdog.js';

/** A clock that stands still until it is moved; timers fire in order on the way. */
function createStillClock() {
  let now = 0;
  let timers: { at: number; callback: () => void }[] = [];
  let armed = 0;
  return {
    monotonic: () => now,
    after(ms: number, callback: () => void) {
      armed++;
      const timer = { at: now + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    move(ms: number) {
      const end = now + ms;
      for (;;) {
        const next = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.at);
        next.callback();
      }
      now = end;
    },
    /** The clock goes on while nothing runs, as when a process is stopped. */
    sleep(ms: number) {
      now += ms;
    },
    pending: () => timers.length,
    armed: () => armed,
  };
}

function start(requestTimeoutMs: number, streamIdleMs: number, contentIdleMs?: number) {
  const clock = createStillClock();
  const heard: Silence[] = [];
  const limits = { requestTimeoutMs, streamIdleMs, ...(contentIdleMs === undefined ? {} : { contentIdleMs }) };
  const watchdog = createWatchdog(clock, limits, (silence) => heard.push(silence));
  const touch = () => {
    watchdog.hear();
    watchdog.progress();
  };
  return { clock, heard, watchdog: { ...watchdog, touch } };
}

describe('a watchdog', () => {
  it('hears silence before the first event, once', () => {
    const { clock, heard } = start(1_000, 100);
    clock.move(999);
    expect(heard).toEqual([]);
    clock.move(10_000);
    expect(heard).toEqual(['first']);
    expect(clock.pending()).toBe(0);
  });

  it.each([0, Infinity])(
    'waits for ever for a first event where its limit is %s, and then for each that follows',
    (limit) => {
      const { clock, heard, watchdog } = start(limit, 100);
      clock.move(10 * 60_000);
      expect(heard).toEqual([]);
      watchdog.touch();
      clock.move(1_000);
      expect(heard).toEqual(['life']);
    },
  );

  it('hears silence between events as soon as its limit is over', () => {
    const { clock, heard, watchdog } = start(1_000, 100);
    watchdog.touch();
    clock.move(60);
    watchdog.touch();
    clock.move(99);
    expect(heard).toEqual([]);
    clock.move(3);
    expect(heard).toEqual(['life']);
  });

  it('sets no timer for an event', () => {
    const { clock, heard, watchdog } = start(1_000, 100);
    for (let n = 0; n < 10_000; n++) watchdog.touch();
    expect(clock.armed()).toBe(2);
    expect(heard).toEqual([]);
  });

  it.each([0, Number.POSITIVE_INFINITY])('has no limit if it is %d', (limit) => {
    const { clock, heard, watchdog } = start(limit, limit);
    clock.move(1e12);
    watchdog.touch();
    clock.move(1e12);
    expect(heard).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it('can wait longer than a timer can', () => {
    const { clock, heard } = start(2 ** 33, 100);
    clock.move(2 ** 33 - 1);
    expect(heard).toEqual([]);
    clock.move(10);
    expect(heard).toEqual(['first']);
  });

  it('does not count the time in which nothing was read', () => {
    const { clock, heard, watchdog } = start(1_000, 100);
    watchdog.touch();
    watchdog.hold();
    clock.move(100_000);
    watchdog.proceed();
    clock.move(99);
    expect(heard).toEqual([]);
    clock.move(200);
    expect(heard).toEqual(['life']);
  });

  it('lets a process that was stopped read its socket first', () => {
    const { clock, heard, watchdog } = start(1_000, 100);
    watchdog.touch();
    clock.sleep(100_000);
    clock.move(0); // the timer is due before the event is read
    watchdog.touch();
    clock.move(99);
    expect(heard).toEqual([]);
  });

  it('takes pings as life, up to the limit of content', () => {
    const { clock, heard, watchdog } = start(1_000, 100, 1_000);
    watchdog.touch();
    for (let ms = 0; ms < 900; ms += 90) {
      clock.move(90);
      watchdog.hear();
    }
    expect(heard).toEqual([]);
    for (let ms = 0; ms < 90; ms += 45) {
      clock.move(45);
      watchdog.hear();
    }
    expect(heard).toEqual([]);
    clock.move(12);
    expect(heard).toEqual(['content']);
  });

  it('begins the wait for content anew with each', () => {
    const { clock, heard, watchdog } = start(1_000, 100, 250);
    for (let round = 0; round < 5; round++) {
      watchdog.touch();
      clock.move(90);
      watchdog.hear();
      clock.move(90);
      watchdog.hear();
    }
    expect(heard).toEqual([]);
    clock.move(200);
    expect(heard).toEqual(['content']);
  });

  it('hears silence between pings by the limit of silence', () => {
    const { clock, heard, watchdog } = start(1_000, 100, 10_000);
    watchdog.touch();
    clock.move(90);
    watchdog.hear();
    clock.move(103);
    expect(heard).toEqual(['life']);
  });

  it.each([
    ['a shorter limit of content', 100, 50],
    ['none', 100, undefined],
  ])('waits for content as long as for life where there is %s', (_, streamIdleMs, contentIdleMs) => {
    const { clock, heard, watchdog } = start(1_000, streamIdleMs, contentIdleMs);
    watchdog.touch();
    clock.move(60);
    watchdog.hear();
    clock.move(39);
    expect(heard).toEqual([]);
    clock.move(5);
    expect(heard).toEqual(['content']);
  });

  it('has no limit of content if it is 0, nor if silence has none', () => {
    for (const [life, content] of [
      [100, 0],
      [0, 100],
    ] as const) {
      const { clock, heard, watchdog } = start(1_000, life, content);
      watchdog.touch();
      for (let hours = 0; hours < 100; hours++) {
        clock.move(99);
        watchdog.hear();
      }
      expect(heard, `${life} ${content}`).toEqual([]);
    }
  });

  it('is no sign of life before the first event', () => {
    const { clock, heard, watchdog } = start(1_000, 100, 10_000);
    clock.move(500);
    watchdog.hear();
    clock.move(499);
    expect(heard).toEqual([]);
    clock.move(5);
    expect(heard).toEqual(['first']);
  });

  it('is quiet after stop, also when an event comes late', () => {
    const { clock, heard, watchdog } = start(1_000, 100);
    watchdog.stop();
    watchdog.touch();
    clock.move(100_000);
    expect(heard).toEqual([]);
    expect(clock.pending()).toBe(0);
  });
});
