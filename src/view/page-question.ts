// A server asks to have a page opened, such as to sign in: what of it every face shows. Its whole address, and the machine by
// itself, since an address can be written to look like another.
import type { ElicitationRequest } from '../protocol/elicitation.js';
import { escapeHidden } from './escape-text.js';

export interface PageQuestion {
  /** What is asked, in a line. */
  readonly head: string;
  readonly message: string;
  readonly address: string;
  /** Such as `of the machine shop.example`; null if it is not a page of the web. */
  readonly machine: string | null;
  /** What may be opened; null if it is not a page of the web. */
  readonly href: string | null;
}

export const NO_WEB_PAGE = 'It is not an address of the web, so it is not opened.';

/** All texts are escaped. */
export function pageQuestion({ serverName, message, url: given = '' }: ElicitationRequest): PageQuestion {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return {
    head: `${escapeHidden(serverName)} wants to have a page opened`,
    message: escapeHidden(message),
    address: escapeHidden(isWeb ? url.href : given),
    machine: isWeb ? `of the machine ${escapeHidden(url.host)}` : null,
    href: isWeb ? url.href : null,
  };
}
