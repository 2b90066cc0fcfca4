// The headers that a command of the definition prints, before each connection. One rule: what it prints is shown nowhere.
import type { HostExec } from '../../host/host.js';
import { isRecord } from '../../util/is-record.js';
import { errorText, shorten } from '../../util/text.js';
import type { HttpTerms } from './http-definition.js';
import { wrongHeaders } from './http-definition.js';

export interface HelperPlace {
  readonly exec: Pick<HostExec, 'run'>;
  readonly cwd: string;
  /** Without the keys of models. */
  readonly env: Readonly<Record<string, string>>;
}

const DEADLINE_MS = 10_000;
const MAX_BYTES = 64 * 1024;

/** @throws Error in words that follow the name of the server */
export async function helperHeaders(
  { name, url, headersHelper }: HttpTerms,
  { exec, cwd, env }: HelperPlace,
): Promise<Record<string, string>> {
  if (headersHelper === null) return {};
  const out: Uint8Array[] = [];
  let size = 0;
  const controller = new AbortController();
  const outcome = await exec
    .run({
      command: ['/bin/sh', '-c', headersHelper],
      cwd,
      env: { ...env, TURNWRIGHT_MCP_SERVER_NAME: name, TURNWRIGHT_MCP_SERVER_URL: url.href },
      signal: controller.signal,
      timeoutMs: DEADLINE_MS,
      onStdout(chunk) {
        size += chunk.length;
        if (size > MAX_BYTES) controller.abort();
        else out.push(chunk.slice());
      },
      onStderr: () => undefined,
    })
    .catch((error: unknown) => {
      throw new Error(`its headersHelper could not be started: ${errorText(error)}`);
    });
  if (size > MAX_BYTES) throw new Error(`its headersHelper printed more than ${MAX_BYTES} bytes`);
  if (outcome.ended === 'timed_out') throw new Error(`its headersHelper did not end within ${DEADLINE_MS / 1_000} s`);
  if (outcome.exitCode !== 0)
    throw new Error(
      `its headersHelper failed (exit code ${outcome.exitCode ?? outcome.signal}). Run it by hand to see why`,
    );
  const headers = parse(out);
  const wrong = isRecord(headers) ? wrongHeaders(headers) : 'printed something else than a JSON object of texts';
  if (wrong !== null) throw new Error(`its headersHelper ${shorten(wrong.replace(/^has/, 'printed'), 200)}`);
  return headers as Record<string, string>;
}

function parse(chunks: readonly Uint8Array[]): unknown {
  const decoder = new TextDecoder();
  try {
    return JSON.parse(chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode());
  } catch {
    return null; // what the parser says may show a part of a secret
  }
}
