// What can be asked about without a session.
import type { PermissionBehavior, PermissionMode } from '../../protocol/permissions.js';

/** A call, and what holds for it. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Default `default`. */
  readonly mode?: PermissionMode;
  readonly rules?: Readonly<Partial<Record<PermissionBehavior, readonly string[]>>>;
  /** Working directory. Default: that of the host. */
  readonly cwd?: string;
  /** Folders of the workspace beside it. */
  readonly roots?: readonly string[];
  /** Default: that of the host. */
  readonly home?: string;
  /**
   * False: nobody vouches for the folder. True: the host does, for what its repository starts too. Default: true for its
   * settings; of its repository, what the user vouched for.
   */
  readonly trusted?: boolean;
  /** True: commands run in a sandbox, with its defaults. Default false. */
  readonly sandbox?: boolean;
}
