// What a model of the AI SDK wants back of a reply beside its text and calls: metadata of its provider, as the payload of
// sealed thinking. Rule: it goes back to the provider and the model it came from, and to nobody else.
import { openReasoning, sealReasoning } from '../contract/index.js';
import { type AiSdkLanguageModel, isFields, type Metadata } from './language-model.js';

const API = 'ai-sdk';

export interface Carried {
  /** Of the reasoning that the block is. */
  readonly own?: Metadata;
  /** Of calls, by their ids. */
  readonly calls?: readonly (readonly [id: string, metadata: Metadata])[];
  /** Of texts, by `shortHash` of them. */
  readonly texts?: readonly (readonly [hash: string, metadata: Metadata])[];
}

type Source = Pick<AiSdkLanguageModel, 'provider' | 'modelId'>;

export function sealCarried({ provider, modelId }: Source, carried: Carried): string {
  return sealReasoning(API, JSON.stringify({ provider, model: modelId, ...carried }));
}

/** Null for thinking of another API, provider or model. */
export function openCarried(signature: string | undefined, { provider, modelId }: Source): Carried | null {
  const payload = openReasoning(API, signature);
  if (payload === null) return null;
  try {
    const carried: unknown = JSON.parse(payload);
    const isOwn = isFields(carried) && carried['provider'] === provider && carried['model'] === modelId;
    return isOwn ? (carried as Carried) : null;
  } catch {
    return null; // a signature that only looks like ours: nothing of it is sent
  }
}
