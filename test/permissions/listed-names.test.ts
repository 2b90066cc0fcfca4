// Names that one program lists for another, by a pipe or a substitution. One rule: they count as files below the folder that
// was listed only if nothing on their way makes them mean something else.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EverydayPlace, openEverydayPlace } from '../support/shell/everyday.js';

const TIME = 60_000;

let place: EverydayPlace;
beforeAll(() => {
  place = openEverydayPlace();
  git('add', '.');
});
afterAll(() => place.close());

function git(...words: string[]): void {
  execFileSync('git', words, { cwd: place.root });
}

const asked = async (command: string, rules: readonly string[] = []) =>
  (await place.decide(command, 'default', rules)).behavior;

/** A file with such a name while `run` runs. */
async function withFile(name: string, run: () => Promise<void>): Promise<void> {
  const target = path.join(place.root, name);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, 'x\n');
  try {
    await run();
  } finally {
    rmSync(path.join(place.root, name.split('/')[0] ?? ''), { recursive: true });
  }
}

/** A name that only git has. */
async function withTracked(name: string, run: () => Promise<void>): Promise<void> {
  await withFile(name, async () => git('add', '-f', '--', name));
  try {
    await run();
  } finally {
    git('rm', '-q', '--cached', '--', name);
  }
}

describe('names that a program lists', { timeout: TIME }, () => {
  it.each(['find src | xargs mycli', 'mycli x $(find src)'])(
    'are files to a program that nobody described: %s',
    async (command) => {
      const rules = ['Bash(mycli *)', 'Bash(xargs mycli *)'];
      expect(await asked(command, rules)).toBe('allow');
      const link = path.join(place.root, 'src/led');
      symlinkSync('/etc/hosts', link);
      try {
        expect(await asked(command, rules)).toBe('ask');
      } finally {
        rmSync(link);
      }
    },
  );

  it.each([
    'find src -exec grep {} +',
    'find src -exec fgrep {} +',
    'find src -exec grep -e {} +',
    'find src -exec head -n {} +',
  ])('are files but for the one that is a pattern or a value: %s', async (command) => {
    expect(await asked(command)).toBe('allow');
    const link = path.join(place.root, 'src/led');
    symlinkSync('/etc/hosts', link);
    try {
      expect(await asked(command)).toBe('ask');
    } finally {
      rmSync(link);
    }
  });

  it.each([
    'wc -l $(git ls-files)',
    "wc -l $(git ls-files '*.ts')",
    'wc -l `git ls-files src`',
    'grep -n TODO $(git ls-files)',
    'cat $(git ls-files | grep guide)',
    'head -5 $(git ls-files 2>/dev/null | grep -v test | head -3)',
    'wc -l $(git diff --name-only)',
    'wc -l $(git diff --name-only -- src)',
    'wc -l $(git diff --cached --name-only --diff-filter=ACM)',
    'wc -l $(git diff --name-only --diff-filter=d HEAD)',
    'git diff --name-only | xargs wc -l',
    'git diff --name-only -z | xargs -0 wc -l',
    'git diff --name-only -z | xargs -0 grep -n TODO',
    "git ls-files | xargs -d '\\n' wc -l",
    "wc -l $(find src -name '*.ts')",
    "sed -n 1,5p $(find src -name '*.ts')",
    'sort $(find src -type f)',
    'sort $(git ls-files)',
    'sort *.txt',
    'file *',
    'jq . *.json',
    'for f in *.txt; do sort "$f"; done',
    'git ls-files | xargs file',
    'cat $(grep -rl TODO src)',
    'wc -l $(ls *.md)',
    'head -3 $(ls -t src)',
    'for f in $(git ls-files "*.ts"); do wc -l "$f"; done',
    'for f in $(git ls-files "*.ts"); do wc -l $f; done',
    'for f in $(git diff --name-only); do head -1 "$f"; done',
    "for f in $(find src -name '*.ts'); do head -1 $f; done",
  ])('are files below the folder: %s', async (command) => {
    expect(await place.decide(command, 'default')).toMatchObject({ behavior: 'allow' });
  });

  it.each([
    // What else is in the output may be any text.
    'wc -l $(cat list.txt)',
    'wc -l $(git ls-files; cat list.txt)',
    'wc -l $(git ls-files && cat list.txt)',
    'wc -l $(cat list.txt | grep src)',
    'wc -l $(git ls-files | sed s/a/b/)',
    'wc -l $(git ls-files 2>&1)',
    'git ls-files 2>&1 | xargs wc -l',
    'git ls-files |& xargs wc -l',
    'echo /etc/passwd $(git ls-files) | xargs wc -l',
    'printf "%s\\n" /etc/passwd "$(find src)" | xargs cat',
    'find src -exec cat {} \\; -exec git ls-files \\; | xargs cat',
    "bash -c 'cat list.txt; git ls-files' | xargs cat",
    "eval 'cat list.txt; git ls-files' | xargs cat",
    // Names of commits nobody checked.
    'wc -l $(git diff --name-only HEAD)',
    'wc -l $(git diff --name-only --cached)',
    'wc -l $(git diff --name-only --diff-filter=d main...HEAD)',
    'wc -l $(git diff --name-only --diff-filter=d main HEAD)',
    'wc -l $(git diff --name-only --diff-filter=D HEAD)',
    'wc -l $(git diff --name-only -R --diff-filter=d HEAD)',
    'git diff --name-only -z HEAD | xargs -0 cat',
    'wc -l $(git show --name-only)',
    // From elsewhere.
    'wc -l $(git ls-files ..)',
    'wc -l $(git diff --name-only -- ../x /etc/passwd)',
    'wc -l $(find .. -name x)',
    'wc -l $(ls ..)',
    'wc -l $(ls -a)',
    'wc -l $(ls -l)',
    // Names run together, or are split in another way.
    'wc -l $(find . -print0)',
    'wc -l $(git ls-files -z)',
    'find . -print0 | xargs wc -l',
    'git ls-files | xargs -d s wc -l',
    'git ls-files | xargs -a list.txt wc -l',
    'IFS=s; wc -l $(git ls-files)',
    'wc -l "$(git ls-files)"',
    'wc -l /etc/$(git ls-files)',
    // What they do with them is more than to read.
    'rm $(git ls-files)',
    'touch $(git ls-files)',
    'ls *.md | xargs rm',
    'sort -o *.txt',
    'sort -T $(git ls-files)',
    'sort $X',
    'env *',
  ])('may be anything else: %s', async (command) => {
    expect(await place.decide(command, 'default')).not.toMatchObject({ behavior: 'allow' });
  });

  it('of another repository are not looked up in its index', async () => {
    const rules = ['Bash(git *)', 'Bash(xargs *)'];
    expect(await asked('git ls-files | xargs wc -l', rules)).toBe('allow');
    expect(await asked('git -C src ls-files | xargs wc -l', rules)).toBe('ask');
    expect(await asked('git ls-files | xargs -a list.txt wc -l', rules)).toBe('ask');
    expect(await asked('wc -l $(git -C src ls-files)', rules)).toBe('ask');
  });

  it.each([
    ['--files0-from=/etc/passwd', 'wc -l $(git ls-files)'],
    ['--files0-from=/etc/passwd', 'git ls-files -z | xargs -0 wc -l'],
    ['--file=/etc/passwd', 'git diff --name-only | xargs grep x'],
    ['-o/etc/passwd', 'sort $(git ls-files)'],
    ['x /etc/passwd', 'wc -l $(git ls-files)'],
    ['x /etc/passwd', 'for f in $(git ls-files); do wc -l "$f"; done'],
    ['.*/passwd', 'wc -l $(git ls-files)'],
    ['.[.]/passwd', 'wc -l $(git ls-files)'],
    ['.[.]/passwd', 'for f in $(git ls-files); do wc -l $f; done'],
  ])('that are options, or are split or matched, are looked up in the index: %s', async (name, command) => {
    expect(await asked(command)).toBe('allow');
    await withTracked(name, async () => expect(await asked(command)).toBe('ask'));
    expect(await asked(command)).toBe('allow');
  });

  it.each([
    ['-R', 'wc -l $(ls)'],
    ['src/-R', 'wc -l $(ls src)'],
    ['--files0-from=list.txt', 'wc *'],
    ['-omade.txt', 'sort *.txt'],
    ['-omade.txt', 'for f in *.txt; do sort "$f"; done'],
    ['-C', 'file *'],
    ['--files0-from=list.txt/x', 'cat */*'],
    ['src/a b', 'wc -l $(find src -type f)'],
    ['src/.*/passwd', 'wc -l $(find src -type f)'],
  ])('and in the folder: %s', async (name, command) => {
    expect(await asked(command)).toBe('allow');
    const made = path.join(place.root, name);
    mkdirSync(path.dirname(made), { recursive: true });
    writeFileSync(made, 'x\n');
    expect(await asked(command)).toBe('ask');
    rmSync(name.endsWith('/passwd') || name.endsWith('/x') ? path.dirname(made) : made, { recursive: true });
    expect(await asked(command)).toBe('allow');
  });

  it('in another file than the index are not seen', async () => {
    git('update-index', '--split-index');
    expect(await asked('wc -l $(git ls-files)')).toBe('ask');
    git('update-index', '--no-split-index');
    expect(await asked('wc -l $(git ls-files)')).toBe('allow');
  });

  it('with brackets stay what they are', async () => {
    await withTracked('routes/[id]/(app)/page.ts', async () =>
      expect(await asked('wc -l $(git ls-files)')).toBe('allow'),
    );
  });

  it('through links that lead out are files out there', async () => {
    const link = path.join(place.root, 'src/out');
    symlinkSync('/etc', link);
    for (const command of ['wc -l $(git ls-files)', 'wc -l $(find src)', 'git diff --name-only -z | xargs -0 wc -l'])
      expect(await asked(command)).toBe('ask');
    rmSync(link);
    // What no tracked file lies in is not gone into, but where a link leads there.
    const [far, near] = ['node_modules/deep', 'docs/in'].map((name) => path.join(place.root, name));
    mkdirSync(far ?? '');
    symlinkSync('/etc/passwd', path.join(far ?? '', 'guide.md'));
    git('rm', '-rq', '--cached', 'node_modules');
    expect(await asked('wc -l $(git ls-files)')).toBe('allow');
    symlinkSync('../node_modules/deep', near ?? '');
    expect(await asked('wc -l $(git ls-files)')).toBe('ask');
    rmSync(near ?? '');
    // Where git has a file, or a repository of its own, there may be a folder by now.
    const guide = path.join(place.root, 'docs/guide.md');
    rmSync(guide);
    mkdirSync(guide);
    symlinkSync('/etc', path.join(guide, 'out'));
    expect(await asked('grep -R x $(git ls-files)')).toBe('ask');
  });
});
