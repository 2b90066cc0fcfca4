// Whether a session keeps what it needs to set files back: what option and settings say, then what kind of session it is.

import { ConfigError } from '../protocol/errors.js';
import { NO_PLACE } from '../session/checkpoints/index.js';
import type { PlainOptions } from './options.js';

const ACCEPTING_EDITS: ReadonlySet<unknown> = new Set(['acceptEdits', 'bypassPermissions', 'yolo', 'auto']);
const EDITING = /^(?:Edit|Write|NotebookEdit)(?:\(|$)/;

/**
 * The options with yes or no in place of `auto`.
 * @throws ConfigError if somebody asks for a way back and there would be none
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
