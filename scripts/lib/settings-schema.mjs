// The description of the settings, for scripts: read from its source, with the constants that it takes from `protocol/`.
import { readSource } from './read-source.mjs';

export async function readSettingsSchema() {
  return (await readSource('src/context/settings/schema.ts')).SETTINGS_SCHEMA;
}
