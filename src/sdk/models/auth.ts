// What the option `auth` takes, made by name. Nothing is read here: variables are looked at when a session starts.
import type { AuthOptions, FetchToken, ProviderKeyOptions } from '../../protocol/model-options.js';

/** Where the published SDK looks for a token. */
const TOKEN_VARIABLE = 'QODER_PERSONAL_ACCESS_TOKEN';

/** A bearer token. It is sent only to a server whose address you set; see `AuthOptions`. */
export function accessToken(token: string): AuthOptions {
  return { type: 'accessToken', accessToken: token };
}

/** A bearer token out of a variable, by default QODER_PERSONAL_ACCESS_TOKEN. */
export function accessTokenFromEnv(envVar: string = TOKEN_VARIABLE): AuthOptions {
  return { type: 'accessToken', accessToken: { envVar } };
}

/** The keys of the environment, and those that `turnwright login` keeps: the same as no `auth` at all. */
export function qodercliAuth(): AuthOptions {
  return { type: 'qodercli' };
}

/** Bearer tokens that `fetchToken` gives, such as those of a job or a service account; see `AuthOptions`. */
export function tokenProvider(fetchToken: FetchToken, provider?: string): ProviderKeyOptions {
  return { type: 'tokenProvider', fetchToken, ...(provider === undefined ? {} : { provider }) };
}

/** The key of a provider. @param provider default: the one that the session's model belongs to */
export function apiKey(key: string, provider?: string): ProviderKeyOptions {
  return { type: 'apiKey', apiKey: key, ...(provider === undefined ? {} : { provider }) };
}

/** As `apiKey`, out of a variable that is read when a session starts. */
export function apiKeyFromEnv(envVar: string, provider?: string): ProviderKeyOptions {
  return { type: 'apiKey', apiKey: { envVar }, ...(provider === undefined ? {} : { provider }) };
}

/** A command that prints the key; see `ProviderKeyOptions`. */
export function apiKeyHelper(
  command: string,
  options: { readonly ttlMs?: number; readonly provider?: string } = {},
): ProviderKeyOptions {
  return { type: 'apiKeyHelper', command, ...options };
}
