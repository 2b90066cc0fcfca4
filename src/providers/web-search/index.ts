// Who searches the web: the APIs, and one search. Loaded with the first call of WebSearch.
export { collectHits } from './model-hits.js';
export type { SearchHit, SearchQuery } from './search-apis.js';
export { checkEngine, isWanted, type SearchEngine, searchWeb } from './search-web.js';
