// The reduced version of test/soak/disk-faults.soak.ts.
import { describe, expect, it } from 'vitest';
import { checkDiskFaults, DISK_FAULTS } from '../../support/soak/disk-faults.js';

describe('a disk that fails at any operation', () => {
  it('ends no session, and what it does not hold is told', async () => {
    const { told, mended } = await checkDiskFaults(DISK_FAULTS, [1, Number.POSITIVE_INFINITY], 4);
    expect(told).toBeGreaterThan(mended);
    expect(mended).toBeGreaterThan(0);
  });
});
