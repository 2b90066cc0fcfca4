// The Markdown of one page. It runs in a thread of its own: what it is given is hostile.
import { decodePage, htmlToMarkdown, type MarkdownPage } from './html-to-markdown.js';

export interface HtmlPage {
  readonly bytes: Uint8Array;
  /** `content-type` as the server said it. */
  readonly contentType: string;
  readonly address: string;
  /** Characters of the Markdown. */
  readonly maxLength: number;
}

export function pageMarkdown({ bytes, contentType, address, maxLength }: HtmlPage): MarkdownPage {
  return htmlToMarkdown(decodePage(bytes, contentType), new URL(address), maxLength);
}
