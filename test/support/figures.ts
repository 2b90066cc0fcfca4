// What soak tests measure and how they are seeded. `npm run soak` collects the figures into docs/figures.md; in any
// other run they go nowhere.
import { appendFileSync } from 'node:fs';

const DEFAULT_SEED = 42;

/** The seed of this run, for everything random. */
export const SEED = Number(process.env['TURNWRIGHT_SEED'] ?? DEFAULT_SEED);

/** How long a suite that counts lines may go on before it says what it has: without an end, unless the run is given one. */
export const SOAK_MS = Number(process.env['TURNWRIGHT_SOAK_MINUTES'] ?? Number.POSITIVE_INFINITY) * 60_000;

/** Records one measured value. A later value of the same suite and name replaces it. */
export function recordFigure(suite: string, name: string, value: number | string, unit: string): void {
  const file = process.env['TURNWRIGHT_FIGURES'];
  if (file === undefined) return;
  appendFileSync(file, `${JSON.stringify({ suite, name, value, unit })}\n`);
}
