// A server asks to have a page opened, such as to sign in. One rule: it is opened by a key, never by itself, and its whole
// address is shown before.
import type { ElicitationRequest, ElicitationResult } from '../../protocol/elicitation.js';
import { NO_WEB_PAGE, pageQuestion } from '../../view/page-question.js';
import { type Choice, type DialogFace, openDialog } from './dialog.js';

/** Opens a page. @returns why it could not; null if the program was started */
export type OpenPage = (url: string) => Promise<string | null>;

export function askPage(
  face: DialogFace,
  request: ElicitationRequest,
  signal: AbortSignal,
  open: OpenPage,
): Promise<ElicitationResult> {
  const { head, message, address, machine, href } = pageQuestion(request);
  let problem = href === null ? NO_WEB_PAGE : '';
  return new Promise((resolve) => {
    const settle = (result: ElicitationResult): void => {
      dialog.close();
      resolve(result);
    };
    const dialog = openDialog(face, {
      name: 'page',
      signal,
      view: () => ({
        head: [{ text: `? ${head}`, tone: 'strong' }],
        body: [
          { text: message, indent: 2 },
          { text: address, indent: 4, tone: 'link' },
          ...(machine === null ? [] : [{ text: machine, indent: 4 }]),
        ],
        foot: problem === '' ? [] : [{ text: problem, tone: 'bad', indent: 2 }],
        choices: choices(),
        dismisses: 'opens nothing',
      }),
      dismiss: () => settle({ action: 'cancel' }),
      gone: () => resolve({ action: 'cancel' }),
    });

    function choices(): Choice[] {
      const refuse = { key: 'n', label: 'no', act: () => settle({ action: 'decline' }) };
      if (href === null) return [refuse];
      return [
        { key: 'o', label: 'open it in the browser', act: () => void begin(href) },
        { key: 'y', label: 'I have opened it myself', act: () => settle({ action: 'accept' }) },
        refuse,
      ];
    }

    async function begin(url: string): Promise<void> {
      const failure = await open(url);
      if (failure === null) settle({ action: 'accept' });
      else problem = failure;
      face.refresh();
    }
  });
}
