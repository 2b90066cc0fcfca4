// Makes a folder of real files for a test.
import { mkdirSync, mkdtempSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A new temporary folder with these files: relative path to content. Later files are newer, by one minute each. */
export function createFileTree(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-tree-')));
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
