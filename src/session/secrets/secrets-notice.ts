// Says what was kept from the model and from the disk. Never anything of it.
import { count } from '../../util/text.js';
import type { PendingNotice } from '../config/index.js';

/** @param found how many secrets of each kind are new */
export function secretsNotice(found: ReadonlyMap<string, number>): PendingNotice {
  const total = [...found.values()].reduce((sum, each) => sum + each, 0);
  const kinds = [...found].map(([kind, each]) => `${each} ${kind}`).join(', ');
  const isOne = total === 1;
  return {
    code: 'secrets_redacted',
    level: 'info',
    message: `${count(total, 'secret')} ${isOne ? 'is' : 'are'} kept from the model and from the disk: ${kinds}. ${isOne ? 'A placeholder stands in its place' : 'Placeholders stand in their place'}.`,
    data: Object.fromEntries(found),
  };
}
