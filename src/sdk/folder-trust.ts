// What of a folder would act if somebody vouched for it, and how the user does. For whoever can ask.
import type { TrustItem } from '../context/trust.js';
import type { Host } from '../host/host.js';
import { findSettings, type SettingsOptions } from '../session/find-settings.js';
import { homeFolder } from '../session/store/store-path.js';

/** A value that would act. */
export interface UntrustedValue {
  /** Absolute. */
  readonly file: string;
  readonly key: string;
  readonly value: unknown;
  /** Files of the folder that its commands name: who trusts it trusts them as they stand. */
  readonly files: readonly string[];
}

export interface UntrustedFolder {
  /** The real folder: of the repository, where there is one. */
  readonly root: string;
  readonly settings: readonly UntrustedValue[];
  /** Values of its git configuration that make git start programs. */
  readonly git: readonly UntrustedValue[];
  /** Keeps the user's trust in these values as they were read, and in no others. @throws ConfigError, FileError */
  trust(): Promise<void>;
}

/** Null where there is nothing to ask. @throws ConfigError where the options are wrong */
export async function untrustedFolder(
  host: Host,
  cwd: string,
  options: SettingsOptions,
): Promise<UntrustedFolder | null> {
  const opened = await findSettings(host, host.env, cwd, options).open();
  if (opened === null) return null;
  const { root, untrusted, gitPrograms } = opened.effective;
  const items = [...untrusted, ...gitPrograms];
  if (items.length === 0) return null;
  return {
    root,
    settings: untrusted.map(plain),
    git: gitPrograms.map(plain),
    async trust() {
      const { keepTrust } = await import('../session/keep-trust.js');
      await keepTrust(host, homeFolder(host), root, items);
    },
  };
}

function plain({ leaf, files }: TrustItem): UntrustedValue {
  return { file: leaf.file ?? '', key: leaf.key, value: leaf.value, files: Object.keys(files ?? {}) };
}
