// A module of src/ for scripts: bundled with what it imports, so that nothing has to be built first.
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './setup.mjs';

/** What a module loads later it does not load here. */
const LATER = {
  name: 'later',
  resolveDynamicImport: (id) => ({ id: typeof id === 'string' ? `node:none/${id}` : 'node:none', external: true }),
};

/** @param path of the file, from the root of the repository */
export async function readSource(path) {
  const bundle = await rolldown({ input: join(ROOT, path), logLevel: 'silent', platform: 'node', plugins: [LATER] });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  try {
    return await import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
  } catch (error) {
    // Its own trace has the whole module as an address.
    throw new Error(`${path}: ${error instanceof Error ? error.message : error}`);
  }
}
