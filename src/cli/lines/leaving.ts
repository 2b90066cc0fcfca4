// What leaving a session at the terminal means: nothing is waited for, and the way back to it is told.
import { findSessionIds } from '../../sdk/sessions/index.js';
import { escapeHidden } from '../../view/escape-text.js';
import type { CliArgs } from '../args/index.js';
import type { CliIo } from '../cli-io.js';

/** Characters of an id that are shown, where they tell it from others. */
const SHORT_ID = 8;

/** Only of a session that is there: one of local commands alone left nothing. */
export async function tellWayBack(sessionId: string, { cwd, env, persistSession }: CliArgs['options'], io: CliIo) {
  if (persistSession === false) return;
  const where = { ...(cwd === undefined ? {} : { dir: cwd }), ...(env === undefined ? {} : { env }) };
  const short = sessionId.slice(0, SHORT_ID);
  const found = await findSessionIds(short, { ...where, includeWorktrees: false });
  if (!found.includes(sessionId)) return;
  const folder = cwd === undefined || cwd === io.startedIn() ? '' : ` --cwd ${quoted(cwd)}`;
  await io.err.write(
    `To go on with this session: turnwright --resume ${found.length === 1 ? short : sessionId}${folder}\n`,
  );
}

/** As a shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w./@:+-]+$/.test(word) ? word : `'${escapeHidden(word).replaceAll("'", "'\\''")}'`;
}

/** Who leaves does not wait for background tasks, but if that was asked for. */
export function leavesAtOnce({ options }: CliArgs, { env }: CliIo): Pick<CliArgs['options'], 'limits'> {
  if (env['TURNWRIGHT_BACKGROUND_WAIT_MS'] !== undefined) return {};
  return { limits: { backgroundWaitMs: 0, ...options.limits } };
}
