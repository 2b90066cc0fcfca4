// Who searches the web: the APIs, and one search. Loaded with the first call of WebSearch.
export { collectHits } from './search-apis.js';
export { checkEngine, isWanted, searchWeb } from './search-web.js';
