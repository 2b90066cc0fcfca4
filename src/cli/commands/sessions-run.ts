// What a command over stored sessions is given.
import type { SessionFunctionOptions } from '../../sdk/sessions/index.js';
import type { CliIo } from '../cli-io.js';
import type { Style } from '../lines/index.js';
import type { CommandWords } from './read-words.js';

export interface SessionsRun {
  readonly io: CliIo;
  readonly words: CommandWords;
  readonly style: Style;
  /** Where to look: the folder of `--dir`, else everywhere. */
  readonly options: SessionFunctionOptions;
}
