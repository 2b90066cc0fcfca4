// Language models of the AI SDK as this engine sees them: by their shape, so that no package of it is needed. One rule:
// only what all of specification v2, v3 and v4 have is relied on; what differs is read where it differs.
import { ConfigError } from '../../protocol/errors.js';
import { isRecord } from '../../util/json.js';

export const AI_SDK_VERSIONS = ['v2', 'v3', 'v4'] as const;
export type AiSdkVersion = (typeof AI_SDK_VERSIONS)[number];

/** A model object of a provider package of the AI SDK, such as `openai('gpt-5')`. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: AiSdkVersion;
  /** For example `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ readonly stream: unknown }>;
}

export type Fields = Readonly<Record<string, unknown>>;
/** By provider: opaque. */
export type Metadata = Readonly<Record<string, Fields>>;

/** What a request is, in the words of every version. */
export interface CallOptions {
  readonly prompt: readonly PromptMessage[];
  readonly maxOutputTokens: number;
  readonly tools?: readonly Fields[];
  readonly toolChoice?: { readonly type: 'auto' | 'none' };
  readonly reasoning?: string;
  readonly providerOptions?: Metadata;
  readonly includeRawChunks: false;
  readonly abortSignal: AbortSignal;
}

export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly Fields[];
  readonly providerOptions?: Metadata;
}

/** True for anything that says it is a language model of the AI SDK, of whatever version. */
export function isAiSdkModel(value: unknown): value is AiSdkLanguageModel {
  return typeof value === 'object' && value !== null && 'specificationVersion' in value && 'doStream' in value;
}

/** @throws ConfigError if it is of an unknown version, or lacks what all of them have */
export function checkAiSdkModel(model: AiSdkLanguageModel): void {
  const { specificationVersion: version, provider, modelId } = model;
  if (!AI_SDK_VERSIONS.includes(version)) {
    const known = AI_SDK_VERSIONS.join(', ');
    throw new ConfigError(
      `The model object is of specification "${String(version).slice(0, 40)}" of the AI SDK. Known ones: ${known}.`,
    );
  }
  if (typeof model.doStream !== 'function' || typeof provider !== 'string' || typeof modelId !== 'string') {
    throw new ConfigError(
      'The model object is not a language model of the AI SDK: it needs provider, modelId and doStream.',
    );
  }
}

/** `openai` of `openai.responses`: where options and metadata of a provider stand. */
export function namespaceOf({ provider }: Pick<AiSdkLanguageModel, 'provider'>): string {
  return provider.split('.')[0] ?? provider;
}

/** Undefined if there is nothing in it. */
export function metadataOf(part: Fields): Metadata | undefined {
  const { providerMetadata } = part;
  if (!isRecord(providerMetadata)) return undefined;
  const entries = Object.entries(providerMetadata).filter(([, value]) => isRecord(value));
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Metadata);
}

/** What came later counts, field by field. */
export function mergeMetadata(before: Metadata | undefined, more: Metadata | undefined): Metadata | undefined {
  if (before === undefined || more === undefined) return before ?? more;
  const merged: Record<string, Fields> = { ...before };
  for (const [name, fields] of Object.entries(more)) merged[name] = { ...merged[name], ...fields };
  return merged;
}
