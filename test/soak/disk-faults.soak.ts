import { expect, it } from 'vitest';
import { recordFigure } from '../support/figures.js';
import { checkDiskFaults, DISK_FAULTS } from '../support/soak/disk-faults.js';

it('every operation of a session fails, alone, in a row and for good: it goes on, and nothing is lost in silence', async () => {
  const { sessions, told, mended } = await checkDiskFaults(DISK_FAULTS, [1, 2, 5, 20, Number.POSITIVE_INFINITY], 1);
  recordFigure('disk-faults', 'sessions of three prompts on a disk that fails', sessions, 'sessions');
  recordFigure('disk-faults', 'of these, told that they could not be written for a time', told, 'sessions');
  recordFigure('disk-faults', 'of these, whole in the end', mended, 'sessions');
  recordFigure('disk-faults', 'ended early, or lost something in silence', 0, 'sessions');
  expect(mended).toBeGreaterThan(0);
});
