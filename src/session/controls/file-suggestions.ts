// Files that fit what somebody types behind `@`, for a client that shows them as the terminal does. Loaded with the first
// question. One rule: as Glob, nothing that a rule hides from Read.
import path from 'node:path';
import type { SDKControlFileSuggestionsResponse } from '../../protocol/control-answers.js';
import { ConfigError } from '../../protocol/errors.js';
import { runRipgrep } from '../../tools/shared/ripgrep.js';
import { type ListedFile, rankFiles, withFolders } from '../../util/rank-files.js';
import type { Session, SessionRuntime } from '../core/index.js';

/** What a window shows. */
const MOST = 40;
const MOST_FILES = 100_000;
const DEADLINE_MS = 5_000;

/** @throws ConfigError; ToolError if files cannot be listed */
export async function fileSuggestions(
  { host }: Session,
  { loop }: SessionRuntime,
  query: string,
  signal: AbortSignal,
): Promise<SDKControlFileSuggestionsResponse> {
  if (typeof query !== 'string') throw new ConfigError('suggestFiles takes what is typed, a text.');
  const context = loop.toolContext(host.ids.uuid(), signal);
  const hides = (await context.hiddenFiles?.(context.cwd)) ?? null;
  const names: string[] = [];
  await runRipgrep(
    {
      arguments: ['--files', '--hidden', '--null', '--no-messages', '--glob', '!.git', '--', './'],
      cwd: context.cwd,
      separator: 'nul',
      deadlineMs: DEADLINE_MS,
      onRecord(record) {
        const name = record.startsWith('./') ? record.slice(2) : record;
        if (!/[\p{Cc}"\ufffd]/u.test(name) && hides?.(path.join(context.cwd, name)) !== true) names.push(name);
        return names.length < MOST_FILES;
      },
    },
    context,
  );
  const files: readonly ListedFile[] = withFolders(names, false, new Set());
  return {
    suggestions: rankFiles(files, query, MOST).map((file) => ({
      path: file.path,
      type: file.path.endsWith('/') ? 'directory' : 'file',
    })),
  };
}
