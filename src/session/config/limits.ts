// The limits of a session: defaults, then variables, then options.
import { ConfigError } from '../../protocol/errors.js';
import type { EngineLimits } from '../../protocol/options.js';
import type { Settings } from '../../protocol/settingsTypes.generated.js';

interface LimitDeclaration {
  readonly default: number;
  readonly variable: string;
  /** The key below `retry` of the settings. */
  readonly setting?: Exclude<keyof NonNullable<Settings['retry']>, 'waitUntilReset'>;
}

/** Every limit. What it limits says `EngineLimits`; from both `npm run reference` writes their page. */
export const LIMITS: Readonly<Record<keyof EngineLimits, LimitDeclaration>> = {
  maxRetries: { default: 10, variable: 'TURNWRIGHT_MAX_RETRIES', setting: 'maxRetries' },
  retryBaseMs: { default: 500, variable: 'TURNWRIGHT_RETRY_BASE_MS', setting: 'baseMs' },
  retryMaxMs: { default: 32_000, variable: 'TURNWRIGHT_RETRY_MAX_MS', setting: 'maxMs' },
  retryHorizonMs: { default: 0, variable: 'TURNWRIGHT_RETRY_HORIZON_MS', setting: 'horizonMs' },
  streamIdleMs: { default: 120_000, variable: 'TURNWRIGHT_STREAM_IDLE_MS', setting: 'streamIdleMs' },
  contentIdleMs: { default: 600_000, variable: 'TURNWRIGHT_CONTENT_IDLE_MS', setting: 'contentIdleMs' },
  requestTimeoutMs: { default: 600_000, variable: 'TURNWRIGHT_REQUEST_TIMEOUT_MS', setting: 'requestTimeoutMs' },
  toolTimeoutMs: { default: 120_000, variable: 'TURNWRIGHT_TOOL_TIMEOUT_MS' },
  elicitationTimeoutMs: { default: 0, variable: 'TURNWRIGHT_ELICITATION_TIMEOUT_MS' },
  mcpStartTimeoutMs: { default: 30_000, variable: 'MCP_TIMEOUT' },
  mcpOutputTokens: { default: 0, variable: 'MAX_MCP_OUTPUT_TOKENS' },
  mcpToolTimeoutMs: { default: 0, variable: 'MCP_TOOL_TIMEOUT' },
  maxBackgroundTasks: { default: 16, variable: 'TURNWRIGHT_MAX_BACKGROUND_TASKS' },
  maxConcurrentAgents: { default: 8, variable: 'TURNWRIGHT_MAX_CONCURRENT_AGENTS' },
  backgroundWaitMs: { default: 5_000, variable: 'TURNWRIGHT_BACKGROUND_WAIT_MS' },
  maxBlobBytes: { default: 1_000_000_000, variable: 'TURNWRIGHT_MAX_BLOB_BYTES' },
};
const NAMES = Object.keys(LIMITS) as (keyof EngineLimits)[];

/** @throws ConfigError for an unknown limit, and a value that is not a whole number of at least 0, naming where it came from. */
export function resolveLimits(
  env: Readonly<Record<string, string | undefined>>,
  options: Partial<EngineLimits> = {},
): EngineLimits {
  const unknown = Object.keys(options ?? {}).find((key) => !Object.hasOwn(LIMITS, key));
  if (unknown !== undefined) throw new ConfigError(`There is no limits.${unknown}. Limits: ${NAMES.join(', ')}.`);
  const limits: { -readonly [Name in keyof EngineLimits]?: number } = {};
  for (const key of NAMES) {
    const { default: usual, variable } = LIMITS[key];
    const named = env[variable];
    limits[key] = named === undefined || named === '' ? usual : wholeNumber(Number(named), variable, named);
    const option = options[key];
    if (option !== undefined) limits[key] = wholeNumber(option, `limits.${key}`, String(option));
  }
  return limits as EngineLimits;
}

function wholeNumber(value: number, source: string, text: string): number {
  if (Number.isInteger(value) && value >= 0) return value;
  throw new ConfigError(`${source} is "${text}". Give a whole number of at least 0.`);
}
