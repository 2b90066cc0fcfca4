// Whether a path lies in a folder: held against a reading of its parts, by everyone who asks. `..x` is a name like any other.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EffectiveSettings } from '../../src/context/effective-settings.js';
import { isInside, isWithin, pathBelow } from '../../src/host/is-inside.js';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { settingsHooks } from '../../src/session/hooks/settings-hooks.js';
import { showPath } from '../../src/tools/search/search-paths.js';
import { leadsOut } from '../../src/util/posix-path.js';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

const name = fc.constantFrom('a', 'b', '..x', '..', '...', '.', '..a.ts', 'x..', '.git', 'a b');
const absolute = fc.array(name, { maxLength: 5 }).map((names) => `/${names.join('/')}`);

/** The parts that are left, `..` taken back. */
function partsOf(file: string): string[] {
  const parts: string[] = [];
  for (const part of file.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

it('is told by whole parts of a path', () => {
  fc.assert(
    fc.property(absolute, absolute, (folder, file) => {
      const [of, parts] = [partsOf(folder), partsOf(file)];
      const isBelow = of.every((part, index) => parts[index] === part);
      const below = parts.slice(of.length).join('/');
      expect(isInside(folder, file)).toBe(isBelow);
      expect(pathBelow(folder, file)).toBe(isBelow ? below : null);
      expect(isWithin(`/${of.join('/')}`, `/${parts.join('/')}`)).toBe(isBelow);
      expect(leadsOut(path.relative(folder, file), path.sep)).toBe(!isBelow);
      expect(showPath(file, folder)).toBe(isBelow && below !== '' ? below : file);
      expect(hookPlace(file, folder)).toBe(isBelow ? below : file);
    }),
    { seed: 42, numRuns: 400 },
  );
});

/** How a hook of a file in the project says which file that is. */
function hookPlace(file: string, folder: string): string | undefined {
  const value = { hooks: [{ type: 'command', command: 'true' }] };
  const group = { path: ['hooks', 'Stop'], key: 'hooks.Stop', at: 0, value, scope: 'project', file, base: folder };
  const effective = { entries: [group], refused: [], values: {}, managed: {}, lists: [], actingFiles: new Map() };
  const { commands, refused } = settingsHooks(createMemoryHost(), effective as unknown as EffectiveSettings, folder);
  return /\((.*)\)$/.exec([...commands, ...refused][0]?.label ?? '')?.[1];
}

it('is asked in one way: no file of the engine looks at the first two dots by itself', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const own = files.filter((file) =>
    /startsWith\((['"`])\.\.(?:\/?\1|\$\{path\.sep)/.test(readFileSync(path.join(SRC, file), 'utf8')),
  );
  // Rules compare folded paths, and the compile cache loads nothing.
  expect(own.sort()).toEqual(['cli/compile-cache.ts', 'permissions/path-pattern.ts']);
});
