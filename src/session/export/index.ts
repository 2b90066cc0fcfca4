// Documents of stored sessions: Markdown, HTML, JSON.
export { sessionCosts } from './costs.js';
export { visible } from './safe-text.js';
export { type DocumentHead, type DocumentItem, type SessionDocument, toDocumentItems } from './session-document.js';
export { toHtml } from './to-html.js';
export { toMarkdown } from './to-markdown.js';
