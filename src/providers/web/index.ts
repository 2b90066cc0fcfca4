// Pages and files of the web: which machine an address may lead to, one request within limits, HTML as Markdown.
// Loaded with the first call of a tool for the web.
export type { Lookup, WebRules } from './admit-address.js';
export { type FetchedPage, fetchPage, type WebReach } from './fetch-page.js';
export type { MarkdownPage } from './html-to-markdown.js';
export { createPageCache, type PageCache } from './page-cache.js';
export type { HtmlPage } from './page-markdown.js';
export type { Dial } from './pinned-agent.js';
export { sendRequest, USER_AGENT, type WebResponse } from './web-request.js';
