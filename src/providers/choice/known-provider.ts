// What is known of a provider, and Anthropic: the one that most sessions need, without the table of all.
import type { ModelTiers, ProviderApi } from '../../protocol/model-options.js';
import type { ProviderLimits } from '../contract/index.js';
import { KEY_VARIABLES } from '../keys/index.js';
import { MODEL_ALIASES } from '../models/index.js';
import type { ChatQuirks } from '../openai-chat/index.js';

export interface KnownProvider {
  /** What stands before the slash in `provider/model`. */
  readonly id: string;
  /** Other names for it there. */
  readonly aliases?: readonly string[];
  readonly displayName: string;
  readonly api: ProviderApi;
  readonly baseUrl: string;
  readonly baseUrlVariable?: string;
  /** The address that the user gives in another way: asked for if `baseUrlVariable` is not set. */
  readonly addressOf?: (env: Readonly<Record<string, string | undefined>>) => string | undefined;
  /** The first that is set counts. */
  readonly keyVariables: readonly string[];
  readonly needsKey: boolean;
  /** The page on which people get a key. */
  readonly keyUrl?: string;
  /** Absent: its models must be named. */
  readonly tiers?: ModelTiers;
  readonly quirks?: ChatQuirks;
  readonly headers?: Readonly<Record<string, string>>;
  /** True: requests cost nothing. */
  readonly free?: boolean;
  /** In place of those of the session. */
  readonly limits?: ProviderLimits;
}

/** A known provider, or the user's own. */
export interface ConfiguredProvider extends KnownProvider {
  /** True if a user wrote about it. */
  readonly isOwn: boolean;
  /** True if the address is the user's, by an option. A variable is looked at later. */
  readonly hasOwnAddress: boolean;
  /** Addresses at which its server lists models, and tells what the account has used; absolute. */
  readonly modelsUrl?: string;
  readonly usageUrl?: string;
  /** A key that was written down with it. */
  readonly apiKey?: string;
}

export const ANTHROPIC: ConfiguredProvider = {
  id: 'anthropic',
  displayName: 'Anthropic',
  api: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  keyVariables: KEY_VARIABLES.anthropic,
  needsKey: true,
  keyUrl: 'https://platform.claude.com/settings/keys',
  tiers: Object.fromEntries(MODEL_ALIASES),
  isOwn: false,
  hasOwnAddress: false,
};
