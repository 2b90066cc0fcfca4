// The limits of a session: defaults, then variables, then options.
import { ConfigError } from '../../protocol/errors.js';
import type { EngineLimits } from '../../protocol/options.js';

const DEFAULT_LIMITS: EngineLimits = {
  maxRetries: 10,
  retryBaseMs: 500,
  retryMaxMs: 32_000,
  retryHorizonMs: 0,
  streamIdleMs: 120_000,
  contentIdleMs: 600_000,
  requestTimeoutMs: 600_000,
  toolTimeoutMs: 120_000,
  elicitationTimeoutMs: 0,
  mcpStartTimeoutMs: 30_000,
  mcpToolTimeoutMs: 0,
  maxBackgroundTasks: 16,
  backgroundWaitMs: 5_000,
  maxBlobBytes: 1_000_000_000,
};

const VARIABLES: Readonly<Record<keyof EngineLimits, string>> = {
  maxRetries: 'TURNWRIGHT_MAX_RETRIES',
  retryBaseMs: 'TURNWRIGHT_RETRY_BASE_MS',
  retryMaxMs: 'TURNWRIGHT_RETRY_MAX_MS',
  retryHorizonMs: 'TURNWRIGHT_RETRY_HORIZON_MS',
  streamIdleMs: 'TURNWRIGHT_STREAM_IDLE_MS',
  contentIdleMs: 'TURNWRIGHT_CONTENT_IDLE_MS',
  requestTimeoutMs: 'TURNWRIGHT_REQUEST_TIMEOUT_MS',
  toolTimeoutMs: 'TURNWRIGHT_TOOL_TIMEOUT_MS',
  elicitationTimeoutMs: 'TURNWRIGHT_ELICITATION_TIMEOUT_MS',
  mcpStartTimeoutMs: 'MCP_TIMEOUT',
  mcpToolTimeoutMs: 'MCP_TOOL_TIMEOUT',
  maxBackgroundTasks: 'TURNWRIGHT_MAX_BACKGROUND_TASKS',
  backgroundWaitMs: 'TURNWRIGHT_BACKGROUND_WAIT_MS',
  maxBlobBytes: 'TURNWRIGHT_MAX_BLOB_BYTES',
};

/** @throws ConfigError for an unknown limit, and a value that is not a whole number of at least 0, naming where it came from. */
export function resolveLimits(
  env: Readonly<Record<string, string | undefined>>,
  options: Partial<EngineLimits> = {},
): EngineLimits {
  const unknown = Object.keys(options ?? {}).find((key) => !Object.hasOwn(VARIABLES, key));
  if (unknown !== undefined)
    throw new ConfigError(`There is no limits.${unknown}. Limits: ${Object.keys(VARIABLES).join(', ')}.`);
  const limits: Record<keyof EngineLimits, number> = { ...DEFAULT_LIMITS };
  for (const key of Object.keys(VARIABLES) as (keyof EngineLimits)[]) {
    const variable = VARIABLES[key];
    const named = env[variable];
    if (named !== undefined && named !== '') limits[key] = wholeNumber(Number(named), variable, named);
    const option = options[key];
    if (option !== undefined) limits[key] = wholeNumber(option, `limits.${key}`, String(option));
  }
  return limits;
}

function wholeNumber(value: number, source: string, text: string): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new ConfigError(`${source} is "${text}". Give a whole number of at least 0.`);
}

/** The variable that sets a limit. */
export function limitVariable(limit: keyof EngineLimits): string {
  return VARIABLES[limit];
}
