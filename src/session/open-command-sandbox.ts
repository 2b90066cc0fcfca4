// What confines the commands of a session, where its configuration wants that, and what git's configuration says. Both
// are loaded where they are used.
import type { GitWatch } from '../context/git-watch.js';
import type { MessageDraft } from '../engine/loop-state.js';
import type { Host } from '../host/host.js';
import { loadOnce } from '../util/load-once.js';
import { errorText } from '../util/text.js';
import type { PendingNotice, QueryEngineConfig } from './config.js';
import { homeFolder } from './store/store-path.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Most sessions have no sandbox. */
export async function openCommandSandbox(
  config: QueryEngineConfig,
  host: Host,
  env: Env,
  gitWatch: () => Promise<GitWatch>,
  onDraft: (draft: MessageDraft) => void,
) {
  if (config.sandbox?.enabled !== true) return null;
  const { openSessionSandbox } = await import('./session-sandbox.js');
  return openSessionSandbox(config, config.sandbox, {
    host,
    env,
    gitFacts: gitWatch,
    onNotice: (notice) => onDraft({ type: 'system', subtype: 'notice', level: 'warning', ...notice }),
  });
}

/** Looked for with the first call that writes, or that starts git. */
export function lazyGitWatch(
  { cwd, isFolderGranted, persistSession }: QueryEngineConfig,
  host: Host,
  env: Env,
): () => Promise<GitWatch> {
  const home = homeFolder(host, env);
  return loadOnce(async () => {
    const { createGitWatch } = await import('../context/git-watch.js');
    return createGitWatch({
      host,
      env,
      cwd,
      home,
      isGranted: isFolderGranted,
      async keepTrust(root, items) {
        if (persistSession === false) return;
        const { keepTrust } = await import('./keep-trust.js');
        await keepTrust(host, home, root, items);
      },
    });
  });
}

/** A person vouches for what version control starts. Contract: never throws; what cannot be kept is told. */
export async function vouchFor(watch: GitWatch, seen: readonly string[]): Promise<readonly PendingNotice[]> {
  try {
    await watch.vouch(seen);
    return [];
  } catch (error) {
    const message = `What you vouched for holds for this session alone: ${errorText(error)}`;
    return [{ code: 'settings_not_saved', message }];
  }
}
