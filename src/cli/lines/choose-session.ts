// `--resume` without an id at a terminal: shows the newest sessions of the folder, and asks which one to go on with.
import type { QueryOptions } from '../../protocol/query-options.generated.js';
import { listSessions } from '../../sdk/sessions.js';
import type { CliIo } from '../cli-io.js';
import { sessionTable } from '../commands/index.js';
import { createLineReader } from './line-reader.js';
import { paint, styleFor } from './style.js';

const OFFERED = 10;
const NUMBER_WIDTH = 4;
/** Unclear answers after which nothing is resumed. */
const MAX_ATTEMPTS = 3;

/**
 * The options with the session that was chosen. If there is none to choose from they stay as they are: the newest.
 * @returns null if the person chose none
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
