// Makes a folder of real files for a test.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedFolder } from './shared-folder.js';

/** A new temporary folder with these files: relative path to content. Later files are newer, by one minute each. */
export function createFileTree(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = sharedFolder('tree');
  let time = 1_700_000_000;
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    time += 60;
    utimesSync(path, time, time);
  }
  return root;
}
