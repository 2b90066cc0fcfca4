// A question to the user in the middle of a prompt, and its answer. Names of the published SDKs.

/** A form to fill in. */
export interface ElicitationRequest {
  /** Who asks: an MCP server, or `turnwright` for the model's own question. */
  readonly serverName: string;
  /** What the user is told. */
  readonly message: string;
  readonly mode?: 'form' | 'url';
  /** The page to open, in the mode `url`. */
  readonly url?: string;
  readonly elicitationId?: string;
  /** A JSON Schema of type object: one property a question, its text in `description`. */
  readonly requestedSchema?: Record<string, unknown>;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
}

/** `content` of an accepted request: a value for each property of `requestedSchema`. */
export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, unknown>;
}

/**
 * Answers in place of the user, or asks one. Null: nobody answered.
 * Contract: a throw or a rejected promise counts as no answer, and the model reads its text; so does an answer that
 * comes after `signal` was aborted.
 */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { readonly signal: AbortSignal; readonly requestId: string },
) => Promise<ElicitationResult | null>;
