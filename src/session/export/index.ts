// Documents of stored sessions: Markdown, HTML, JSON.

export { toHtml, toMarkdown } from './document-formats.js';
export { visible } from './safe-text.js';
export {
  type DocumentHead,
  type DocumentItem,
  type SessionDocument,
  sessionCosts,
  toDocumentItems,
} from './session-document.js';
