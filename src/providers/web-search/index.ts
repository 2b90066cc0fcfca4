// Who searches the web: the APIs, and one search. Loaded with the first call of WebSearch.
export { checkEngine, collectHits, isWanted, searchWeb } from './search-web.js';
