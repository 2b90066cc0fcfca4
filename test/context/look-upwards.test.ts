import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findRepository } from '../../src/context/git/git-repository.js';
import { lookUpwards, repositoryAbove } from '../../src/context/look.js';
import { trustRoot } from '../../src/context/trust.js';
import { createNodeHost } from '../../src/host/node-host.js';

/** A repository with a folder two levels below its top. */
function nested() {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'turnwright-above-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));
  const [middle, inner] = [path.join(top, 'packages'), path.join(top, 'packages', 'a')];
  mkdirSync(inner, { recursive: true });
  mkdirSync(path.join(top, '.git'));
  writeFileSync(path.join(top, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const host = createNodeHost();
  const seen = async () => ({
    above: repositoryAbove(await lookUpwards(host, inner)),
    root: await trustRoot(host, inner),
    repository: (await findRepository(host, inner))?.top,
  });
  return { top, middle, inner, seen };
}

it('a folder .git without a HEAD is passed by, as git does', async () => {
  const { top, middle, inner, seen } = nested();
  for (const folder of [inner, middle]) mkdirSync(path.join(folder, '.git'));
  expect(await seen()).toEqual({ above: [middle, top], root: top, repository: top });
});

it.each<readonly [string, ...((at: string) => void)[]]>([
  ['a folder with a HEAD', (at: string) => mkdirSync(at), (at: string) => writeFileSync(path.join(at, 'HEAD'), 'x')],
  ['one whose HEAD leads nowhere', (at: string) => mkdirSync(at), (at: string) => symlinkSync('gone', `${at}/HEAD`)],
  ['a file', (at: string) => writeFileSync(at, 'anything')],
  ['a link', (at: string) => symlinkSync('gone', at)],
])('%s called .git ends a repository', async (_name, ...steps) => {
  const { middle, seen } = nested();
  for (const step of steps as ((at: string) => void)[]) step(path.join(middle, '.git'));
  expect(await seen()).toEqual({ above: [middle], root: middle, repository: middle });
});
