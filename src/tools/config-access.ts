// What the tool Config needs of the settings: whoever puts a session together gives it.
import type { ConfigInput } from '../protocol/tool-io.js';

export type ConfigScope = NonNullable<ConfigInput['scope']>;

/** A value of a setting, and where it stands. `file`: null if it was given as an option. */
export interface ConfigValue {
  readonly key: string;
  readonly value: unknown;
  readonly scope: string;
  readonly file: string | null;
}

/** The settings of a folder, as the tool uses them. */
export interface ConfigAccess {
  /** The file that a change of a scope is written to, absolute. */
  fileOf(scope: ConfigScope): string;
  /** Every value that counts, and those that do not. @throws ConfigError */
  read(): Promise<{
    readonly entries: readonly (ConfigValue & { readonly overridden: readonly ConfigValue[] })[];
    readonly refused: readonly (ConfigValue & { readonly why: string })[];
  }>;
  /** The merged value of a key. @throws ConfigError if there is no such key */
  valueOf(key: string): Promise<unknown>;
  /** @param text JSON or a text; undefined: takes it out. @returns the file. @throws ConfigError, FileError */
  change(scope: ConfigScope, key: string, text: string | undefined): Promise<string>;
}
