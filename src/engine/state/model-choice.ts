// What decides about the model of a request beside the state of the loop: a chain for failures, or the host. Types only.
import type { FallbackTrigger } from '../../protocol/fallback.js';
import type { EffortLevel } from '../../protocol/options.js';

/** The models after the first, and what leads to them. */
export interface ModelChain {
  /** As the host wrote them. */
  readonly models: readonly string[];
  readonly on: ReadonlySet<FallbackTrigger>;
  /** So many times in a row a model may be overloaded before the next one is asked. */
  readonly overloads?: number;
  /** The model that the prompt is for: the chain does not go back to it. */
  readonly primary: string;
  /** The name that requests use for a model of the chain, or why it is not asked. Contract: never throws. */
  admit(name: string): Promise<{ readonly model: string } | { readonly model: null; readonly reason: string }>;
}

/** What holds for one request. Null: what holds without it. */
export interface RequestParameters {
  /** Tokens. */
  readonly contextWindow: number | null;
  /** `none`: without thinking. */
  readonly effort: EffortLevel | 'none' | null;
}

export interface ModelDecision {
  /** As requests name it. */
  readonly model: string;
  readonly parameters: RequestParameters;
  /** Parameters that mean nothing here, told once. */
  readonly ignored: readonly string[];
}

/** `turn`: a request of the agent itself; `web_fetch`: about a page. @throws ModelDecisionFailure */
export type DecideModel = (what: 'turn' | 'compact' | 'web_fetch') => Promise<ModelDecision>;
