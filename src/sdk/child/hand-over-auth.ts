// Whose tokens a session in a child process uses, said as a published SDK says it: in a file for one reader, whose path is in
// the environment. One rule: nothing of it stands in an argument, and the file is gone when the program has ended.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { FetchToken } from '../../protocol/model-options.js';
import type { Options } from '../options/index.js';

const VARIABLE = 'QODER_SDK_AUTH_PAYLOAD_FILE';

export interface HandedAuth {
  readonly env: Readonly<Record<string, string>>;
  /** Asked by the program whenever it needs a token; absent if the file holds one. */
  readonly fetchToken?: FetchToken;
  /** Never rejects. */
  remove(): Promise<void>;
}

/** True for what does not travel as data: it is a function, or the program is one of that SDK. */
export function isHandedOver(auth: Options['auth'], toPublished: boolean): boolean {
  return auth !== undefined && (toPublished || auth.type === 'tokenProvider');
}

/** @throws ConfigError if a program of that SDK cannot be told so */
export async function handOverAuth(
  auth: NonNullable<Options['auth']>,
  host: Host,
  env: Readonly<Record<string, string>>,
): Promise<HandedAuth> {
  const file = path.join(host.platform.tmpdir, `turnwright-auth-${host.ids.uuid()}.json`);
  await host.fs.writeFileAtomic(file, JSON.stringify(payloadOf(auth, env)), { mode: 0o600 });
  return {
    env: { [VARIABLE]: file },
    ...(auth.type === 'tokenProvider' ? { fetchToken: auth.fetchToken } : {}),
    // Who reads it removes it too.
    remove: () => host.fs.remove(file).catch(() => undefined),
  };
}

function payloadOf(auth: NonNullable<Options['auth']>, env: Readonly<Record<string, string>>): object {
  switch (auth.type) {
    case 'qodercli':
      return { type: 'qodercli' };
    case 'accessToken': {
      const { accessToken: given } = auth;
      const accessToken = typeof given === 'string' ? given : env[given.envVar];
      if (accessToken) return { type: 'accessToken', accessToken };
      throw new ConfigError(
        `The variable ${typeof given === 'string' ? '' : given.envVar} that auth names is not set.`,
      );
    }
    case 'tokenProvider':
      return { type: 'serviceAccount', serviceAccountTokenProvider: 'host' };
    default:
      throw new ConfigError(
        'auth holds keys of a provider, which have no way to the program of pathToQoderCLIExecutable. Set them as variables, or name a program of this package in childProcess.',
        { code: 'not_supported' },
      );
  }
}
