// Signing in to servers.

export { type BearerTokens, createBearerTokens } from './bearer-tokens.js';
export { isLoopback } from './endpoint-rules.js';
export { createServerAuth } from './server-auth.js';
export type { AuthPlace, OAuthTerms, ServerAuth } from './signing-in.js';
