// Programs of test/e2e/programs as processes of their own, on the built package.
import { mkdir, readlink, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = path.join(ROOT, 'node_modules/.cache/turnwright-programs');

/** Needs `dist/`. @returns the path of the program, ready to be run */
export async function buildProgram(name: string): Promise<string> {
  await build({
    input: path.join(ROOT, 'test/e2e/programs', `${name}.ts`),
    external: [/^node:/, 'turnwright', 'zod'],
    platform: 'node',
    output: { dir: FOLDER, format: 'esm', entryFileNames: '[name].mjs' },
  });
  // The programs import the published name; the package is this repository, wherever it was when the link was made.
  await mkdir(path.join(FOLDER, 'node_modules'), { recursive: true });
  const link = path.join(FOLDER, 'node_modules/turnwright');
  if ((await readlink(link).catch(() => null)) !== ROOT) {
    await rm(link, { force: true });
    await symlink(ROOT, link, 'dir').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return path.join(FOLDER, `${name}.mjs`);
}
