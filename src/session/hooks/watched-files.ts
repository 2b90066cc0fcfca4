// The files that hooks watch: looked at before each request, and told of by FileChanged if one is another than before.
// One rule: no thread and no timer watches them, so what changes is told with the next step of the session.
import path from 'node:path';
import type { CommandHook } from '../../hooks/command-hook.js';
import type { HookMatchers } from '../../hooks/run-hooks.js';
import type { Host } from '../../host/host.js';
import type { LiveHooks } from './live-hooks.js';

export interface WatchedFiles {
  /** Fires FileChanged for each that changed since the last look. A file that is new among them was not looked at before. */
  look(): Promise<void>;
}

/** More than these are not looked at before each request. */
const MAX_FILES = 1_000;
/** A matcher that is a list of names also says which files of the working directory are watched. */
const NAMES = /^[\w.@+-]+(?:[|,][\w.@+-]+)*$/;

/**
 * @param added the list that hooks' answers add paths to
 * @param cwd of the session, from which relative paths count
 */
export function createWatchedFiles(
  added: readonly string[],
  hooks: Pick<LiveHooks, 'has' | 'run'>,
  declared: { readonly matchers: HookMatchers; readonly commands: readonly CommandHook[] },
  host: Pick<Host, 'fs'>,
  cwd: string,
): WatchedFiles {
  const named = namesIn(declared).map((name) => path.join(cwd, name));
  const known = new Map<string, string | null>();
  return {
    async look() {
      const files = [...new Set([...named, ...added.map((file) => path.resolve(cwd, file))])].slice(0, MAX_FILES);
      const stats = await host.fs.lstatAll(files);
      for (const [at, file] of files.entries()) {
        const stat = stats[at] ?? null;
        const now = stat === null ? null : `${stat.kind} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`;
        const before = known.get(file);
        known.set(file, now);
        if (before === undefined || before === now) continue;
        const event = now === null ? 'unlink' : before === null ? 'add' : 'change';
        await hooks.run('FileChanged', { file_path: file, event });
      }
    },
  };
}

function namesIn({ matchers, commands }: { matchers: HookMatchers; commands: readonly CommandHook[] }): string[] {
  const all = [
    ...(matchers.FileChanged ?? []).map(({ matcher }) => matcher),
    ...commands.filter(({ event }) => event === 'FileChanged').map(({ matcher }) => matcher),
  ];
  return all.flatMap((matcher) => (matcher !== undefined && NAMES.test(matcher) ? matcher.split(/[|,]/) : []));
}
