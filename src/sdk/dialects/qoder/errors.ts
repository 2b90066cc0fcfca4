// The errors of the Qoder Agent SDK, for programs that ask `instanceof`. Those of processes and daemons never come here.

import type { JsonValue } from '../../../protocol/json.js';

/** `resolveModel` did not answer in time. */
export { AbortError, ModelPolicyTimeoutError } from '../../../protocol/errors.js';

/** A control request was refused. */
export class ControlRequestError extends Error {
  readonly requestId: string;
  readonly code: string | undefined;
  readonly retryable: boolean;
  readonly details: Record<string, unknown> | undefined;

  constructor(options: {
    requestId: string;
    message: string;
    code?: string;
    retryable?: boolean;
    details?: Record<string, unknown>;
  }) {
    super(options.message);
    this.name = 'ControlRequestError';
    this.requestId = options.requestId;
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.details = options.details;
  }
}

/** Program and engine speak different protocols. */
export class ProtocolVersionMismatchError extends Error {
  readonly cliProtocolVersion: string;
  readonly sdkProtocolVersion: string;

  constructor(cliProtocolVersion: string, sdkProtocolVersion: string) {
    super(`The engine speaks protocol ${cliProtocolVersion}, this SDK ${sdkProtocolVersion}. Update one of them.`);
    this.name = 'ProtocolVersionMismatchError';
    this.cliProtocolVersion = cliProtocolVersion;
    this.sdkProtocolVersion = sdkProtocolVersion;
  }
}

/** The engine cannot do what was asked. */
export class UnsupportedCliCapabilityError extends Error {
  readonly capability: string;

  constructor(capability: string) {
    super(`The engine does not have "${capability}".`);
    this.name = 'UnsupportedCliCapabilityError';
    this.capability = capability;
  }
}

/** A daemon refused a request. */
export class DaemonRpcError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly details: Record<string, JsonValue> | undefined;

  constructor(error: {
    code: string;
    message: string;
    retryable?: boolean;
    details?: Record<string, JsonValue> | undefined;
  }) {
    super(error.message);
    this.name = 'DaemonRpcError';
    this.details = error.details;
    this.code = error.code;
    this.retryable = error.retryable ?? false;
  }
}

/** The variable of `accessTokenFromEnv` is not set. */
export class AuthAccessTokenEnvVarError extends Error {
  readonly code = 'auth_access_token_env_var_not_configured';

  constructor(envVar: string) {
    super(`The variable ${envVar} is not set. Set it, or give the token itself with accessToken().`);
    this.name = 'AuthAccessTokenEnvVarError';
  }
}

/** The variable of `serviceAccountFromEnv` is not set. */
export class AuthServiceAccountEnvVarError extends Error {
  readonly code = 'auth_service_account_env_var_not_configured';

  constructor(envVar: string) {
    super(`The variable ${envVar} is not set. Set it, or give the key itself with serviceAccount().`);
    this.name = 'AuthServiceAccountEnvVarError';
  }
}

/** The process of the engine ended. */
export class QoderCliProcessError extends Error {
  readonly code = 'QODER_CLI_PROCESS_ERROR';

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'QoderCliProcessError';
  }
}

/** The worker of the engine could not be started. */
export class QoderWorkerRuntimeError extends Error {
  readonly code = 'QODER_WORKER_RUNTIME_ERROR';

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'QoderWorkerRuntimeError';
  }
}
