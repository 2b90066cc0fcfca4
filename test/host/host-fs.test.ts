// One table of cases over every file system, so that what a test sees in memory holds on the disk.
import { execFileSync } from 'node:child_process';
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { createNodeFs } from '../../src/host/files/node-fs.js';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import { FS_CASES, type FsUnderTest } from './host-fs.contract.js';
import { LOCATED_CASES } from './located-files.contract.js';

type Runner = (work: (subject: FsUnderTest) => Promise<void>) => Promise<void>;

const FILE_SYSTEMS: Readonly<Record<string, Runner>> = {
  'node-fs': async (work) => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-fs-')));
    try {
      await work({
        fs: createNodeFs(),
        root,
        link: (path, target) => symlink(target, path),
        special: async (path) => void execFileSync('mkfifo', [path]),
      });
    } finally {
      await rm(root, { recursive: true });
    }
  },
  'memory-fs': async (work) => {
    const { fs } = createMemoryHost({ cwd: '/root' });
    await work({
      fs,
      root: '/root',
      link: async (path, target) => fs.addSymlink(path, target),
      special: async (path) => fs.special(path),
    });
  },
};

describe.each(Object.entries(FILE_SYSTEMS))('%s', (_, run) => {
  it.each([...FS_CASES, ...LOCATED_CASES])('$name', async (fsCase) => {
    await run(fsCase.run);
  });
});
