// What reads files of the user and of a project, loaded if there are such files. One rule: nothing else in `context/` loads on
// demand.
import { loadOnce } from '../util/load-once.js';

export const DOORS = {
  /** Instruction files. */
  instructions: loadOnce(() => import('./instructions/read-instructions.js')),
  /** Heads of Markdown files whose fields are nested: a parser of YAML. */
  nestedFields: loadOnce(() => import('./markdown/nested-field.js')),
  /** Settings with comments. */
  jsonc: loadOnce(() => import('./settings/jsonc.js')),
} as const;
