// The variables that say who searches the web, in order: the first that is set counts. Data.

export const SEARCH_VARIABLES = [
  ['brave', 'BRAVE_API_KEY'],
  ['brave', 'BRAVE_SEARCH_API_KEY'],
  ['tavily', 'TAVILY_API_KEY'],
  ['exa', 'EXA_API_KEY'],
  ['searxng', 'SEARXNG_URL'],
] as const;
