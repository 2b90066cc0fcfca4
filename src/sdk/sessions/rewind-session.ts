// The functions that set stored sessions back, and say to where that can be.

import { SessionError } from '../../protocol/errors.js';
import type { RewindResult } from '../../protocol/rewind.js';
import { filesByPrompt } from '../../session/checkpoints/prompt-files.js';
import { QueryEngine } from '../../session/query-engine.js';
import { isPrompt } from '../../session/store/drops-turn.js';
import { withoutRepeats } from '../../session/store/history-view.js';
import { folderOfSession } from '../../session/store/resume-found.js';
import { promptOf, timeOf } from '../../session/store/session-facts.js';
import { resolveOptions } from '../resolve-options.js';
import type { ListRewindPointsOptions, RewindSessionOptions, SessionRewindPoint } from '../session-options.js';
import { contextOf, requireSession } from './context.js';
import { readStoredTranscript } from './stored-transcript.js';

/** Contract: as in `sdk/sessions.ts`. */
export async function listRewindPoints(
  sessionId: string,
  options: ListRewindPointsOptions,
): Promise<SessionRewindPoint[]> {
  const context = contextOf(options);
  const place = await requireSession(context, sessionId, options.dir);
  const read = await readStoredTranscript(context, sessionId, options, { acrossCompactions: true });
  const files = await filesByPrompt(context.host, place.ownFolder);
  return withoutRepeats(read?.entries ?? []).flatMap((entry) => {
    const { uuid, value } = entry;
    if (!isPrompt(entry)) return [];
    const at = timeOf(value);
    return [
      {
        uuid,
        prompt: promptOf(value)?.text ?? '',
        ...(at === null ? {} : { at }),
        filesChanged: files.get(uuid) ?? null,
      },
    ];
  });
}

/** Contract: as in `sdk/sessions.ts`. */
export async function rewindSession(
  sessionId: string,
  messageId: string,
  options: RewindSessionOptions,
): Promise<RewindResult> {
  const { dir, env, host: _host, ...how } = options;
  const { host, home } = contextOf(options);
  const place = await requireSession({ host, home }, sessionId, dir);
  const cwd = await folderOfSession(host, home, place.sessionId);
  if (cwd === null)
    throw new SessionError('session_invalid', `Session ${sessionId} does not say which folder it is of.`);
  const config = await resolveOptions(
    {
      resume: place.sessionId,
      cwd,
      ...(env === undefined ? {} : { env: { ...env } }),
      ...(how.scope === 'conversation' ? {} : { enableFileCheckpointing: true }),
    },
    host,
  );
  // Nothing of it is put together: no model, no server, no hook.
  const engine = new QueryEngine(config);
  try {
    return await engine.rewind(messageId, how);
  } finally {
    await engine.close();
  }
}
