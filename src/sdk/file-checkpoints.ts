// Whether a session keeps what it needs to set files back: the option, then the settings, then what kind of session it is.

import { ConfigError } from '../protocol/errors.js';
import type { Settings } from '../protocol/settingsTypes.generated.js';
import { NO_PLACE } from '../session/open-checkpoints.js';
import type { PlainOptions } from './options.js';

const ACCEPTING_EDITS: ReadonlySet<unknown> = new Set(['acceptEdits', 'bypassPermissions', 'yolo', 'auto']);
const EDITING = /^(?:Edit|Write|NotebookEdit)(?:\(|$)/;

type Wanted = PlainOptions['enableFileCheckpointing'];

/** What the option and the settings say together. A setting that cannot be met is told, as every other. */
export function wantedCheckpoints(options: PlainOptions, values: Settings, managed: Settings): Wanted {
  const { enableFileCheckpointing: asked } = options;
  if (managed.enableFileCheckpointing !== undefined) return managed.enableFileCheckpointing;
  return typeof asked === 'boolean' ? asked : (values.enableFileCheckpointing ?? asked);
}

/**
 * The options with yes or no in place of `auto`.
 * @throws ConfigError where somebody asks for a way back and there would be none
 */
export function settleCheckpoints(options: PlainOptions): PlainOptions {
  const { enableFileCheckpointing: wanted, ...rest } = options;
  if (wanted === undefined) return options;
  if (typeof wanted !== 'boolean' && wanted !== 'auto')
    throw new ConfigError(`enableFileCheckpointing is ${JSON.stringify(wanted)}. It is true, false or auto.`);
  if (wanted === true && options.persistSession === false) throw new ConfigError(NO_PLACE);
  const isOn = wanted === 'auto' ? options.persistSession !== false && mayLoseFiles(options) : wanted;
  return isOn ? { ...rest, enableFileCheckpointing: true } : rest;
}

/** Somebody works with it, or it works on files alone. */
function mayLoseFiles({ canUseTool, permissionMode, allowedTools }: PlainOptions): boolean {
  return (
    canUseTool !== undefined ||
    ACCEPTING_EDITS.has(permissionMode) ||
    allowedTools?.some((rule) => EDITING.test(rule)) === true
  );
}
