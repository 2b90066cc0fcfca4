// What WebFetch does with a page. Its body, `answer-from-page.ts`, is loaded with the first call.
export type { WebFetchCall } from './answer-from-page.js';
