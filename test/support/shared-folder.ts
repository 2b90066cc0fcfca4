// New folders for the tests of one file, gone when these are over: `after-each-file.ts` sees to it.
import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** Whatever the tests left in them. */
export function removeSharedFolders(): void {
  for (const folder of made.splice(0)) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // A test took away the right to write in it.
      openAll(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** A new folder with `name` in its own, resolved; for one test alone there is `temporaryFolder` of `engine.ts`. */
export function sharedFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `turnwright-${name}-`)));
  made.push(folder);
  return folder;
}

function openAll(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) openAll(join(folder, entry.name));
  }
}
