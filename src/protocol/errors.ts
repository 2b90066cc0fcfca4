// Every error the engine raises on purpose. One class family, one closed list of codes; a message says what
// happened and what to do about it.

export type EngineErrorCode =
  | 'config_invalid'
  | 'rule_invalid'
  | 'not_supported'
  | 'session_not_found'
  | 'session_invalid'
  | 'session_in_use'
  | 'transcript_unwritable'
  | 'tool_failed'
  | 'model_failed'
  | 'host_failed';

const BRAND = Symbol.for('turnwright.error');

export class EngineError extends Error {
  readonly code: EngineErrorCode;
  readonly retryable: boolean;

  constructor(code: EngineErrorCode, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = options.retryable ?? false;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** True for an `EngineError` of any copy of this package, which `instanceof` would miss. */
export function isEngineError(error: unknown): error is EngineError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** An option, flag, setting or rule that cannot be used. */
export class ConfigError extends EngineError {
  constructor(
    message: string,
    options: { cause?: unknown; code?: 'config_invalid' | 'rule_invalid' | 'not_supported' } = {},
  ) {
    super(options.code ?? 'config_invalid', message, options);
  }
}

/** A session that cannot be found, read or written. */
export class SessionError extends EngineError {
  constructor(
    code: 'session_not_found' | 'session_invalid' | 'session_in_use' | 'transcript_unwritable',
    message: string,
    cause?: unknown,
  ) {
    super(code, message, { cause });
  }
}

/** The child process that a session runs in ended too soon, or failed. */
export class ChildProcessError extends EngineError {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to its stderr. */
  readonly stderr: string;

  constructor(
    message: string,
    details: { exitCode: number | null; signal: string | null; stderr: string; cause?: unknown },
  ) {
    super('host_failed', message, details.cause === undefined ? {} : { cause: details.cause });
    this.exitCode = details.exitCode;
    this.signal = details.signal;
    this.stderr = details.stderr;
  }
}

/**
 * A tool's failure that the model should read: the message becomes the text of an error `tool_result`.
 * Anything else a tool throws is a bug in the tool and is reported as such.
 */
export class ToolError extends EngineError {
  /** Typed data for the caller, if a failing tool has some (for example a command's output). */
  readonly data: unknown;

  constructor(message: string, data?: unknown) {
    super('tool_failed', message);
    this.data = data;
  }
}

/** Why a model request failed. `connection`: no answer came; `malformed`: an answer came that is not the protocol. */
export type ModelErrorKind =
  | 'connection'
  | 'timeout'
  | 'stream_cut'
  | 'stream_idle'
  | 'malformed'
  | 'overloaded'
  | 'rate_limit'
  | 'quota'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'context_overflow'
  | 'request_too_large'
  | 'invalid_request'
  | 'server'
  | 'aborted';

const RETRYABLE_KINDS: ReadonlySet<ModelErrorKind> = new Set([
  'connection',
  'timeout',
  'stream_cut',
  'stream_idle',
  'malformed',
  'overloaded',
  'rate_limit',
  'server',
]);

/** The part of a request that the model's server named as its reason to refuse it. */
export type RefusedPart =
  /** An image or document: `part` counts inside a tool result. Null if the server did not say which. */
  | {
      readonly kind: 'media';
      readonly place: { readonly message: number; readonly block: number; readonly part: number | null } | null;
    }
  /** Thinking whose signature does not hold. */
  | { readonly kind: 'thinking' }
  /** The way in which thinking, or effort, is asked for: the model does not know it. */
  | { readonly kind: 'thinking_mode' | 'effort' }
  /** The schema of the answer, or that there is one. */
  | { readonly kind: 'output_schema' }
  /** An output limit above what the model gives, tokens. */
  | { readonly kind: 'max_tokens'; readonly limit: number };

/** The only error a provider throws. */
export class ModelError extends EngineError {
  readonly kind: ModelErrorKind;
  /** HTTP status, or null if no response came. */
  readonly status: number | null;
  /** How long the server asked to wait, milliseconds, or null. */
  readonly retryAfterMs: number | null;
  readonly requestId: string | null;
  /** Which limit was reached, in the server's words; null if it named none. */
  readonly limitType: string | null;
  /** Without it the request may be taken; null if the server named nothing. */
  readonly refused: RefusedPart | null;

  constructor(
    kind: ModelErrorKind,
    message: string,
    details: {
      status?: number | null;
      retryAfterMs?: number | null;
      requestId?: string | null;
      limitType?: string | null;
      refused?: RefusedPart | null;
      /** What the server itself said of it; absent: the kind decides. */
      retryable?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super('model_failed', message, {
      cause: details.cause,
      retryable: details.retryable ?? RETRYABLE_KINDS.has(kind),
    });
    this.kind = kind;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.requestId = details.requestId ?? null;
    this.limitType = details.limitType ?? null;
    this.refused = details.refused ?? null;
  }
}

/** Thrown if the caller's own abort ended the work. */
export class AbortError extends Error {
  constructor(message = 'The operation was aborted.') {
    super(message);
    this.name = 'AbortError';
  }
}

/** `resolveModel` did not answer within `resolveModelTimeoutMs`. The query fails; nothing is fallen back to. */
export class ModelPolicyTimeoutError extends Error {
  /** How long was waited. */
  readonly timeoutMs: number;

  constructor(message = 'resolveModel did not answer in time.', timeoutMs = 500) {
    super(message);
    this.name = 'ModelPolicyTimeoutError';
    this.timeoutMs = timeoutMs;
  }
}
