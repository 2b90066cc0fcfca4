// The description of the settings, for scripts: read from its source, with the constants that it takes from `protocol/`.
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './setup.mjs';

const SOURCE = join(ROOT, 'src', 'context', 'settings', 'schema.ts');

export async function readSettingsSchema() {
  const bundle = await rolldown({ input: SOURCE, logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  const module = await import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
  return module.SETTINGS_SCHEMA;
}
