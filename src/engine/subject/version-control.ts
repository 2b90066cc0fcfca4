import type { Reach } from '../../context/git/git-starts.js';

/** Programs of version control, and those that start one in the folder they are in, with whose configuration they obey. */
export const VERSION_CONTROL: ReadonlyMap<string | null, readonly Reach['system'][]> = new Map([
  ['git', ['git']],
  ['gh', ['git']],
  ['glab', ['git']],
  ['hub', ['git']],
  ['tig', ['git']],
  ['git-lfs', ['git']],
  ['hg', ['hg']],
  ['chg', ['hg']],
  ['jj', ['jj', 'git']],
]);
