// What a cassette is made of.

/** One request and its answer. */
export interface CassetteExchange {
  /** By order of arrival, from 0. */
  readonly index: number;
  readonly request: {
    readonly method: string;
    /** With its query. */
    readonly path: string;
    /** Parsed; the text if it is not JSON. */
    readonly body: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** As they came, one write each. `base64` if the bytes are not text. */
    readonly chunks: readonly (string | { readonly base64: string })[];
    /** The connection broke behind the last chunk. */
    readonly isCut?: true;
  };
}
