// What stands around a session whose person sits at the terminal: which session it is, the offline model if there is no
// key, and the way back. What is asked in it is in `questions/`, and comes by this file too.

import type { QueryOptions } from '../../protocol/query-options.generated.js';
import { lacksKey } from '../../sdk/faces/index.js';
import { findSessionIds } from '../../sdk/sessions/index.js';
import { listSessions } from '../../sdk/sessions.js';
import { escapeHidden } from '../../view/escape-text.js';
import type { CliArgs } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { sessionTable } from '../commands/index.js';
import { createLineReader } from './line-reader.js';
import { paint, styleFor } from './style.js';

export { askPerson, askTrust, openPage } from '../questions/index.js';

/** Sessions that are offered to choose from. */
const OFFERED = 10;
const NUMBER_WIDTH = 4;
/** Unclear answers after which nothing is resumed. */
const MAX_ATTEMPTS = 3;

/** Characters of an id that are shown if they tell it from others. */
const SHORT_ID = 8;

const NO_KEY = [
  '! There is no key, so the offline model answers: a planner by fixed rules, not a language model.',
  '  It understands prompts such as "list the Markdown files" or "show README.md", and says so of any other.',
  '  For a language model: turnwright login, or set ANTHROPIC_API_KEY or the key of another provider.',
];

/**
 * `--resume` without an id: shows the newest sessions of the folder, and asks which one to go on with.
 * @returns the options with the session that was chosen; as they are, the newest, if there is none; null if the person chose none
 */
export async function chooseSession(options: QueryOptions, io: CliIo): Promise<QueryOptions | null> {
  const dir = options.cwd ?? io.startedIn();
  const env = options.env ?? {};
  const sessions = await listSessions({ dir, env, limit: OFFERED, includeWorktrees: false });
  if (sessions.length === 0) return options;
  const style = styleFor(io.stderr, io.env, false);
  const narrow = { ...style, columns: style.columns - NUMBER_WIDTH };
  const [head = '', ...rows] = sessionTable(sessions, { style: narrow, now: Date.now(), showsFolder: false });
  const numbered = rows.map((row, at) => `${paint(String(at + 1).padStart(2), 'cyan', style)}  ${row}`);
  await io.err.write(`${[`${' '.repeat(NUMBER_WIDTH)}${head}`, ...numbered].join('\n')}\n`);
  const reader = createLineReader(io.stdin);
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const ask = () => io.err.write(`Which one? 1 to ${sessions.length}, Enter for the newest, q for none: `);
      const given = (await reader.readAnswer(ask, io.lifetime.signal))?.trim().toLowerCase();
      if (given === undefined || given === 'q') return null;
      const chosen = sessions[given === '' ? 0 : Number(given) - 1];
      if (chosen === undefined) continue;
      const { continue: _newest, ...others } = options;
      return { ...others, resume: chosen.sessionId };
    }
    return null;
  } finally {
    reader.close();
  }
}

/** The options of a session at the terminal, with a model that answers, and what the person has to know of it. */
export async function orOffline(
  options: CliArgs['options'],
): Promise<{ readonly options: CliArgs['options']; readonly notes: readonly string[] }> {
  if (options.model !== undefined || !(await lacksKey(options))) return { options, notes: [] };
  return { options: { ...options, model: 'offline' }, notes: NO_KEY };
}

/** The same, told on stderr. */
export async function offerOffline(given: CliArgs['options'], io: CliIo): Promise<CliArgs['options']> {
  const { options, notes } = await orOffline(given);
  if (notes.length > 0)
    await io.err.write(`${paint(notes.join('\n'), 'yellow', styleFor(io.stderr, io.env, false))}\n`);
  return options;
}

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
