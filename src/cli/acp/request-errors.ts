// What a client is told if a request failed: one sentence that says what to do, never a stack.
import { RequestError } from '@agentclientprotocol/sdk';
import { isEngineError } from '../../protocol/errors.js';
import { errorText } from '../../util/text.js';

const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
const AUTH_REQUIRED = -32000;
const NOT_FOUND = -32002;

const NO_KEY =
  'There is no key of a model provider. Run "turnwright login" in a terminal, or set ANTHROPIC_API_KEY or the key of another provider where the editor starts "turnwright acp"; or name a model that needs none, as "turnwright acp --model offline" does.';

/** Contract: what already is one stays as it is. */
export function requestError(error: unknown, sessionId?: string): RequestError {
  if (error instanceof RequestError) return error;
  const data = sessionId === undefined ? undefined : { sessionId };
  if (!isEngineError(error)) return new RequestError(INTERNAL, errorText(error), data);
  switch (error.code) {
    case 'session_not_found':
      return new RequestError(NOT_FOUND, error.message, data);
    case 'config_invalid':
    case 'rule_invalid':
    case 'not_supported':
    case 'session_invalid':
      return new RequestError(INVALID_PARAMS, error.message, data);
    default:
      return new RequestError(INTERNAL, error.message, data);
  }
}

export function invalidParams(message: string): RequestError {
  return new RequestError(INVALID_PARAMS, message);
}

export function failed(message: string): RequestError {
  return new RequestError(INTERNAL, message);
}

export function keyRequired(message = NO_KEY): RequestError {
  return new RequestError(AUTH_REQUIRED, message);
}
