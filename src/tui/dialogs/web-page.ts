// A server asks to have a page opened, such as to sign in. One rule: it is opened by a key, never by itself, and its whole
// address is shown before.
import { spawn } from 'node:child_process';
import type { ElicitationRequest, ElicitationResult } from '../../protocol/elicitation.js';
import { escapeHidden } from '../../view/escape-text.js';
import { type Choice, type DialogFace, type Line, openDialog } from './dialog.js';

/** Opens a page. @returns why it could not; null where the program was started */
export type OpenPage = (url: string) => Promise<string | null>;

const OPENERS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

export const openPage: OpenPage = (url) =>
  new Promise((resolve) => {
    const [program = 'xdg-open', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(`${program} could not be started. Open the address yourself.`));
    child.once('spawn', () => {
      child.unref();
      resolve(null);
    });
  });

export function askPage(
  face: DialogFace,
  request: ElicitationRequest,
  signal: AbortSignal,
  open: OpenPage,
): Promise<ElicitationResult> {
  const url = addressOf(request.url ?? '');
  let problem = url === null ? 'It is no address of the web, so it is not opened.' : '';
  return new Promise((resolve) => {
    const settle = (result: ElicitationResult): void => {
      dialog.close();
      resolve(result);
    };
    const dialog = openDialog(face, {
      name: 'page',
      signal,
      view: () => ({
        head: [{ text: `? ${escapeHidden(request.serverName)} wants to have a page opened`, tone: 'strong' }],
        body: bodyOf(request, url),
        foot: problem === '' ? [] : [{ text: problem, tone: 'bad', indent: 2 }],
        choices: choices(),
        dismisses: 'opens nothing',
      }),
      dismiss: () => settle({ action: 'cancel' }),
      gone: () => resolve({ action: 'cancel' }),
    });

    function choices(): Choice[] {
      const refuse = { key: 'n', label: 'no', act: () => settle({ action: 'decline' }) };
      if (url === null) return [refuse];
      return [
        { key: 'o', label: 'open it in the browser', act: () => void begin(url.href) },
        { key: 'y', label: 'I have opened it myself', act: () => settle({ action: 'accept' }) },
        refuse,
      ];
    }

    async function begin(href: string): Promise<void> {
      const failure = await open(href);
      if (failure === null) settle({ action: 'accept' });
      else problem = failure;
      face.refresh();
    }
  });
}

function addressOf(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
}

/** The host by itself too, since an address can be written to look like another. */
function bodyOf({ message, url: given = '' }: ElicitationRequest, url: URL | null): Line[] {
  return [
    { text: escapeHidden(message), indent: 2 },
    { text: escapeHidden(url?.href ?? given), indent: 4, tone: 'link' },
    ...(url === null ? [] : [{ text: `of the machine ${escapeHidden(url.host)}`, indent: 4 }]),
  ];
}
