// The shape of what is known of a model. Types only, so that every reader of prices can share them.

/** USD per million tokens. A cache price that the source does not give equals `input`. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** A write that is kept for five minutes. */
  readonly cacheWrite: number;
  /** A write that is kept for an hour. Absent: twice `input`, which is what the Messages API asks; no source lists it. */
  readonly cacheWrite1h?: number;
}

/** A price for long prompts. */
export interface PriceTier {
  /** It holds for a prompt of more tokens than this; cached tokens count. */
  readonly above: number;
  readonly price: ModelPrice;
}

export type InputKind = 'text' | 'image' | 'pdf' | 'audio' | 'video';

export interface ModelFacts {
  /** The model's name, without the provider. */
  readonly id: string;
  readonly provider: string;
  /** Tokens of prompt and reply together. */
  readonly contextWindow: number;
  /** Longest reply, tokens. */
  readonly maxOutputTokens: number;
  /** Null: the price is not known. For one request use `priceForPrompt` (cost.ts), which knows the tiers. */
  readonly price: ModelPrice | null;
  /** By rising `above`; empty where one price holds for all prompts. */
  readonly tiers: readonly PriceTier[];
  readonly reasoning: boolean;
  readonly input: readonly InputKind[];
}
