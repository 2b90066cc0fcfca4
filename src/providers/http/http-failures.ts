// What can go wrong below the model's protocol: connections, certificates and redirects, told as ModelErrors. Loaded if
// something did.
// No text here ever carries a header, a body or the credentials of a URL.
import { ModelError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';
import { cleanText } from './http-exchange.js';
import type { UnpackFailure } from './unpack-body.js';

/** A redirect that is not followed. */
export function redirectError(from: URL, to: URL | null, status: number): ModelError {
  const target = to === null ? 'an address it did not name' : to.origin === from.origin ? 'itself' : to.origin;
  const text =
    `${from.origin} redirected the model request to ${target} (${status}). The key is not sent along; ` +
    'set the base URL to the final address.';
  return new ModelError('invalid_request', text, { status });
}

/** A connection that failed before any response. */
export function connectionError(url: URL, cause: unknown): ModelError {
  const code = codeOf(cause) ?? '';
  // Who does not have the right certificate, or does not speak TLS, has not and does not the next time.
  const retryable = !isCertificateCode(code) && code !== 'EPROTO';
  return new ModelError('connection', `${reasonOf(url, cause)} ${adviceOf(cause)}`, { cause, retryable });
}

/** A response body that stopped before its end. */
export function cutError(url: URL, status: number, cause?: unknown): ModelError {
  const code = codeOf(cause);
  const why = code === null ? '' : ` (${code})`;
  return new ModelError(
    'stream_cut',
    `The connection to ${hostAndPort(url)} closed in the middle of the reply${why}.`,
    {
      status,
      cause,
    },
  );
}

/** A reply that is packed in a way that cannot be unpacked here. @param known those that can */
export function packingError(url: URL, status: number, packing: string, known: readonly string[]): ModelError {
  const text =
    `${hostAndPort(url)} answered packed as "${shown(packing)}", which cannot be unpacked here; ` +
    `${known.join(', ')} can. Check the base URL and the proxy.`;
  return new ModelError('malformed', text, { status, retryable: false });
}

/** A packed reply that turned out not to be what it says. */
export function unpackError(url: URL, status: number, packing: string, reason: UnpackFailure): ModelError {
  const place = hostAndPort(url);
  if (reason.kind === 'too_much') {
    const text = `The reply of ${place} unpacks to a size that no reply has, and was given up. Check the base URL and the proxy.`;
    return new ModelError('malformed', text, { status, retryable: false });
  }
  const { kind, cause } = reason;
  const code = codeOf(cause);
  const why = code === null ? '' : ` (${code})`;
  if (kind === 'broken') {
    return new ModelError('stream_cut', `The packed reply of ${place} breaks off in the middle${why}.`, {
      status,
      cause,
    });
  }
  const text = `${place} says that its reply is packed as "${shown(packing)}", but it cannot be unpacked${why}. Check the proxy.`;
  return new ModelError('malformed', text, { status, cause });
}

function shown(packing: string): string {
  return cleanText(packing, []).slice(0, 40);
}

/** `host:port` with the port always named. */
function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

/** Why no connection came about, or no answer. A sentence. */
export function reasonOf(url: URL, cause: unknown): string {
  const place = hostAndPort(url);
  const code = codeOf(cause);
  if (code === null) return `No connection to ${place}: ${errorText(cause)}.`;
  if (code === 'ENOTFOUND') return `No connection to ${place}: the host name is unknown (ENOTFOUND).`;
  if (code === 'EAI_AGAIN') return `No connection to ${place}: the name server did not answer (EAI_AGAIN).`;
  if (code === 'ECONNREFUSED') return `No connection to ${place}: nothing listens there (ECONNREFUSED).`;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') {
    return `${place} closed the connection without an answer (${code}).`;
  }
  if (code.startsWith('HPE_')) return `${place} answered with something that is not HTTP (${code}).`;
  if (isCertificateCode(code)) return `The certificate of ${place} is not accepted (${code}).`;
  return `No connection to ${place} (${code}).`;
}

function adviceOf(cause: unknown): string {
  const code = codeOf(cause) ?? '';
  if (isCertificateCode(code)) return 'Check the base URL, or name the authority in NODE_EXTRA_CA_CERTS.';
  if (code === 'EPROTO') return 'Check whether the base URL should begin with http:// or https://.';
  return 'Check the network and the base URL.';
}

function isCertificateCode(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code);
}

/** The system's code of an error or of the error it wraps; fetch wraps, and so does a connect to several addresses. */
function codeOf(error: unknown): string | null {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 4; depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = 'cause' in at ? at.cause : 'errors' in at && Array.isArray(at.errors) ? at.errors[0] : null;
  }
  return null;
}
