// What confines the commands of a session, if its configuration wants that, and what git's configuration says. Both
// are loaded where they are used.
import type { GitWatch } from '../../context/git/git-watch.js';
import type { MessageDraft } from '../../engine/state/index.js';
import type { Host } from '../../host/host.js';
import { loadOnce } from '../../util/load-once.js';
import type { QueryEngineConfig } from '../config/index.js';
import type { ChangedRoots } from './session-sandbox.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Most sessions have no sandbox. */
export async function openCommandSandbox(
  config: QueryEngineConfig,
  host: Host,
  env: Env,
  gitWatch: () => Promise<GitWatch>,
  onDraft: (draft: MessageDraft) => void,
  changedRoots: () => ChangedRoots,
) {
  if (config.sandbox?.enabled !== true) return null;
  const { openSessionSandbox } = await import('./session-sandbox.js');
  return openSessionSandbox(config, config.sandbox, {
    host,
    env,
    gitFacts: gitWatch,
    changedRoots,
    onNotice: (notice) => onDraft({ type: 'system', subtype: 'notice', level: 'warning', ...notice }),
  });
}

/** Looked for with the first call that writes, or that starts git. */
export function lazyGitWatch(config: QueryEngineConfig, host: Host, env: Env): () => Promise<GitWatch> {
  return loadOnce(async () => (await import('./open-git-watch.js')).openGitWatch(config, host, env));
}
