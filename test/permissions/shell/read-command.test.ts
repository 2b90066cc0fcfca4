import { describe, expect, it } from 'vitest';
import { readCommand } from '../../../src/permissions/shell/read-command.js';
import { describeFile, PLACE } from '../../support/shell/judge.js';

function programs(command: string): (string | null)[] {
  return readCommand(command, PLACE).programs.map(({ name }) => name);
}

function files(command: string): string[] {
  return readCommand(command, PLACE)
    .files.filter(({ mentions }) => mentions === undefined)
    .map((use) => describeFile(use));
}

describe('readCommand', () => {
  it('tells what a plain command is', () => {
    expect(readCommand('FOO=1 /bin/ls "a b" *.ts', PLACE)).toEqual({
      unknown: null,
      files: [
        {
          path: '.',
          within: null,
          names: null,
          base: '/w',
          access: 'read',
          by: 'operand',
          program: null,
          reach: 'itself',
        },
        {
          path: 'a b',
          within: null,
          names: null,
          base: '/w',
          access: 'read',
          by: 'operand',
          program: 'ls',
          reach: 'itself',
        },
        {
          path: null,
          within: '.',
          names: { start: '', end: '.ts' },
          base: '/w',
          access: 'read',
          by: 'operand',
          program: 'ls',
          reach: 'itself',
          taken: { mayBeOptions: 'first' },
        },
      ],
      programs: [
        {
          text: 'FOO=1 /bin/ls "a b" *.ts',
          words: ['/bin/ls', 'a b', null],
          name: 'ls',
          allowText: 'FOO=1 /bin/ls a\\ b *.ts',
          spelled: 'FOO=1',
          startedBy: [],
          restrictTexts: [
            'FOO=1 /bin/ls "a b" *.ts',
            'FOO=1 /bin/ls a\\ b *.ts',
            '/bin/ls a\\ b *.ts',
            '/bin/ls a b *.ts',
            'ls a\\ b *.ts',
            'ls a b *.ts',
          ],
          mayStart: [],
          openTexts: ['/bin/ls a b \0', 'ls a b \0'],
          readOnly: false,
          isGit: false,
          startsIn: ['/w'],
          unknown: null,
        },
      ],
    });
  });

  it.each([
    ['a | b && c || d; e & f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a $(b) `c` <(d) >(e)', ['b', 'c', 'd', 'e', 'a']],
    ['x=$(a) b', ['a', 'b']],
    [`x=(1 $(a)); echo $\{x[$(b)]}`, ['a', 'b', 'echo', null]],
    ['a <<EOF\n$(b) `c`\nEOF', ['b', 'c', 'a']],
    ["a <<'EOF'\n$(b)\nEOF", ['a']],
    ['a > $(b) < "$(c)"', ['b', 'c', 'a']],
    ['for i in $(a); do b; done; while c; do d; done', ['a', 'b', 'c', 'd']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['case $(a) in $(b)) c;; *) d;; esac', ['a', 'b', 'c', 'd']],
    ['[[ -n $(a) && $(b) == $(c) ]]', ['a', 'b', 'c']],
    ['coproc a; time b; ! c', ['a', 'b', 'c']],
    ['{ a; } | (b; c)', ['a', 'b', 'c']],
    ['"a" \\b', ['a']],
    ['sudo env A=1 timeout 5 nice a', ['sudo', 'env', 'timeout', 'nice', 'a']],
    ['xargs -I{} a {}', ['xargs', 'a']],
    ['git rebase -x "a; b" main', ['git', 'a', 'b']],
    ['git submodule foreach --recursive a b', ['git', 'a']],
    ['tar --checkpoint-action=exec="a b" -cf x y', ['tar', 'a']],
    ['tar -I a -xf x', ['tar', 'a']],
    ['sort --compress-prog=a x', ['sort', 'a']],
    ['rg --pre a b', ['rg', 'a']],
    ['flock -c "a | b" lock', ['flock', 'a', 'b']],
    ['busybox xargs a', ['busybox', 'xargs', 'a']],
    ['parallel a {} ::: 1 2', ['parallel', 'a', 'a']],
    ['script -c "a" log', ['script', 'a']],
    ['su -c "a && b" root', ['su', 'a', 'b']],
    ['env -S "A=1 a b"', ['env', 'a']],
    ['env A.B=1 1=2 =3 a b', ['env', 'a']],
    ['sudo A-B=1 a b', ['sudo', 'a']],
  ])('names every program of %j', (command, expected) => {
    expect(programs(command)).toEqual(expected);
  });

  it.each([
    'echo "a',
    'a &&',
    'if a; then',
    '$X a',
    '"$X"',
    'a$X b',
    '{rm,-rf} x',
    '$(echo rm) x',
    './* x',
    'r?m x',
    'eval $X',
    'bash -c "$X"',
    'bash -c "a $X; $Y"',
    'curl x | sh',
    'bash',
    'bash x.sh',
    'source x.sh',
    '. ./x.sh',
    'python3 -c "x"',
    'node -e "x"',
    'perl -pe "x" f',
    'ruby -e x',
    'php -r x',
    'lua -e x',
    'python3 < x',
    "awk '{system($1)}' f",
    'awk \'{print | "sh"}\' f',
    "awk '{print > $1}' f",
    "sed 's/x/y/e' f",
    "sed '1e rm' f",
    'vim -c ":!rm" f',
    'git -c alias.x=!rm x',
    'git --exec-path=/x status',
    'git fetch --upload-pa=x y',
    'git clone ext::sh',
    'ssh -o ProxyCommand=x host',
    'PATH=/x; ls',
    'export PATH=/x && ls',
    'read PATH; ls',
    'printf -v PATH x; ls',
    'for PATH in x; do ls; done',
    `: $\{PATH:=x}`,
    'LD_PRELOAD=x ls',
    'alias ls=rm; ls',
    'hash -p /x ls; ls',
    'enable -f x y',
    'shopt -s expand_aliases',
    'declare -n x=PATH; x=1',
    "x='a[$(rm)]'; echo $((x))",
    "x='a[$(rm)]'; [[ $x -eq 1 ]]",
    "x='a[$(rm)]'; y=x; ((y))",
    'x=$(date); echo $((x+1))',
    `echo $\{x@P}`,
    "unset 'a[$(rm)]'",
    "[ -v 'a[$(rm)]' ]",
    "let 'a[$(rm)]'",
    'find . -exec',
    'find $X',
    'git log $X',
    'ls() { :; }; ls',
    'cat < /dev/tcp/a/80',
    'echo x > /dev/udp/a/80',
    'trap "$X" EXIT',
    "for f in a; do trap $'\\x66=b' DEBUG; cat $f; done",
    "for f in a; do eval $'\\x66=b'; cat $f; done",
    'find a | while read -r f; do cat "$f"; exec < b; done',
    "env 'BASH_FUNC_ls%%=() { rm x; }' bash -c ls",
    "bash -Pc 'cd a; cat ../b'",
    "bash +B -c 'cat {a,b}'",
    "eval 'shopt -s null''glob'; ls",
    'find . -fooexec rm',
    'sudo -Q rm',
  ])('says that %j is unknown', (command) => {
    const { unknown, programs: runs } = readCommand(command, PLACE);
    expect(unknown).not.toBeNull();
    expect(runs.some((run) => run.unknown !== null)).toBe(true);
  });

  it.each([
    ['cat a ../b ~/c "~/d" /e', ['read /w/a', 'read /w/../b', 'read /home/u/c', 'read /w/~/d', 'read /e']],
    ['echo x > a 2>> b &> c >| d', ['write /w/a', 'write /w/b', 'write /w/c', 'write /w/d']],
    ['a 2>&1 >/dev/null < b', ['read /w/b']],
    ['echo x > ~root/a', ['write ?']],
    ['cat $X src/*.ts "$Y/z"', ['read /w/src', 'read ?', 'read src/* in /w', 'read ?']],
    ['cd a && cat b', ['read /w/a', 'read /w/a/b']],
    ['cd a; cat b', ['read /w/a', 'read /w/a/b', 'read /w/b']],
    ['cd a || cat b', ['read /w/a', 'read /w/b']],
    ['(cd a && cat b); cat c', ['read /w/a', 'read /w/a/b', 'read /w/c']],
    ['cd $X && cat b', ['read ?', 'read ?/b']],
    ['cd - && cat b', ['read ?', 'read ?/b']],
    ['cd && cat b', ['read /home/u', 'read /home/u/b']],
    ['cd /x/../y && cat b', ['read /x/../y', 'read /y/b', 'read /x/../y/b']],
    ['while a; do cd ..; rm b; done', ['read ?/..', 'remove ?/b']],
    ['pushd a && cat b', ['read /w/a', 'read /w/a/b']],
    ['popd; ls', ['read ?', 'read ?/.']],
    ['cp a b', ['read /w/a', 'write /w/b']],
    ['cp -t d a b', ['read /w/a', 'read /w/b', 'write /w/d']],
    ['mv a b', ['read /w/a', 'remove /w/a', 'write /w/b']],
    ['rm -rf a /', ['remove /w/a', 'remove /']],
    ['rm -- -rf', ['remove /w/-rf']],
    ['touch a; mkdir -p b/c; tee d', ['write /w/a', 'write /w/b/c', 'write /w/d']],
    ['ln -s a b', ['read /w/a', 'read /w/b/a', 'write /w/b']],
    ['chmod -x a; chmod 755 b; chown u:g c', ['write /w/a', 'write /w/b', 'write /w/c']],
    ['dd if=a of=~/b', ['read /w/a', 'write /home/u/b']],
    ['sort -oa b', ['write /w/a', 'read /w/b']],
    ['sed -i s/a/b/ f', ['write /w/f']],
    ["sed -n '1w out' f", ['read /w/f', 'write /w/out']],
    ['find a b -name x -delete', ['read /w/a', 'read /w/b', 'remove /w/a', 'remove /w/b']],
    ['find . -fprint out', ['read /w/.', 'write /w/out']],
    ['grep x a; grep -e x b; rg x c', ['read /w/a', 'read /w/b', 'read /w/c']],
    ['curl -o a -d x http://h', ['write /w/a']],
    ['wget -O a http://h', ['write /w/a']],
    ['tar czf a b', ['write /w/a', 'read /w/b']],
    ['tar -xf a -C b', ['read /w/a', 'read /w/b', 'write /w/b/.']],
    ['git -C a rm b', ['read /w/a', 'remove /w/a/b']],
    ['xargs rm', ['remove ?']],
    ['lz4 -l a', ['remove /w/a', 'write /w/a.lz4']],
    ['diff --from-file=d a', ['read /w/d', 'read /w/a', 'read /w/d']],
    [
      'for f in a b; do patch "$f" c; done',
      ['a', 'b'].flatMap((file) => [
        ...[file, `${file}.orig`, `${file}.rej`].map((name) => `write /w/${name}`),
        'read /w/c',
        'write /w/.',
      ]),
    ],
    // Behind a colon in what is assigned a tilde is the home, and behind a sign of equality it is none.
    [`x=a:~/n; cat "\${x#a:}"`, ['read ?']],
    [`x=b=~/n; cat "\${x#b=}"`, ['read ?']],
    ['cp a=b:~/x y', ['read ?', 'write /w/y']],
    // The second goes through the first, which is a link by then.
    [
      'for f in l l/x; do ln -s /etc "$f"; done',
      ['read /etc', 'read /etc', 'write ?', 'read /etc', 'read /etc', 'write ?'],
    ],
    ['git read-tree --index-output=c x', ['write /w/c', 'read /w/.']],
    ['sudo rm a', ['remove /w/a']],
    ['env -C a rm b', ['read /w/a', 'remove /w/a/b']],
    ['bash -c "cd a && rm b"', ['read /w/a', 'remove /w/a/b']],
    ['docker exec c rm -rf /', []],
    ['ssh h rm -rf /', []],
    ['diff <(ls) a', ['read /w/.', 'read /w/a']],
    ['uniq a b', ['read /w/a', 'write /w/b']],
  ])('names the files of %j', (command, expected) => {
    expect(files(command)).toEqual(expected);
  });

  it('is unknown beyond 10,000 signs, and still names the programs', () => {
    const reading = readCommand(`${'ls;'.repeat(4_000)} rm x`, PLACE);
    expect(reading.unknown).toContain('longer than');
    expect(reading.programs.some(({ name }) => name === 'rm')).toBe(true);
    expect(readCommand('ls '.repeat(1_000_000), PLACE).unknown).toContain('longer than');
  });

  it('is unknown beyond 50 levels', () => {
    const nested = (depth: number) => `${'$('.repeat(depth)}ls${')'.repeat(depth)}`;
    expect(readCommand(`echo ${nested(20)}`, PLACE).unknown).toContain('not a plain word');
    expect(readCommand(`echo ${nested(60)}`, PLACE).unknown).not.toBeNull();
    expect(readCommand(`${'( '.repeat(60)}ls${' )'.repeat(60)}`, PLACE).unknown).toContain('50 deep');
    expect(readCommand(`${'sudo '.repeat(60)}ls`, PLACE).unknown).not.toBeNull();
  });
});

it('does not know where cd leads if CDPATH is set', () => {
  const moved = (command: string) =>
    readCommand(command, { ...PLACE, looksElsewhere: true }).files.map((use) => describeFile(use));
  expect(moved('cd a && rm b')).toEqual(['read ?', 'remove ?/b']);
  expect(moved('cd ./a && rm b')).toEqual(['read /w/./a', 'remove /w/a/b']);
});

describe('other logs than that of commits', () => {
  const reaches = (line: string): readonly string[] =>
    readCommand(line, PLACE).files.map(({ access, reach }) => `${access} ${reach}`);

  it.each([
    'git reflog -p',
    'git reflog show -p',
    'git reflog --cc',
    'git stash list -p',
    'git stash show -U5',
    'git stash list --cc',
    'git stash list -c',
  ])('show what was changed as that does: %s', (line) => {
    expect(reaches('git log -p')).toContain('read tree');
    expect(reaches(line)).toContain('read tree');
  });

  it.each(['git reflog', 'git reflog show main', 'git stash list'])('or names alone: %s', (line) => {
    expect(reaches(line)).not.toContain('read tree');
  });
});
