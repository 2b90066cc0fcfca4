// Which other models a prompt may go to, and when: the option `fallback`.

/** Why a request goes to the next model of the chain. */
export const FALLBACK_TRIGGERS = [
  'overloaded',
  'rate',
  'quota',
  'auth',
  'model_not_found',
  'server',
  'timeout',
  'connection',
  'refusal',
  'overflow',
] as const;

/**
 * `rate`: a limit of the rate of requests; `quota`: money or an allowance is used up; `auth`: the key was refused, or may
 * not do this; `server`: it failed, or answered nonsense; `timeout`: nothing came in time, or the stream fell silent;
 * `connection`: nobody answered, or the stream was cut; `refusal`: the model declined to answer; `overflow`: the
 * conversation is too long, and the next model is known to take more.
 */
export type FallbackTrigger = (typeof FALLBACK_TRIGGERS)[number];

export interface FallbackPolicy {
  /** Tried in order, each once a prompt, as `model` names them: `provider/model` for another provider. */
  readonly models?: readonly string[];
  /** Default: all but `auth`, `refusal` and `overflow`. */
  readonly on?: readonly FallbackTrigger[];
  /**
   * The most a model of the chain may cost, as a multiple of the price of the model that a prompt starts with: input and
   * output, at every length of prompt. One whose price is not known is left out.
   */
  readonly maxPriceFactor?: number;
  /**
   * So many times in a row a model may be overloaded before the next one is asked, though it could be asked again.
   * Default: as often as `limits.maxRetries` says.
   */
  readonly overloads?: number;
  /** True: a prompt never leaves its model, whatever else is said here or in `fallbackModel`. Default false. */
  readonly pin?: boolean;
}
