// What the commands of a session reach: the query that they are called in, and the machine.
import type { Host } from '../../host/host.js';
import type { EngineControls } from '../../session/controls/index.js';
import type { Options } from '../options.js';
import type { Query } from '../query-controls.js';

/** The session that a command is called in. */
export interface CommandReach {
  query(): Query;
  session(): Promise<EngineControls>;
}

export interface CommandPlace extends CommandReach {
  readonly host: Host;
  /** With what settings say. */
  readonly options: Options;
  /** Absolute. */
  readonly cwd: string;
}
