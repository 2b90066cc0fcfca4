// Looks at all parts at the same time. One rule: a part that fails or takes too long is a finding, and the others are told.
import { isEngineError } from '../../../protocol/errors.js';
import { errorText } from '../../../util/text.js';
import { type Finding, type LookedAt, type Part, type Place, problem, warning } from './finding.js';

/** For each part. Milliseconds. */
const LIMIT_MS = 8_000;

/** In the order of the parts. Contract: never rejects; takes no longer than the limit. */
export async function lookAtAll(parts: readonly Part[], place: Place, limitMs = LIMIT_MS): Promise<LookedAt[]> {
  return Promise.all(
    parts.map(async ({ name, title, look }) => ({ name, title, findings: await bounded(look, place, limitMs) })),
  );
}

async function bounded(look: Part['look'], place: Place, limitMs: number): Promise<readonly Finding[]> {
  const controller = new AbortController();
  let cancel = () => undefined as unknown;
  const late = new Promise<readonly Finding[]>((resolve) => {
    cancel = place.host.clock.after(limitMs, () => {
      const seconds = limitMs / 1_000;
      resolve([warning(`This was not looked at to the end: it took longer than ${seconds} s.`)]);
      controller.abort();
    });
  });
  try {
    // A part that throws at once is one that fails, too.
    return await Promise.race([
      Promise.resolve()
        .then(() => look(place, controller.signal))
        .catch(failed),
      late,
    ]);
  } finally {
    cancel();
    controller.abort();
  }
}

/** What is wrong with the set-up says so by an error of ours; anything else is a fault of this look. */
function failed(error: unknown): readonly Finding[] {
  if (isEngineError(error)) return [problem(error.message)];
  return [warning(`This could not be looked at: ${errorText(error)}`)];
}
