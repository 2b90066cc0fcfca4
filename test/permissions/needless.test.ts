// biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of a shell
// Forms of everyday lines that nobody should be asked about, each beside a form that looks like it and must be asked about.
import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PermissionMode } from '../../src/protocol/permissions.js';
import { type EverydayPlace, openEverydayPlace } from '../support/shell/everyday.js';

const TIME = 60_000;

let place: EverydayPlace;
beforeAll(() => {
  place = openEverydayPlace();
  execFileSync('git', ['add', '.'], { cwd: place.root });
});
afterAll(() => place.close());

const decided = async (command: string, mode: PermissionMode) => (await place.decide(command, mode)).behavior;

describe('a form that is known', { timeout: TIME }, () => {
  it.each([
    // The folder before.
    ['cd src && ls && cd - && ls', 'cd src; ls; cd - && ls'],
    ['cd src && cd ../docs && cd - && ls', 'cd src && OLDPWD=/etc && cd - && ls'],
    ['cd src && { cd - && ls; }', 'cd src && (cd - && ls)'],
    ['cd src && ls && cd - && ls', 'PWD=/etc; cd src && cd - && ls'],
    ['cd src && cd - && ls', 'cd nowhere/.. ; cd - ; ls'],
    ['cd src && cd - && ls', 'f() { cd /etc; }; cd src && f && cd - && ls'],
    ['pushd src; ls; popd; ls', 'popd; ls'],
    ['pushd src && pushd ../docs && popd && ls', 'pushd src && pushd +1 && popd && ls'],
    ['(pushd src; popd; ls)', 'if true; then pushd /etc; cd src; fi; popd; ls'],
    // The top of the work tree: nothing, if git does not agree.
    ['cd "$(git rev-parse --show-toplevel)" && ls', 'cd $(git rev-parse --show-toplevel) && ls'],
    ['ls "$(git rev-parse --show-toplevel)"', 'cat "$(git rev-parse --show-toplevel)/etc/passwd"'],
    // Parts of what is known.
    ['f=src/app.ts; cat "${f%.ts}.js" ${f%.ts}.js', 'f=src/app.ts; cat "${f%.ts}/../../../x"'],
    ['f=src/app.ts; ls "${f%/*}" src/"${f##*/}"', 'f=/etc/passwd; ls "${f%/*}"'],
    ['f=src/app.ts; ls "$(dirname "$f")" src/"$(basename $f .ts)".js', 'f=/etc/passwd; ls "$(dirname "$f")"'],
    ['cd "$(dirname src/app.ts)" && ls', 'cd "$(dirname ../x/y)" && ls'],
    ['f=a.b; ls ${f%.*} ${f#*.}', 'f=a..; ls "${f#a}"'],
    // Words of loops.
    ["for f in a.txt b.txt; do sed -n '1,4p' $f; done", "for f in a.txt -i; do sed -n '1,4p' $f; done"],
    ['for d in src docs; do find $d -type f | wc -l; done', 'for d in src -delete; do find . $d; done'],
    ['for f in src/*.ts; do sed -n 1p "$f"; done', 'for f in src/*.ts; do sed -n $f a.txt; done'],
    ['sort *.txt', 'sort {-onew,"x"} a.txt'],
    // Names that are listed, as input.
    ['for f in $(git ls-files src); do wc -l < "$f"; done', 'for f in $(cat list.txt); do wc -l < "$f"; done'],
    [
      'find src -name "*.ts" | while read -r f; do wc -l < "$f"; done',
      'cat list.txt | while read -r f; do wc -l < "$f"; done',
    ],
    // Names of commits.
    ['git show --stat $(git rev-list HEAD -n 1)', 'git show --stat $(git rev-list --boundary HEAD~1..HEAD)'],
    ['b=$(git merge-base main HEAD); git diff $b --stat', 'b=$(git branch --show-current); git diff $b --stat'],
    ['git show $(git rev-parse HEAD)', 'git show $(git rev-parse README.md)'],
    ['git rev-list HEAD | xargs -n1 git show --stat', 'git log --format=%s | xargs -n1 git show --stat'],
    ['for c in $(git rev-list HEAD); do git show $c; done', 'for c in $(git rev-list HEAD); do touch $c; done'],
    // Pagers that copy their input.
    ['git log | less -S', 'git log | less -o x'],
    ['cat a.txt | more', 'less a.txt'],
    // What divides, and what begins a pattern.
    ["awk -F, '{ s += $3 } END { print s/NR }' data.csv", `awk '{ if (1) /"/; print > "x" } /"/' data.csv`],
    ["awk -F/ '{ print $1 }' a.txt", "awk -F/etc/x '{ print $1 }' a.txt"],
    [`awk '{ print a["x"] / 2 }' a.txt`, `awk 'length /"/ { print > "x" } /"/' a.txt`],
    // Repositories below, if nothing in them starts something.
    ['cd packages/api && git status', 'cd .. && git status'],
    ['git -C packages/api log -3', 'git -C ../x log -3'],
    ['cd packages/api && git diff', 'cd packages/api && git remote show origin'],
    ['cd packages/api && git log', 'cd packages/api && git --paginate log'],
  ])('needs no question: %s', async (known, asked) => {
    expect(await decided(known, 'default')).toBe('allow');
    expect(await decided(asked, 'default')).toBe('ask');
  });

  it.each([
    ["find src -name '*.ts' -exec sed -i s/a/b/ {} +", "find . -name '*.ts' -exec sed -i s/a/b/ {} + -delete"],
    ["find src -name '*.ts' -print0 | xargs -0 sed -i s/a/b/", "find src -name '*.ts' | xargs -n1 perl -pi -e s/a/b/"],
    ['find src -name x -exec touch {} +', 'find src -name x -exec chmod +x {} +'],
    ['sort names.txt | uniq > tmp.txt && mv tmp.txt names.txt', 'ln -s /etc L | cp notes.txt L/x'],
    ['> logs/app.log', '> ../x'],
    ['for f in src/*.ts; do sed -i s/a/b/ "$f"; done', 'for f in src/*.ts ../x; do sed -i s/a/b/ "$f"; done'],
    ['cd src && sed -i s/a/b/ *.ts', 'sed -i s/a/b/ {-e1p,"x"}'],
    ['for f in src/app.ts; do mv "$f" "${f%.ts}.mts"; done', 'for f in src/x.git; do cp "$f" "${f#src/x}"; done'],
    [
      'for f in src/app.ts src/cli.ts; do mv "$f" "${f%.ts}.mts"; done',
      'for f in src/app.ts src/cli.ts; do ln -s /etc "$f.d"; cp x "$f.d"; done',
    ],
    ['cd src && touch x && cd - && touch y', 'cd src; touch x; cd -; touch y'],
  ])('needs none in acceptEdits: %s', async (known, asked) => {
    expect(await decided(known, 'default')).toBe('ask');
    expect(await decided(known, 'acceptEdits')).toBe('allow');
    expect(await decided(asked, 'acceptEdits')).toBe('ask');
  });

  it('is asked about if a name that is matched is an option, or leads out', async () => {
    const cases = [
      ['src/-i', 'cd src && sed -n 1p *'],
      ['src/-i.ts', 'cd src && for f in *.ts; do sed -n 1p "$f"; done'],
      ['src/-i', 'ls src | xargs sed -n 1p'],
    ] as const;
    for (const [name, command] of cases) {
      const target = path.join(place.root, name);
      writeFileSync(target, 'x\n');
      expect(await decided(command, 'default')).toBe('ask');
      rmSync(target);
      expect(await decided(command.replace('ls src |', 'find src -type f |'), 'default')).toBe('allow');
    }
    symlinkSync('/etc/hosts', path.join(place.root, 'src/led'));
    expect(await decided('for f in $(find src -type f); do wc -l < "$f"; done', 'default')).toBe('ask');
    rmSync(path.join(place.root, 'src/led'));
  });

  it('is asked about if the repository may have another work tree', async () => {
    const command = 'cd "$(git rev-parse --show-toplevel)" && ls';
    execFileSync('git', ['config', 'core.worktree', '/etc'], { cwd: place.root });
    expect(await decided(command, 'default')).toBe('ask');
    execFileSync('git', ['config', '--unset', 'core.worktree'], { cwd: place.root });
    expect(await decided(command, 'default')).toBe('allow');
  });

  it('is no form of a repository below that would start something', async () => {
    const inner = path.join(place.root, 'docs/inner');
    execFileSync('git', ['init', '-q', inner]);
    expect(await decided('cd docs/inner && git status', 'default')).toBe('allow');
    execFileSync('git', ['-C', inner, 'config', 'core.fsmonitor', './evil']);
    expect(await decided('cd docs/inner && git status', 'default')).toBe('ask');
    expect(await decided('git -C docs/inner status', 'default')).toBe('ask');
    rmSync(inner, { recursive: true });
  });

  it('has no part that runs beside others in another order', async () => {
    expect(await decided('cat b.txt | tee x.txt; mv a.txt b.txt', 'acceptEdits')).toBe('allow');
    expect(await decided('cat b.txt | mv a.txt b.txt', 'acceptEdits')).toBe('ask');
    expect(await decided(': <(sleep 1; cat b.txt); mv a.txt b.txt', 'acceptEdits')).toBe('ask');
  });
});
