// query() and startup() of the Qoder Agent SDK. One rule: an abort ends the iteration without a word, and a result that
// failed is a message and no error.
import { createNodeHost } from '../../../host/node-host.js';
import type { SDKMessage as OurMessage } from '../../../protocol/messages.js';
import type { Options as OurOptions } from '../../options/index.js';
import { query as ourQuery } from '../../query.js';
import type { Prompt, WarmQuery } from '../../startup.js';
import { dialectHost, QODER_FOLDER } from '../folders.js';
import { type Controls, withControls } from '../session.js';
import { type AnyAuthOptions, ourAuth } from './auth.js';
import type { SDKMessage } from './types.js';

interface Differing {
  /** Replaces the environment of the process. */
  env?: Record<string, string | undefined>;
  /** Absent: the keys that Turnwright finds. A token is sent only to a server whose address you set. */
  auth?: AnyAuthOptions;
}

export type Options = Omit<OurOptions, keyof Differing> & Differing;
export interface Query extends AsyncGenerator<SDKMessage, void>, Controls {}
export type { WarmQuery };

export interface StartupParams {
  options?: Options;
  initializeTimeoutMs?: number;
}

/** Runs a session as the Qoder Agent SDK does. @throws ConfigError from the first `next()` where it cannot be started */
export function query(params: { prompt: Prompt; options?: Options }): Query {
  const { prompt, options = {} } = params ?? {};
  return start(prompt, () => ourOptions(options), options.abortController?.signal);
}

/** Opens a session whose prompt comes later. @throws what opening it throws */
export async function startup(params: StartupParams = {}): Promise<WarmQuery<Query>> {
  const options = ourOptions(params.options ?? {});
  const { warm } = await import('../../startup.js');
  const { host = createNodeHost(), abortController } = options;
  return warm((prompt) => start(prompt, () => options, abortController?.signal), host, params.initializeTimeoutMs);
}

/** @throws where a variable of `auth` is not set */
function ourOptions({ env, host, auth, ...rest }: Options): OurOptions {
  const machine = dialectHost(QODER_FOLDER, host ?? createNodeHost(), env);
  return {
    ...rest,
    host: machine,
    // Naming a source reads it; allow rules of a project that nobody trusted grant nothing all the same.
    trustFolder: rest.trustFolder ?? false,
    ...(auth === undefined ? {} : { auth: ourAuth(auth, machine.env) }),
  };
}

function start(prompt: Prompt, options: () => OurOptions, signal: AbortSignal | undefined): Query {
  let isClosed = false;
  const isOver = () => isClosed || signal?.aborted === true;
  const session = withControls(ourQuery({ prompt, options: options() }), (messages) => quietly(messages, isOver));
  const { close } = session;
  session.close = () => {
    isClosed = true;
    close();
  };
  return session;
}

async function* quietly(messages: AsyncIterable<OurMessage>, isOver: () => boolean): AsyncGenerator<SDKMessage, void> {
  try {
    for await (const message of messages) {
      if (!isOver()) yield message as SDKMessage;
    }
  } catch (error) {
    if (!isOver()) throw error;
  }
}
