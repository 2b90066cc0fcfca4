// Whether settings changed: asked before each prompt, and between its turns if a session has settings. Every
// session asks.
import { errorText } from '../../util/text.js';
import type { PendingNotice, SettingsMoment } from '../config/index.js';
import type { Session } from '../core/index.js';

/** Takes a change over. What is to be told; null if there is nothing to look at. Contract: never rejects. */
export function lookAtSettings(session: Session, moment: SettingsMoment): Promise<readonly PendingNotice[]> | null {
  const looking = session.config.reopenSettings?.(moment) ?? null;
  if (looking === null) return null;
  return looking
    .then(async (change) => {
      if (change === null) return [];
      return session.features.takeSettingsChange(session, await session.runtime(), change, moment);
    })
    .catch((error: unknown) => [
      { code: 'settings_problem', message: `Settings changed and stay as they were: ${errorText(error)}` },
    ]);
}
