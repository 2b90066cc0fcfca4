// What the sandbox of a session is opened with, on every machine.
import type { Host } from '../host/host.js';
import type { SandboxViolation } from './command-sandbox.js';
import type { SandboxPolicy } from './policy.js';

export interface SandboxOptions {
  readonly policy: SandboxPolicy;
  readonly host: Host;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The engine's own folder, which no command may change. */
  readonly engineFolder: string;
  /** Told of each refusal that is not ignored. Contract: must not throw. */
  readonly onViolation: (violation: SandboxViolation) => void;
}
