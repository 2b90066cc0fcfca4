// Asks whether what a folder brings may act, before anything of it does. One rule: all of it can be seen, and without a clear
// yes nothing of it counts but what denies or asks.
import { escapeHidden } from '../../view/escape-text.js';
import { formatCount } from '../../view/figures.js';
import { type ActingValues, trustQuestion, WITHOUT_TRUST } from '../../view/trust-question.js';
import { type DialogFace, openDialog } from './dialog.js';

export type TrustAnswer = 'trusted' | 'not trusted' | 'too much to ask';

/**
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
