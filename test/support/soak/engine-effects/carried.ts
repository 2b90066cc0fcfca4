// Folders that hold protected files, deeper than their top, and lines that copy, move, link and remove such folders. One
// rule: no repository has them, so that what a checkout writes is never one of them.
import type { Random } from '../random.js';
import { fill } from '../shell-effects/words.js';

/** By path below the root of the fixture. */
export const FOLDERS: Readonly<Record<string, string>> = {
  'ws/kit/a.txt': 'a of the kit\n',
  'ws/kit/numbers.txt': '9\n',
  'ws/kit/docs/readme.md': '# Kit\n',
  'ws/kit/.npmrc': 'x=1\n',
  'ws/kit/deep/er/.husky/pre-commit': 'true\n',
  'ws/kit/deep/er/b.txt': 'b of the kit\n',
  'ws/parts/config.toml': 'x = 1\n',
  'ws/conf/helix/languages.toml': 'x = 1\n',
  'ws/pack/.config/pip/pip.conf': 'x = 1\n',
  'ws/pack/c.txt': 'c of the pack\n',
  // Of the names of links in the workspace.
  'ws/over/link-out': 'over link-out\n',
  'ws/over/sub/link-up': 'over link-up\n',
  'ws/over/twin/dir-up/q.txt': 'over q\n',
  // A folder that is one of the workspace in some sessions.
  'more/x.txt': 'MORE x\n',
  'more/.npmrc': 'x=1\n',
  'more/sub/y.txt': 'MORE y\n',
  // Their names stand in no call.
  'outside/UNSEEN.txt': 'x\n',
  'outside/dir/UNSEEN.md': 'x\n',
  'home/UNSEEN.txt': 'x\n',
  'outside/kit/n.txt': 'n\n',
  'outside/kit/.vscode/tasks.json': '{}\n',
  'outside/kit/deep/.git/hooks/post-commit': 'true\n',
  'outside/kit/deep/.git/HEAD': 'ref: refs/heads/main\n',
};

const SOURCES = (
  'kit kit/deep kit/deep/er kit/. kit/ kit/* k* kit/*/ parts parts/* conf conf/. pack pack/. pack/.config over over/. over/* ' +
  'over/sub over/twin sub twin docs src empty ../outside ../outside/kit ../outside/kit/. ../outside/repo dir-out/kit "$PWD/kit" ' +
  '.husky ./kit "kit" kit//deep {kit,parts} ../more ../more/sub'
).split(' ');
const TARGETS =
  '. ./ new1 new1/ sub src docs mise .config empty kit parts src/deep twin dir-in dir-out ../outside "$PWD" pack/.config ../more ../more/new'.split(
    ' ',
  );

const LINES = [
  ...'-r -a -R -rf -rT -rL -al -rs -rn --recursive -rb -ru'.split(' ').map((flags) => `cp ${flags} {s} {t}`),
  'cp -r {s} {s} {t}',
  'cp -r -t {t} {s}',
  'cp -r --parents {s} {t}',
  'cp {s}/* {t}',
  'mv {s} {t}',
  'mv -f {s} {t}',
  'mv -T {s} {t}',
  'mv -t {t} {s}',
  'mv -b {s} {t}',
  'mv {s} {s} {t}',
  ...'-r -a -rL -rR -rl -a\\ --delete -a\\ --inplace -a\\ --exclude=.npmrc -r\\ --remove-source-files'
    .split(/(?<!\\) /)
    .map((flags) => `rsync ${flags.replaceAll('\\', '')} {s} {t}`),
  'ln -s {s} {t}',
  'ln -sfn {s} {t}',
  'ln -sr {s} {t}',
  'ln -sT $PWD/{s} {t}',
  'install {s}/* {t}',
  'install -D {s}/a.txt {t}/a.txt',
  'git mv {s} {t}',
  'find {s} -type f -exec cp {} {t} \\;',
  'find {s} -type f | xargs cp -t {t}',
  'find {s} -delete',
  'find {s} -type f -delete',
  "find {s} -name '.*' -delete",
  'find {s} -type f -exec rm {} +',
  'find {s} -depth -type f -exec mv {} {t} \\;',
  'rm -rf {s}',
  'rm -rf {s}/*',
  'rm -r {s}',
  'rmdir {s}',
  'git clean -fdx {s}',
  'git clean -fdxq -- {s}',
  'git stash -u -- {s}',
  'chmod -R u+x {s}',
  'chmod u+x {s}/*',
  'zip -qr new1.zip {s}; unzip -qo new1.zip -d {t}',
  'zip -qrm new1.zip {s}',
  'tar -cf new1.tar --remove-files {s}',
  'tar -cf new1.tar {s}; tar -xf new1.tar -C {t}',
  'tar -cf - {s} | tar -xf - -C {t}',
  'ls -A {s}; du -s {s}',
];

/** A line about such folders, in the workspace or in a folder of it. */
export function carryingLine(random: Random): string {
  const one = () =>
    fill(
      random.pick(LINES).replaceAll(/\{([st])\}/g, (_, kind) => random.pick(kind === 's' ? SOURCES : TARGETS)),
      random,
    );
  const kind = random.next();
  if (kind < 0.12) return `${one()}; ${one()}`;
  if (kind < 0.18) return `cd kit && ${one()}`;
  if (kind < 0.22) return `mkdir -p new1; ${one()}`;
  if (kind < 0.26) return `(cd .. && ${one()})`;
  if (kind < 0.3) return `for D in kit parts over; do cp -r $D {t}; done`.replace('{t}', random.pick(TARGETS));
  return one();
}
