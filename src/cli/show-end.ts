// The end of a session that somebody goes on with at the terminal: where they were, before the first line they type.
import type { QueryOptions } from '../protocol/query-options.generated.js';
import { getSessionInfo, getSessionMessages } from '../sdk/sessions.js';
import { oneLine } from '../view/tool-title.js';
import type { CliIo } from './cli-io.js';
import { titleOf } from './commands/session-table.js';
import { renderMessages } from './commands/session-view.js';
import { paint, styleFor } from './style.js';

/** Messages and lines that are shown at most. */
const MESSAGES = 12;
const LINES = 30;

/** Shows nothing if there is no such session here: the session itself says so. */
export async function showEnd({ resume, cwd, env }: QueryOptions, io: CliIo): Promise<void> {
  if (resume === undefined) return;
  const where = { ...(cwd === undefined ? {} : { dir: cwd }), ...(env === undefined ? {} : { env }) };
  const info = await getSessionInfo(resume, where);
  if (info === undefined) return;
  const style = styleFor(io.stderr, io.env, false);
  const lines = renderMessages((await getSessionMessages(resume, where)).slice(-MESSAGES), style);
  const shown = lines.slice(-LINES);
  const title = paint(oneLine(`Going on with "${titleOf(info)}"`, style.columns), 'bold', style);
  const cut = shown.length < lines.length ? [paint('…', 'dim', style)] : [];
  await io.err.write(`${[title, ...cut, ...shown, ''].join('\n')}\n`);
}
