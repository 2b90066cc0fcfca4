// Whose tokens a session of a client uses: one published client hands them over in a file that is read once, or offers to
// fetch them. One rule: the file is gone before anything else starts, and a token stands in no line of ours.
import { readFile, rm } from 'node:fs/promises';
import { ConfigError } from '../../protocol/errors.js';
import type { FetchToken } from '../../protocol/model-options.js';
import type { Options } from '../../sdk/options/index.js';
import { given } from '../../sdk/wire/index.js';
import { isRecord } from '../../util/is-record.js';
import type { WireClient } from './client.js';

const VARIABLE = 'QODER_SDK_AUTH_PAYLOAD_FILE';

/** Undefined if the client says nothing. @throws ConfigError if the file is not what it should be */
export async function clientAuth(
  env: Readonly<NodeJS.ProcessEnv>,
  client: WireClient,
): Promise<Options['auth'] | undefined> {
  const file = env[VARIABLE];
  if (file === undefined || file === '') return undefined;
  const payload = await readPayload(file);
  switch (payload['type']) {
    case 'qodercli':
      return { type: 'qodercli' };
    case 'accessToken':
      return { type: 'accessToken', accessToken: token(payload['accessToken']) };
    case 'serviceAccount':
      if (payload['serviceAccountTokenProvider'] === 'host') return fetched(client, 'fetch_service_account_token');
      return { type: 'accessToken', accessToken: token(payload['serviceAccountKey']) };
    case 'jobToken':
      return fetched(client, 'fetch_job_token');
    default:
      throw wrong();
  }
}

async function readPayload(file: string): Promise<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`The file that ${VARIABLE} names cannot be read, so it is not known whose tokens count.`, {
      cause: error,
    });
  } finally {
    await rm(file, { force: true }).catch(() => undefined); // its owner removes it too
  }
  try {
    const payload: unknown = JSON.parse(text);
    if (isRecord(payload)) return payload;
  } catch {
    // What the parser says may show a part of a token.
  }
  throw wrong();
}

function fetched(client: WireClient, subtype: 'fetch_job_token' | 'fetch_service_account_token'): Options['auth'] {
  const fetchToken: FetchToken = async ({ reason, sessionId }, { signal }) => {
    const answer = await client.request(subtype, given({ reason, session_id: sessionId }), signal);
    const { token: found, expires_at: expiresAt } = answer;
    if (typeof found !== 'string') return null;
    return { token: found, ...(typeof expiresAt === 'number' ? { expiresAt } : {}) };
  };
  return { type: 'tokenProvider', fetchToken };
}

function token(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw wrong();
}

function wrong(): ConfigError {
  return new ConfigError(`The file that ${VARIABLE} names does not say whose tokens count.`);
}
