// The end of a session that a person goes on with: its last turns, as they were shown, above the first prompt.
import type { SDKMessage } from '../protocol/messages.js';
import type { QueryOptions } from '../protocol/query-options.generated.js';
import type { SessionMessage } from '../protocol/session-store.js';
import { getSessionInfo, getSessionMessages, listSessions } from '../sdk/sessions.js';
import { oneLine } from '../view/escape-text.js';
import { createConversation } from './conversation/index.js';
import type { Told } from './session.js';
import type { Theme } from './theme.js';

/** Messages and lines that are shown at most. */
const MESSAGES = 24;
const LINES = 60;

/** What was said last, for whoever draws or copies it again, and the lines of it. */
export interface EarlierTurns {
  readonly lines: readonly string[];
  readonly told: readonly Told[];
}

const NONE: EarlierTurns = { lines: [], told: [] };

/** Empty if there is no such session: whoever opens it says so. */
export async function earlierTurns(
  options: QueryOptions,
  cwd: string,
  columns: number,
  theme: Theme,
): Promise<EarlierTurns> {
  const { env } = options;
  const where = { dir: cwd, ...(env === undefined ? {} : { env }) };
  const newest = async () => (await listSessions({ ...where, limit: 1, includeWorktrees: false }))[0]?.sessionId;
  const id = options.resume ?? (options.continue === true ? await newest() : undefined);
  if (id === undefined) return NONE;
  const info = await getSessionInfo(id, where);
  if (info === undefined) return NONE;
  const { customTitle, firstPrompt, summary } = info;
  const title = oneLine(`Going on with "${customTitle ?? firstPrompt ?? summary ?? id}"`, Math.max(8, columns - 2));
  const told = (await getSessionMessages(id, where)).slice(-MESSAGES).flatMap(toldOf);
  const conversation = createConversation(theme, () => columns, false);
  const lines = told.flatMap((each) =>
    'prompt' in each ? conversation.prompt(each.prompt) : conversation.take(each.message),
  );
  const shown = lines.slice(-LINES);
  const cut = shown.length < lines.length ? [theme.paint('…', 'dim')] : [];
  return { lines: [theme.paint(title, 'strong'), '', ...cut, ...shown], told };
}

function toldOf({ type, message }: SessionMessage): Told[] {
  const { content } = (message ?? {}) as { readonly content?: unknown };
  if (type === 'user') {
    const typed = typeof content === 'string' ? content : textsOf(content);
    if (typed !== '') return [{ prompt: typed }];
  }
  if ((type !== 'user' && type !== 'assistant') || !Array.isArray(content)) return [];
  // Of any writer: what cannot be shown is left out, and nothing else.
  const blocks = content.filter((block) => typeof block === 'object' && block !== null);
  const shown = { type, parent_tool_use_id: null, message: { ...(message as object), content: blocks } };
  return [{ message: shown as unknown as SDKMessage }];
}

function textsOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .map((block: { readonly type?: unknown; readonly text?: unknown } | null) =>
      block?.type === 'text' && typeof block.text === 'string' ? block.text : '',
    )
    .filter((text) => text !== '')
    .join('\n');
}
