// What every SDK message carries, and the names of failures that several messages share.

/** Stamped on every message that leaves a session. */
export interface SDKEnvelope {
  readonly uuid: string;
  readonly session_id: string;
}

/** Why a reply or a request failed, as the published SDKs name it. The last four are for servers that say so. */
export type SDKAssistantMessageError =
  | 'authentication_failed'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'max_output_tokens'
  | 'unknown'
  | 'oauth_org_not_allowed'
  | 'account_on_hold'
  | 'verification_required'
  | 'cloud_credential_error';
