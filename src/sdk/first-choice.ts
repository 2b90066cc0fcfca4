// The model that a session starts with, chosen before anything starts. Loading what asks it begins here, while the rest of
// the options is looked at.
import { chooseIfKeyed, type ModelAccess, type ModelChoice, preloadProvider } from '../providers/choice/index.js';
import type { OpenedSettings } from '../session/settings/index.js';

/** Null if there is no key and no model is named. @throws ConfigError */
export async function firstChoice(
  model: string | undefined,
  access: ModelAccess,
  settings: OpenedSettings | null,
): Promise<ModelChoice | null> {
  const choice = await chooseIfKeyed(model, access).catch(async (error: unknown) => {
    throw settings === null ? error : (await import('./apply-settings.js')).modelFailure(error, settings, model);
  });
  if (choice !== null) preloadProvider(choice);
  return choice;
}
