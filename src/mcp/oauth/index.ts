// Signing in to servers.

export { type BearerTokens, createBearerTokens } from './bearer-tokens.js';
export { createServerAuth } from './server-auth.js';
export { type AuthPlace, isLoopback, type OAuthTerms, type ServerAuth } from './signing-in.js';
