// The host of the process: real clock, real ids, live environment.
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { createNodeHost } from '../../src/host/node-host.js';

describe('createNodeHost', () => {
  it('runs a timer once, not before its time', async () => {
    const { clock } = createNodeHost();
    const start = clock.monotonic();
    await new Promise<void>((resolve) => {
      clock.after(20, resolve);
    });
    expect(clock.monotonic() - start).toBeGreaterThanOrEqual(19);
  });

  it('does not run a cancelled timer, and cancels twice', async () => {
    const { clock } = createNodeHost();
    const ran: string[] = [];
    const cancel = clock.after(5, () => ran.push('cancelled'));
    cancel();
    cancel();
    await new Promise<void>((resolve) => {
      clock.after(20, resolve);
    });
    expect(ran).toEqual([]);
  });

  it('does not fire a wait of months at once', async () => {
    const { clock } = createNodeHost();
    let fired = false;
    const cancel = clock.after(2 ** 33, () => {
      fired = true;
    });
    await new Promise<void>((resolve) => {
      clock.after(20, resolve);
    });
    cancel();
    expect(fired).toBe(false);
  });

  it('gives different version 4 UUIDs and numbers below 1', () => {
    const { ids } = createNodeHost();
    expect(ids.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids.uuid()).not.toBe(ids.uuid());
    expect(ids.random()).toBeLessThan(1);
  });

  it('shows the process it lives in', () => {
    const host = createNodeHost();
    expect(host.platform).toMatchObject({ os: process.platform, homedir: homedir(), cwd: process.cwd() });
    process.env['TURNWRIGHT_TEST_LIVE'] = 'yes';
    expect(host.env['TURNWRIGHT_TEST_LIVE']).toBe('yes');
    delete process.env['TURNWRIGHT_TEST_LIVE'];
    expect(Math.abs(host.clock.now() - Date.now())).toBeLessThan(60_000);
  });

  it('takes parts of another host', () => {
    const { clock } = createMemoryHost({ now: 5 });
    const host = createNodeHost({ clock });
    expect(host.clock.now()).toBe(5);
    expect(host.platform.cwd).toBe(process.cwd());
  });

  it('hashes short and long contents alike, also a part of a buffer', async () => {
    const { sha256 } = createNodeHost();
    const all = new Uint8Array(600_000).map((_, index) => index % 251);
    for (const bytes of [all.subarray(0, 0), all.subarray(3, 40), all.subarray(7, 300_007), all]) {
      expect(await sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(await createMemoryHost().sha256(bytes)).toBe(await sha256(bytes));
    }
  });
});
