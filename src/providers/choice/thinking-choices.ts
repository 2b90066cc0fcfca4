// What a user can choose of a model's thinking: which levels of effort it tells apart, and whether it can be switched off.
// One rule: a choice is one only if another request would be sent for it.
import { EFFORT_LEVELS, type EffortLevel } from '../../protocol/options.js';
import { type AiSdkLanguageModel, thinkingOptions } from '../ai-sdk/index.js';
import type { ModelRequest } from '../contract/index.js';
import { thinkingFields } from '../openai-chat/index.js';
import { reasoningFields } from '../openai-responses/index.js';
import type { KnownProvider } from './provider-access.js';

export interface ThinkingChoices {
  readonly canBeOff: boolean;
  /** From the least to the highest; empty if there are none to choose from. */
  readonly efforts: readonly EffortLevel[];
  /** The one if none is asked for; null if that is not known. */
  readonly usual: EffortLevel | null;
}

type Asked = Pick<ModelRequest, 'effort' | 'thinking'>;

/** Of a model that is known to reason, by its name at its provider. */
export function thinkingChoices(
  { api, quirks = {} }: Pick<KnownProvider, 'api' | 'quirks'>,
  model: string,
): ThinkingChoices {
  switch (api) {
    case 'anthropic':
      return claudeChoices(model);
    case 'openai-responses':
      return { ...choicesBy((asked) => reasoningFields({ model, ...asked })), usual: usualOf(model) };
    case 'openai-chat':
      return { ...choicesBy((asked) => thinkingFields({ model, ...asked }, quirks)), usual: usualOf(model) };
    default:
      return api satisfies never;
  }
}

export function objectThinkingChoices(object: AiSdkLanguageModel): ThinkingChoices {
  return { ...choicesBy((asked) => ({ ...thinkingOptions(object, asked) })), usual: null };
}

/** @param fields what a request that asks so has of its own */
function choicesBy(fields: (asked: Asked) => object): Pick<ThinkingChoices, 'canBeOff' | 'efforts'> {
  const nothing = JSON.stringify(fields({}));
  const sent = new Map<string, EffortLevel>();
  for (const effort of EFFORT_LEVELS) {
    const text = JSON.stringify(fields({ effort }));
    if (text !== nothing && !sent.has(text)) sent.set(text, effort);
  }
  return {
    canBeOff: JSON.stringify(fields({ thinking: { type: 'disabled' } })) !== nothing,
    // One of them is a switch, not a choice of levels.
    efforts: sent.size < 2 ? [] : [...sent.values()],
  };
}

const CLAUDE = /(?:^|[./])claude-(opus|sonnet|haiku|[a-z]+)-(\d+)(?:[-.](\d{1,2}))?(?!\d)/;

/** The API takes every word and refuses those that a model does not know: by the name, as it is documented. */
function claudeChoices(model: string): ThinkingChoices {
  const [, line, major = '0', minor = '0'] = CLAUDE.exec(model.toLowerCase()) ?? [];
  const version = Number(major) * 100 + Number(minor);
  const none: ThinkingChoices = { canBeOff: true, efforts: [], usual: null };
  if (version >= 407) return { ...none, efforts: EFFORT_LEVELS, usual: 'high' };
  if (version === 406) return { ...none, efforts: ['low', 'medium', 'high', 'max'], usual: 'high' };
  return version === 405 && line === 'opus' ? { ...none, efforts: ['low', 'medium', 'high'], usual: 'high' } : none;
}

/** The o series and GPT-5 reason middlingly if nothing is said; what later ones do is not known here. */
function usualOf(model: string): EffortLevel | null {
  return /(?:^|\/)(?:o\d|gpt-5(?:$|-(?!pro)))/.test(model.toLowerCase()) ? 'medium' : null;
}
