// What reaches models is loaded as far as it is needed. One rule: nothing else in `providers/` loads on demand.
import { loadOnce } from '../util/load-once.js';

export const DOORS = {
  // ---- APIs; the one of most sessions comes with them.
  offline: loadOnce(() => import('./offline/index.js')),
  aiSdk: loadOnce(() => import('./ai-sdk/ai-sdk.js')),
  openaiChat: loadOnce(() => import('./openai-chat/openai-chat.js')),
  openaiResponses: loadOnce(() => import('./openai-responses/openai-responses.js')),
  /** Providers beside the default one, and keys that change. */
  choice: loadOnce(() => import('./choice/on-demand.js')),
  /** Models that write calls as text. */
  textCalls: loadOnce(() => import('./text-calls/rewrite-events.js')),
  /** Few replies fail, so what tells how is loaded for those that do. */
  anthropicFailures: loadOnce(() => import('./anthropic/classify-error.js')),

  // ---- HTTP.
  nodeHttp: loadOnce(() => import('node:http')),
  nodeHttps: loadOnce(() => import('node:https')),
  /** A runtime without `node:http`. */
  fetch: loadOnce(() => import('./http/http-fetch.js')),
  /** A proxy, or a file of authorities. */
  tunnel: loadOnce(() => import('./http/http-tunnel.js')),
  /** A body that comes packed. */
  packings: loadOnce(() => import('./http/unpack-body.js')),
  /** Few requests fail either. */
  httpFailures: loadOnce(() => import('./http/http-failures.js')),
} as const;
