// The permission modes that can be asked for, and what they need.
import { ConfigError } from '../protocol/errors.js';
import { PERMISSION_MODES, type PermissionMode } from '../protocol/permissions.js';

/** @throws ConfigError for an unknown mode, and for a bypass that was not allowed on purpose. */
export function checkMode(mode: PermissionMode, bypassAllowed: boolean): PermissionMode {
  if (!PERMISSION_MODES.includes(mode)) {
    throw new ConfigError(`There is no permission mode "${String(mode)}". Modes: ${PERMISSION_MODES.join(', ')}.`);
  }
  if ((mode === 'bypassPermissions' || mode === 'yolo') && !bypassAllowed) {
    throw new ConfigError(
      `Permission mode ${mode} skips all questions. It needs allowDangerouslySkipPermissions (--allow-dangerously-skip-permissions).`,
    );
  }
  return mode;
}
