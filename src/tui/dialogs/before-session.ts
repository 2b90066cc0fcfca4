// What is asked before a session begins: whether what its folder brings may act, and about the calls that an earlier run left
// waiting. One rule: without an answer nothing acts, and what waits waits on.
import type { QueryOptions } from '../../protocol/query-options.generated.js';
import { untrustedBy } from '../../sdk/faces/index.js';
import { waitingCalls } from '../../sdk/sessions/index.js';
import { escapeHidden } from '../../view/escape-text.js';
import { formatCount } from '../../view/figures.js';
import { type ActingValues, trustQuestion, WITHOUT_TRUST } from '../../view/permission-question.js';
import { type AskParts, askWaiting } from './ask-in-terminal.js';
import { type DialogFace, openDialog } from './dialog.js';

export interface BeforeParts extends AskParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly startedIn: string;
  /** A line of the terminal's own. */
  say(line: string): void;
}

/**
 * @param signal aborted when the person leaves: then nothing is trusted, and nothing decided
 * @returns the options with what was decided
 * @throws ConfigError if the settings are wrong
 */
export async function askBeforeSession(
  parts: BeforeParts,
  options: QueryOptions,
  signal: AbortSignal,
): Promise<QueryOptions> {
  await askAboutFolder(parts, options, signal);
  const { decisions = [] } = options;
  const open = await waitingCalls(options).catch(() => []); // whoever opens the session says what is wrong with it
  const waiting = open.filter(({ id }) => !decisions.some(({ toolUseID }) => toolUseID === id));
  if (waiting.length === 0 || signal.aborted) return options;
  const decided = await askWaiting(parts, waiting, signal);
  return decided.length === 0 ? options : { ...options, decisions: [...decisions, ...decided] };
}

async function askAboutFolder(parts: BeforeParts, options: QueryOptions, signal: AbortSignal): Promise<void> {
  const folder = await untrustedBy(options, parts.startedIn, parts.env);
  if (folder === null) return;
  switch (await askTrust(parts.face, folder, signal)) {
    case 'trusted':
      return folder.trust();
    case 'not trusted':
      return parts.say('Not trusted: of the settings of this folder only what denies or asks counts.');
    case 'too much to ask':
      return parts.say(
        `The settings of ${escapeHidden(folder.root)} are too many or too long to be shown, so they do not act. "turnwright config explain" tells what they say; --trust lets them act for a run.`,
      );
  }
}

type TrustAnswer = 'trusted' | 'not trusted' | 'too much to ask';

/**
 * Asks whether what a folder brings may act. All of it can be seen.
 * Contract: writes nothing itself; `trusted` is only ever the answer of a person who pressed the key for it.
 */
export function askTrust(face: DialogFace, folder: ActingValues, signal: AbortSignal): Promise<TrustAnswer> {
  const question = trustQuestion(folder);
  if (question === null) return Promise.resolve('too much to ask');
  return new Promise((resolve) => {
    const settle = (answer: TrustAnswer): void => {
      dialog.close();
      resolve(answer);
    };
    const dialog = openDialog(face, {
      name: 'trust',
      signal,
      view: () => ({
        head: [{ text: `? ${escapeHidden(folder.root)} ${question.what}`, tone: 'strong' }],
        body: question.lines.map((text) => ({ text })),
        foot: [{ text: WITHOUT_TRUST, tone: 'dim', indent: 2 }],
        choices: [
          { key: 'y', label: `yes, these ${formatCount(question.count)} as they stand`, act: () => settle('trusted') },
          { key: 'n', label: 'no', act: () => settle('not trusted') },
        ],
        dismisses: 'says no',
      }),
      dismiss: () => settle('not trusted'),
      gone: () => resolve('not trusted'),
    });
  });
}
