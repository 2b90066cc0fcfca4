// Packs the package as it would be published.
import { join } from 'node:path';
import { capture } from './run.mjs';
import { ensureBuilt } from './setup.mjs';

/**
 * Builds what is stale and packs it into `folder`.
 * @returns the path of the tarball and the paths of the files in it
 */
export async function pack(folder) {
  ensureBuilt({ types: true });
  const flags = ['--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', folder];
  const { code, output, stdout } = await capture('npm', ['pack', ...flags], { shell: process.platform === 'win32' });
  if (code !== 0) throw new Error(`npm pack failed:\n${output}`);
  const [packed] = JSON.parse(stdout);
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }) => path) };
}
