// What one source of settings says, and what was wrong with it.
import type { Settings } from '../../protocol/settingsTypes.generated.js';
import type { SettingScope } from './places.js';

/** Something in settings that cannot be used, or is not. */
export interface SettingsProblem {
  /** Absolute; null for settings that were given as an object. */
  readonly file: string | null;
  /** Where in it, for example `permissions.allow[2]`; null for the file itself. */
  readonly key: string | null;
  readonly message: string;
  /** What would have been right. */
  readonly expected?: string;
  /** True for a key of another product that means nothing here, or not yet: nothing is wrong with it. */
  readonly isIdle?: true;
  /** The known key that was perhaps meant. */
  readonly nearest?: string;
}

/** One source that was read. */
export interface SettingsLayer {
  readonly scope: SettingScope;
  /** Null for settings that were given as an object. */
  readonly file: string | null;
  /** Absolute folder that relative paths start from. */
  readonly base: string;
  /** Only what is right. */
  readonly values: Settings;
}
