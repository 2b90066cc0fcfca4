// What the settings say that the model adds to commits and pull requests: nothing, unless they say so.
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import type { Attribution } from '../attribution.js';

/** What `true` means. No mail address of anybody: the domain is reserved for what does not exist. */
const STANDARD: Attribution = {
  commit: 'Co-Authored-By: Turnwright <noreply@turnwright.invalid>',
  pr: 'Made with Turnwright.',
};

/** Undefined if nothing is added. */
export function attributionOf({
  attribution,
  includeCoAuthoredBy,
}: Pick<Settings, 'attribution' | 'includeCoAuthoredBy'>): Attribution | undefined {
  if (attribution === undefined) return includeCoAuthoredBy === true ? STANDARD : undefined;
  if (typeof attribution === 'boolean') return attribution ? STANDARD : undefined;
  const { commit = '', pr = '' } = attribution;
  return { commit: commit.trim(), pr: pr.trim() };
}
