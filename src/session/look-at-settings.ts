// Whether settings changed: asked before each prompt, and between its turns where a session has settings. Small, because
// every session asks.
import { errorText } from '../util/text.js';
import type { PendingNotice, SettingsChange, SettingsMoment } from './config.js';
import type { Session } from './session.js';

/** Takes a change over. What is to be told; null where there is nothing to look at. Contract: never rejects. */
export function lookAtSettings(session: Session, moment: SettingsMoment): Promise<readonly PendingNotice[]> | null {
  const looking = session.config.reopenSettings?.(moment) ?? null;
  return looking === null ? null : takeOver(looking, session, moment);
}

async function takeOver(
  looking: Promise<SettingsChange | null>,
  session: Session,
  moment: SettingsMoment,
): Promise<readonly PendingNotice[]> {
  try {
    const change = await looking;
    if (change === null) return [];
    const { takeSettingsChange } = await import('./settings-change.js');
    return await takeSettingsChange(session, await session.runtime(), change, moment);
  } catch (error) {
    return [{ code: 'settings_problem', message: `Settings changed and stay as they were: ${errorText(error)}` }];
  }
}
