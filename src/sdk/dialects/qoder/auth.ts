// What the option `auth` of the Qoder Agent SDK takes, made by name, and what it is here. Nothing is read when it is made.
import { ConfigError } from '../../../protocol/errors.js';
import type { Options as OurOptions } from '../../options/index.js';
import { DEFAULT_SERVICE_ACCOUNT_ENV_VAR } from './constants.js';
import { AuthAccessTokenEnvVarError, AuthServiceAccountEnvVarError } from './errors.js';

export type AccessTokenInput = string | { envVar: string };
export type ServiceAccountKeyInput = string | { envVar: string };
export type ServiceAccountTokenResult = { token: string; expiresAt?: number };
export type FetchServiceAccountToken = () => Promise<ServiceAccountTokenResult | null>;
export type ServiceAccountCredentials =
  | { serviceAccountKey: ServiceAccountKeyInput; fetchServiceAccountToken?: never }
  | { serviceAccountKey?: never; fetchServiceAccountToken: FetchServiceAccountToken };
export type ServiceAccountAuthOptions = { type: 'serviceAccount' } & ServiceAccountCredentials;
export type JobTokenRequest = {
  requestId: string;
  reason: 'initial' | 'expiring' | 'unauthorized';
  sessionId?: string;
};
export type JobTokenResult = { token: string; expiresAt?: number };
export type FetchJobToken = (
  request: JobTokenRequest,
  options: { signal: AbortSignal },
) => Promise<JobTokenResult | null>;
export type JobTokenAuthOptions = { type: 'jobToken'; fetchJobToken: FetchJobToken };
export type AuthOptions =
  | { type: 'accessToken'; accessToken: AccessTokenInput }
  | { type: 'qodercli' }
  | ServiceAccountAuthOptions;
/** Ours beside theirs: keys of other providers. */
export type AnyAuthOptions = AuthOptions | JobTokenAuthOptions | NonNullable<OurOptions['auth']>;

/** A key of a service, or a function that fetches tokens. @throws TypeError if it is not exactly one of them */
export function serviceAccount(credentials: ServiceAccountCredentials): ServiceAccountAuthOptions {
  const { serviceAccountKey: key, fetchServiceAccountToken: fetchToken } = credentials ?? {};
  if ((key === undefined) === (fetchToken === undefined))
    throw new TypeError('serviceAccount() takes exactly one of serviceAccountKey and fetchServiceAccountToken.');
  return { type: 'serviceAccount', ...credentials };
}

/** A key of a service out of a variable, by default QODER_SERVICE_ACCOUNT_KEY. */
export function serviceAccountFromEnv(envVar: string = DEFAULT_SERVICE_ACCOUNT_ENV_VAR): ServiceAccountAuthOptions {
  return { type: 'serviceAccount', serviceAccountKey: { envVar } };
}

/** Tokens that are fetched for each job. */
export function jobToken(fetchJobToken: FetchJobToken): JobTokenAuthOptions {
  return { type: 'jobToken', fetchJobToken };
}

type Env = Readonly<Record<string, string | undefined>>;

/** As ours takes it: a key of a service is a bearer token. @throws if a variable is not set, or nothing fetches here */
export function ourAuth(auth: AnyAuthOptions, env: Env): NonNullable<OurOptions['auth']> {
  switch (auth?.type) {
    case 'accessToken':
      requireVariable(auth.accessToken, env, AuthAccessTokenEnvVarError);
      return auth;
    case 'serviceAccount': {
      const { fetchServiceAccountToken: fetchToken } = auth;
      if (fetchToken !== undefined) return { type: 'tokenProvider', fetchToken: () => fetchToken() };
      requireVariable(auth.serviceAccountKey, env, AuthServiceAccountEnvVarError);
      return { type: 'accessToken', accessToken: auth.serviceAccountKey };
    }
    case 'jobToken':
      return { type: 'tokenProvider', fetchToken: auth.fetchJobToken };
    default:
      if (typeof auth !== 'object' || auth === null)
        throw new ConfigError('auth must be what accessToken() and the like give.');
      return auth;
  }
}

function requireVariable(
  secret: AccessTokenInput,
  env: Env,
  Missing: typeof AuthAccessTokenEnvVarError | typeof AuthServiceAccountEnvVarError,
): void {
  if (typeof secret === 'object' && secret !== null && !env[secret.envVar]) throw new Missing(secret.envVar);
}
