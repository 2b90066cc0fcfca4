// The description of the settings, for scripts: read from its source, which imports nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './setup.mjs';

const SOURCE = join(ROOT, 'src', 'context', 'settings', 'schema.ts');

export async function readSettingsSchema() {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(readFileSync(SOURCE, 'utf8'), { compilerOptions });
  const module = await import(`data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`);
  return module.SETTINGS_SCHEMA;
}
