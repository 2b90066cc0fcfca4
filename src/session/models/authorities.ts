// The authorities whose certificates are accepted, if the user names files of them. One rule: a file that cannot be read
// is an error, never one authority less.
import path from 'node:path';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * SSL_CERT_FILE takes the place of the authorities that come with the runtime; NODE_EXTRA_CA_CERTS and the option come to
 * them. Null if nothing is said.
 */
export async function readAuthorities(
  host: Host,
  env: Env,
  caFile: string | undefined,
): Promise<readonly string[] | null> {
  const base = env.SSL_CERT_FILE?.trim() || null;
  const more = [env.NODE_EXTRA_CA_CERTS?.trim(), caFile].filter(
    (file) => file !== undefined && file !== '',
  ) as string[];
  if (base === null && more.length === 0) return null;
  const files = await Promise.all([...(base === null ? [] : [base]), ...more].map((file) => readPem(host, file)));
  if (base !== null) return files;
  const { builtInAuthorities } = await import('../../providers/http/http-tunnel.js');
  return [...builtInAuthorities(), ...files];
}

async function readPem(host: Host, file: string): Promise<string> {
  const absolute = path.resolve(host.platform.cwd, file);
  try {
    const text = new TextDecoder().decode(await host.fs.readFile(absolute));
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ConfigError(`The file of authorities ${absolute} cannot be read: ${error.message}`, { cause: error });
  }
  throw new ConfigError(`The file of authorities ${absolute} holds no certificate in PEM form.`);
}
