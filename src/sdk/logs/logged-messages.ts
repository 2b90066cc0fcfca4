// What a query tells of itself beside its messages, for the options `stderr`, `debug`, `debugFile` and `onAuthExpired`. Loaded
// only with one of them. One rule: a log that breaks never breaks the session.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import type { SDKMessage } from '../../protocol/messages.js';
import { VERSION } from '../../util/version.js';
import type { Options } from '../options/index.js';
import { createLogRedactor, describeRun } from './describe-run.js';

/**
 * The same messages, each told first.
 * @throws ConfigError from the first `next()` if `debugFile` cannot be written
 */
export async function* loggedMessages(
  messages: AsyncGenerator<SDKMessage, void>,
  options: Options,
): AsyncGenerator<SDKMessage, void> {
  const host = options.host ?? createNodeHost();
  const redact = createLogRedactor({ ...host.env, ...options.env, ...keysOf(options.auth) });
  const file = options.debugFile === undefined ? null : await openLogFile(host, options, options.debugFile);
  const tell = unbreakable(options.stderr);
  // biome-ignore lint/suspicious/noConsole: the console is what is left if nothing else was named
  const put = file?.put ?? tell ?? ((line: string) => console.error(line.trimEnd()));
  const isDebug = options.debug === true || file !== null;
  let expired = unbreakable(options.onAuthExpired);
  const log = isDebug ? describeRun(host.clock.now, put, redact) : null;
  log?.note('start', { version: VERSION, os: host.platform.os, options: Object.keys(options) });
  try {
    for await (const message of messages) {
      log?.message(message);
      if (message.type === 'auth_status' && message.error !== undefined) {
        expired?.();
        expired = null;
      }
      if (tell !== null && message.type === 'system' && message.subtype === 'notice')
        tell(`${redact(message.remedy === undefined ? message.message : `${message.message} ${message.remedy}`)}\n`);
      yield message;
    }
  } catch (error) {
    log?.error(error);
    throw error;
  } finally {
    await file?.close();
  }
}

/** Null if there is none. */
function unbreakable<Given extends unknown[]>(
  callback: ((...given: Given) => void) | undefined,
): ((...given: Given) => void) | null {
  if (callback === undefined) return null;
  return (...given) => {
    try {
      callback(...given);
    } catch {
      // What a log does wrong has nowhere to be told but in that log.
    }
  };
}

/** Lines are written in their order; `close` waits for the last. @throws ConfigError */
async function openLogFile(host: Host, { cwd }: Options, name: string) {
  const file = path.resolve(host.platform.cwd, cwd ?? '', name);
  const handle = await host.fs.openAppend(file).catch((error: unknown) => {
    const code = (error as { code?: unknown }).code ?? 'unknown error';
    throw new ConfigError(
      `The file ${file} of the option debugFile cannot be written (${String(code)}). Name a file in a folder that exists.`,
      { cause: error },
    );
  });
  let written: Promise<unknown> = Promise.resolve();
  return {
    put(line: string): void {
      // A full disk must not end the run that is being looked at; the log just stops.
      written = written.then(() => handle.append(line)).catch(() => undefined);
    },
    async close(): Promise<void> {
      await written;
      await handle.close().catch(() => undefined); // every line is written, or lost to a fault
    },
  };
}

/** Keys that stand in the options, named as variables that hold a key. */
function keysOf(auth: Options['auth']): Record<string, string> {
  const texts = Object.entries(auth ?? {}).filter(
    (entry): entry is [string, string] => entry[0] !== 'type' && typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts.map(([name, value]) => [`KEY in auth.${name}`, value]));
}
