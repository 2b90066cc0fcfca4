// The contract of a vault: what a session knows to be secret, and what stands in its place before the model and on the
// disk. One per session; its subagents share it.
import type { Host } from '../host/host.js';

/** `typed`: the user handed it over, so it goes wherever a call takes it. `found`: something that was read holds it. */
export type SecretOrigin = 'typed' | 'found';

/** What a text with placeholders goes to. `file`: into one that holds `text` now. */
export type SecretPlace =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'outside' }
  | { readonly kind: 'file'; readonly text: string };

/** Why a placeholder stayed. `shell`: the shell would act on what the secret holds. */
export type WhyKept = 'unknown' | 'own' | 'found' | 'shell';

/** A text with secrets in place of placeholders, and the placeholders that stayed. */
export interface Restored {
  readonly text: string;
  readonly kept: readonly { readonly placeholder: string; readonly why: WhyKept; readonly variable: string }[];
}

/** Takes a text that comes in pieces, such as the output of a command. */
export interface HiddenStream {
  /** What of the text so far may be shown. What a secret may still continue waits for more. */
  push(text: string): Promise<string>;
  /** What waits, if that is a line without an end and nothing in it looks like a secret; else nothing. It still waits. */
  line(): string;
  /** The rest. */
  end(): Promise<string>;
}

export interface OpenVault {
  /** The text with a placeholder in each secret's place. Secrets are remembered, so that a call may use them. */
  hide(text: string, origin: SecretOrigin): Promise<string>;
  /** As `SecretVault.hide`. */
  hideIn<T>(value: T, origin: SecretOrigin, isMessage: boolean): Promise<T>;
  restore(text: string, place: SecretPlace): Promise<Restored>;
  /** As `restore`, for a shell: also the variables that the command names in place of placeholders. */
  restoreCommand(
    command: string,
    place: SecretPlace,
  ): Promise<Restored & { readonly env: Readonly<Record<string, string>> }>;
  stream(): HiddenStream;
}

/** As `createSecretVault` has it. */
export interface OpenedVault {
  readonly vault: OpenVault;
  suspects(text: string): boolean;
  /** Grows with each value that is looked for from then on. */
  learnt(): number;
}

export interface SecretVault {
  /** False if the text surely holds none. Contract: cheap. */
  suspects(text: string): boolean;
  /** As `suspects`, of all texts of a JSON value. @param isMessage as in `hide` */
  suspectsIn(value: unknown, isMessage: boolean): boolean;
  /** False if the text surely names no secret by its placeholder. */
  mayHoldPlaceholder(text: string): boolean;
  /**
   * All texts of a JSON value without secrets; the very same value if there are none.
   * @param isMessage true for a message or its blocks: their ids, signed thinking and media stay as they are
   */
  hide<T>(value: T, origin: SecretOrigin, isMessage: boolean): T | Promise<T>;
  open(): Promise<OpenVault>;
  /** How many secrets were found since the last call, by kind; each counts once. */
  takeFound(): ReadonlyMap<string, number>;
}

export interface VaultOptions {
  /** What is known to be secret whatever it looks like, each with its kind. The same map until something was added. */
  readonly known: () => ReadonlyMap<string, string>;
  /** True for what no call may have. */
  readonly isOwn: (value: string) => boolean;
  /** Makes the ids of placeholders: the same for all sessions of a user, and known to nobody else. Asked with the first secret. */
  readonly key: () => Promise<string>;
  readonly sha256: Host['sha256'];
}
