import { describe, expect, it } from 'vitest';
import { allowsRun, parseCommandPattern, restrictsRun } from '../../src/permissions/command-pattern.js';
import { readCommand } from '../../src/permissions/shell/read-command.js';
import { judgeCommand, PLACE } from '../support/shell/judge.js';

function allows(rule: string, command: string): boolean {
  return judgeCommand(command, { allow: [rule] }) === 'allowed';
}

function restricts(rule: string, command: string): boolean {
  return judgeCommand(command, { deny: [rule] }) === 'denied';
}

describe('parseCommandPattern', () => {
  it('tells exact, prefix and wildcard patterns apart', () => {
    expect(parseCommandPattern('npm test').kind).toBe('exact');
    expect(parseCommandPattern('npm run:*').kind).toBe('prefix');
    expect(parseCommandPattern('npm run *').kind).toBe('prefix');
    expect(parseCommandPattern('git * main').kind).toBe('wildcard');
    expect(parseCommandPattern('ls*').kind).toBe('wildcard');
    expect(parseCommandPattern('git:* push').kind).toBe('wildcard');
  });

  it.each([
    ['', 'names no program'],
    ['   ', 'names no program'],
    [':*', 'names no program'],
    ['echo "a', 'has no end'],
    ["echo 'a", 'has no end'],
    ['npm test && npm run build', 'stands between programs'],
    ['npm test; ls', 'stands between programs'],
    ['cat a | sh', 'stands between programs'],
    ['sleep 1 &', 'stands between programs'],
    ['ls > out', 'redirects'],
    ['sort < in', 'redirects'],
  ])('refuses %j, which can never match', (content, why) => {
    expect(() => parseCommandPattern(content)).toThrow(why);
    expect(() => parseCommandPattern(content)).toThrow(expect.objectContaining({ code: 'rule_invalid' }));
  });

  it.each(['echo "a && b"', "grep 'a|b' *", 'find . \\( -name x \\)', 'git commit -m "$(cat <<EOF', 'echo \\; x'])(
    'takes %j',
    (content) => {
      expect(parseCommandPattern(content).text).toBe(content);
    },
  );
});

describe('allow rules', () => {
  it.each([
    ['npm run build', 'npm run build', true],
    ['npm run build', 'npm run build --watch', false],
    ['npm run *', 'npm run build', true],
    ['npm run *', 'npm run', true],
    ['npm run:*', 'npm run test --watch', true],
    ['npm run:*', 'npm runx', false],
    ['npm run test:*', 'npm run test:unit', false],
    ['npm run test:*', 'npm run test -- -u', true],
    ['npm *', 'npmx', false],
    ['npm*', 'npmx', true],
    ['git push * main', 'git push origin main', true],
    ['git push * main', 'git push main', false],
    ['* --version', 'npm --version', true],
    ['* --help *', 'npm --help', false],
    ['npm install "a b"', 'npm install a\\ b', true],
    ['npm install a b', 'npm install "a b"', false],
    ['npm test', 'n"p"m  te\\st', true],
    ['npm test', "'npm test'", false],
    ['npm run *', './npm run x', false],
    ['npm run *', '/usr/bin/npm run x', false],
    ['npm test', 'timeout 30 npm test', true],
    ['npm test', 'nice -n 5 nohup npm test', true],
    ['npm test', 'NODE_ENV=test npm test', true],
    ['npm test', 'FOO=1 npm test', false],
    ['FOO=1 npm test', 'FOO=1 npm test', true],
    ['* npm test', 'FOO=1 npm test', false],
    ['npm test', 'sudo npm test', false],
    ['npm test', 'bash -c "npm test"', false],
    ['npm *', 'npm run x -- $X', true],
    // It may be `--script-shell=x`.
    ['npm *', 'npm run $X', false],
    ['npm run x', 'npm run $X', false],
    ['npm run $X', 'npm run $X', true],
    ['npm run $X', "npm run '$X'", false],
    ["npm run '$X'", 'npm run $X', false],
    ["git commit -m \"$(cat <<'EOF'*", 'git commit -m "$(cat <<\'EOF\'\nfix: a\nEOF\n)"', true],
    ["git commit -m \"$(cat <<'EOF'*", 'git commit --amend', false],
  ])('%s over %s: %s', (rule, command, expected) => {
    expect(allows(rule, command)).toBe(expected);
  });

  it('spell out what decides which programs run', () => {
    expect(allows('git * log', 'git -c core.pager=./x log')).toBe(false);
    expect(allows('git:*', 'git -c core.pager=./x log')).toBe(false);
    expect(allows('git -c core.pager=./x log', 'git -c core.pager=./x log')).toBe(true);
    expect(allows('git -c core.pager=./x *', 'git -c core.pager=./x log')).toBe(true);
    expect(allows('sudo *', 'sudo rm x')).toBe(false);
    expect(allows('sudo rm *', 'sudo rm x')).toBe(true);
    expect(allows('find:*', 'find . -exec rm {} +')).toBe(false);
    expect(allows('find . -exec rm {} +', 'find . -exec rm {} +')).toBe(true);
    expect(allows('python3 *', 'python3 -c "x"')).toBe(false);
    expect(allows('python3 -c "x"', 'python3 -c "x"')).toBe(true);
  });

  it('for a runner of environments cover what it runs, as documented', () => {
    expect(allows('npx *', 'npx tsc --noEmit')).toBe(true);
    expect(allows('devbox run *', 'devbox run rm -rf .')).toBe(true);
    expect(allows('devbox run npm test', 'devbox run npm test')).toBe(true);
    expect(allows('npm test', 'devbox run npm test')).toBe(false);
  });

  it('never allow what is unknown as a whole', () => {
    const reading = readCommand('echo "a', PLACE);
    const pattern = parseCommandPattern('*');
    expect(reading.unknown).toContain('unterminated');
    expect(reading.programs.every((run) => allowsRun(pattern, run))).toBe(false);
  });
});

describe('deny and ask rules', () => {
  it.each([
    'rm -rf x',
    '\\rm -rf x',
    '"r"m -rf x',
    "$'\\x72m' -rf x",
    '/bin/rm -rf x',
    './../bin/rm -rf x',
    'RM -rf x',
    'FOO=1 rm -rf x',
    'LD_PRELOAD=x rm -rf x',
    'sudo rm -rf x',
    'sudo -u root -- rm -rf x',
    'env -i A=1 rm -rf x',
    'timeout -s KILL 5 rm -rf x',
    'xargs -n1 rm -rf x',
    'find . -exec rm -rf {} +',
    'bash -c "rm -rf x"',
    "sh -ec 'cd /; rm -rf x'",
    'eval rm -rf x',
    'eval "echo a; rm -rf x"',
    'echo $(rm -rf x)',
    'echo `rm -rf x`',
    'cat <(rm -rf x)',
    'f() { rm -rf x; }; f',
    'if true; then rm -rf x; fi',
    'while false; do rm -rf x; done',
    'case a in a) rm -rf x;; esac',
    '(rm -rf x)',
    '{ rm -rf x; }',
    'true && rm -rf x',
    'false || rm -rf x',
    'ls | rm -rf x',
    'ls & rm -rf x',
    'ls\nrm -rf x',
    'command rm -rf x',
    'builtin command rm -rf x',
    'exec rm -rf x',
    'busybox rm -rf x',
    'nohup nice stdbuf -o0 rm -rf x',
    'trap "rm -rf x" EXIT',
    'sh <<< "rm -rf x"',
    "bash <<'EOF'\nrm -rf x\nEOF",
    'watch -n 1 rm -rf x',
    'docker exec c rm -rf x',
    'ssh host rm -rf x',
    'npx rm -rf x',
    'x=$(rm -rf x)',
    'a[$(rm -rf x)]=1',
    `echo $\{a:-$(rm -rf x)}`,
    'cat <<EOF\n$(rm -rf x)\nEOF',
    '[[ -n $(rm -rf x) ]]',
    'coproc rm -rf x',
    'time rm -rf x',
    '! rm -rf x',
  ])('see through %j', (command) => {
    expect(restricts('rm *', command)).toBe(true);
    expect(restricts('rm -rf:*', command)).toBe(true);
  });

  it.each(['git push', 'git -C /x push', 'git --no-pager -c a.b=c push', '/usr/bin/git push', 'git --git-dir=/x push'])(
    'see through options in front of a subcommand: %s',
    (command) => {
      expect(restricts('git push *', command)).toBe(true);
    },
  );

  it('name a program with a path by its base name too', () => {
    expect(restricts('/bin/rm *', 'rm x')).toBe(true);
  });

  it('do not match other programs', () => {
    expect(restricts('rm *', 'rmdir x')).toBe(false);
    expect(restricts('rm *', 'echo rm x')).toBe(false);
    expect(restricts('git push *', 'git status')).toBe(false);
  });

  it('are held against each way that unknown words may be', () => {
    expect(judgeCommand('npm run $X', { allow: ['npm *'], deny: ['npm run deploy'] })).toBe('asked');
    expect(judgeCommand('npm test -- $X', { allow: ['npm *'], deny: ['npm run deploy'] })).toBe('allowed');
    expect(judgeCommand('git commit -m "$(date)"', { allow: ['git commit *'], deny: ['git push *'] })).toBe('allowed');
  });

  it('hold for what is not understood', () => {
    const reading = readCommand('rm -rf x; echo "a', PLACE);
    const pattern = parseCommandPattern('rm *');
    expect(reading.unknown).not.toBeNull();
    expect(reading.programs.some((run) => restrictsRun(pattern, run))).toBe(true);
  });
});
