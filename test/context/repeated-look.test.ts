import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { type LookingFs, repeatLook } from '../../src/context/look.js';
import type { FileStat } from '../../src/host/host.js';
import { createNodeHost } from '../../src/host/node-host.js';

/** A tree whose times tick as those of a file system do, on a clock that only a test moves on. */
class TickingTree {
  now = 1_000_000_000_000;
  looks = 0;
  readonly #nodes = new Map<string, { kind: FileStat['kind']; time: number; target?: string }>();

  readonly #tick: number;

  constructor(tick: number) {
    this.#tick = tick;
    for (const folder of ['/', '/r', '/r/a', '/r/b', '/o', '/o/e'])
      this.#nodes.set(folder, { kind: 'directory', time: 0 });
  }

  get #time() {
    return this.now - (this.now % this.#tick);
  }

  make(at: string, kind: 'file' | 'directory' | 'symlink', target?: string) {
    const parent = this.#nodes.get(path.dirname(at));
    if (parent?.kind !== 'directory' || this.#nodes.has(at)) return;
    parent.time = this.#time;
    this.#nodes.set(at, { kind, time: this.#time, ...(target === undefined ? {} : { target }) });
  }

  /** In place of what is there. */
  link(at: string, target: string) {
    this.remove(at);
    this.make(at, 'symlink', target);
  }

  write(at: string) {
    const node = this.#nodes.get(at);
    if (node?.kind === 'file') node.time = this.#time;
  }

  remove(at: string) {
    const parent = this.#nodes.get(path.dirname(at));
    if (!this.#nodes.has(at) || parent === undefined) return;
    parent.time = this.#time;
    for (const each of [...this.#nodes.keys()]) if (each === at || each.startsWith(`${at}/`)) this.#nodes.delete(each);
  }

  move(from: string, to: string) {
    if (!this.#nodes.has(from) || to.startsWith(`${from}/`) || this.#nodes.get(path.dirname(to))?.kind !== 'directory')
      return;
    const moved = [...this.#nodes].filter(([each]) => each === from || each.startsWith(`${from}/`));
    this.remove(to);
    this.remove(from);
    for (const [each, node] of moved) this.#nodes.set(to + each.slice(from.length), node);
    for (const at of [path.dirname(to), to]) {
      const node = this.#nodes.get(at);
      if (node !== undefined) node.time = this.#time;
    }
  }

  /** The path with links followed, but for its last part. */
  #real(at: string, ownLink = false): string {
    if (at === '/') return at;
    const real = path.join(this.#real(path.dirname(at), true), path.basename(at));
    const node = this.#nodes.get(real);
    return ownLink && node?.target !== undefined ? node.target : real;
  }

  readonly fs: LookingFs = {
    lstatAll: async (paths) => {
      this.looks += paths.length;
      return paths.map((at) => {
        const node = this.#nodes.get(this.#real(at));
        if (node === undefined) return null;
        // A file that comes in place of another may have its number.
        return { kind: node.kind, size: 1, mtimeMs: node.time, ctimeMs: node.time, mode: 0o644, device: 1, inode: 1 };
      });
    },
    stat: async (at) => {
      const [found = null] = await this.fs.lstatAll([this.#real(at, true)]);
      if (found === null) throw new Error(`${at} is not there.`);
      return found;
    },
    realpath: async (at) => {
      const real = this.#real(at, true);
      if (!this.#nodes.has(real)) throw new Error(`${at} is not there.`);
      return real;
    },
  };
}

const NAMES = [
  '/r/a/x',
  '/r/a/y',
  '/r/a/z',
  '/r/a/d/x',
  '/r/a/d/y',
  '/r/b/x',
  '/r/b/y',
  '/r/l/x',
  '/r/l/y',
  '/r/n/x',
  '/x',
];

/** Asks as the session does: names of which most are missing, more in folders that are there, and where links lead. */
async function look(fs: LookingFs): Promise<unknown> {
  const names = await fs.lstatAll(NAMES);
  const folders = ['/r/a/d', '/r/n', '/r/l'];
  const found = await fs.lstatAll(folders);
  const there = folders.filter((_, at) => found[at] != null);
  const inner = await fs.lstatAll(there.flatMap((folder) => [`${folder}/p`, `${folder}/q`]));
  const link = found[2]?.kind === 'symlink' ? await fs.stat('/r/l').catch(() => null) : null;
  const real = await fs.realpath('/r/b').catch(() => 'gone');
  return { names, found, inner, link, real };
}

const at = fc.constantFrom(
  ...NAMES,
  '/r/a',
  '/r/b',
  '/r/a/d',
  '/r/a/d/p',
  '/r/n',
  '/r/n/p',
  '/r/l',
  '/r/l/q',
  '/r',
  '/o/x',
  '/o/y',
  '/o/e/x',
  '/o/e',
);
const step = fc.oneof(
  fc.tuple(fc.constant('make' as const), at, fc.constantFrom('file' as const, 'directory' as const)),
  fc.tuple(
    fc.constant('link' as const),
    fc.constantFrom('/r/l', '/r/b', '/r/n'),
    fc.constantFrom('/o', '/o', '/o/e', '/r/a'),
  ),
  fc.tuple(fc.constant('write' as const), at),
  fc.tuple(fc.constant('remove' as const), at),
  fc.tuple(fc.constant('move' as const), at, at),
);
/** What happens, the time that passes, and how often somebody looks then: often enough to go by folders. */
const round = fc.record({
  steps: fc.array(step, { maxLength: 3 }),
  wait: fc.constantFrom(0, 1, 30, 300, 5_000),
  looks: fc.integer({ min: 1, max: 5 }),
});

it('gives at every moment what a fresh look gives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1, 10, 40, 1_000, 2_000),
      fc.array(round, { minLength: 3, maxLength: 12 }),
      async (tick, rounds) => {
        const tree = new TickingTree(tick);
        const again = repeatLook({ fs: tree.fs, clock: clockOf(tree) }, look);
        for (const { steps, wait, looks } of rounds) {
          for (const each of steps) {
            if (each[0] === 'make') tree.make(each[1], each[2]);
            else if (each[0] === 'link') tree.link(each[1], each[2]);
            else if (each[0] === 'write') tree.write(each[1]);
            else if (each[0] === 'remove') tree.remove(each[1]);
            else tree.move(each[1], each[2]);
          }
          tree.now += wait;
          for (let time = 0; time < looks; time++) expect(await again()).toEqual(await look(tree.fs));
        }
      },
    ),
    { numRuns: 600 },
  );
});

it('looks at folders in place of their missing names, once their last change is past', async () => {
  const tree = new TickingTree(1);
  tree.make('/r/a/x', 'file');
  const again = repeatLook({ fs: tree.fs, clock: clockOf(tree) }, (fs) => fs.lstatAll(NAMES));
  const cost = async () => {
    const before = tree.looks;
    await again();
    return tree.looks - before;
  };
  expect(await cost()).toBeGreaterThan(NAMES.length);
  // Its file came just now: until that is past, each of its names is asked for.
  expect(await cost()).toBe(8);
  tree.now += 5_000;
  await cost();
  // The file, three names that are alone in their folders, and two folders for the names in them.
  expect(await cost()).toBe(6);
  tree.make('/r/b/x', 'file');
  expect(await cost()).toBeGreaterThan(NAMES.length);
});

it('sees what comes, goes and changes on this machine', async () => {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'turnwright-look-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));
  const host = createNodeHost();
  const names = ['a/x', 'a/y', 'b/x', 'b/y', 'c'].map((name) => path.join(top, name));
  for (const folder of ['a', 'b']) mkdirSync(path.join(top, folder));
  const clock = { ...host.clock, now: () => Date.now() + 10_000 };
  const again = repeatLook({ fs: host.fs, clock }, async (fs) =>
    (await fs.lstatAll(names)).map((stat) => stat?.mtimeMs ?? null),
  );
  const old = (at: string) => utimesSync(at, 1, 1);
  for (let round = 0; round < 4; round++) expect(await again()).toEqual([null, null, null, null, null]);
  writeFileSync(path.join(top, 'b', 'x'), '');
  old(path.join(top, 'b', 'x'));
  expect(await again()).toEqual([null, null, 1_000, null, null]);
  rmSync(path.join(top, 'b'), { recursive: true });
  symlinkSync('a', path.join(top, 'b'));
  writeFileSync(path.join(top, 'a', 'y'), '');
  old(path.join(top, 'a', 'y'));
  expect(await again()).toEqual([null, 1_000, null, 1_000, null]);
});

function clockOf(tree: TickingTree) {
  return { ...createNodeHost().clock, now: () => tree.now };
}
