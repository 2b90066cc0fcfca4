// What a server says of how much may be asked of it: the message `rate_limit_event`.
import type { SDKEnvelope } from './envelope.js';

export interface SDKRateLimitInfo {
  /**
   * `rejected`: the request was refused for it; `allowed`: requests are answered again; `allowed_warning`: it was answered,
   * but little is left.
   */
  readonly status: 'allowed' | 'allowed_warning' | 'rejected';
  /** When the limit is reset, seconds since 1970; absent if the server did not say. */
  readonly resetsAt?: number;
  /** Which limit it is, in the server's words, such as `five_hour`. */
  readonly rateLimitType?: string;
  /** Part of the limit that is used, 0 to 1; absent if the server did not say. */
  readonly utilization?: number;
}

/** A limit of the account or of the rate of requests is near, was reached, or is over. */
export interface SDKRateLimitEvent extends SDKEnvelope {
  readonly type: 'rate_limit_event';
  readonly rate_limit_info: SDKRateLimitInfo;
}
