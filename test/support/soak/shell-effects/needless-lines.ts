// Lines of chance in the forms of everyday work that nobody should be asked about needlessly: loops over names, values made
// of values, moves there and back, output of git as words. One rule: what fills a form may be as odd as it likes.
import type { Random } from '../random.js';
import { fixtureLines } from './templates.js';
import { fill } from './words.js';

const FORMS = fixtureLines('needless');
const MOVES = fixtureLines('moves');

export function needlessLine(random: Random): string {
  const form = (): string => fill(random.pick(FORMS), random);
  const kind = random.next();
  if (kind < 0.72) return form();
  if (kind < 0.84) return `${random.pick(MOVES)}${random.pick([' && ', '; '])}${form()}`;
  if (kind < 0.92) return `${form()}${random.pick([' && ', '; ', ' | '])}${form()}`;
  return random.pick([
    () => `(${form()}); ${form()}`,
    () => `bash -c '${form().replaceAll("'", "'\\''")}'`,
    () => `f() { ${form()}; }; f`,
    () => `{ ${form()}; } | cat`,
    () => `for Z in 1 2; do ${form()}; done`,
    () => `set -e; ${form()}`,
  ])();
}
