import { describe, expect, it } from 'vitest';
import { lintRules, type RuleFault } from '../../src/permissions/lint-rules.js';
import { parseRule } from '../../src/permissions/rule.js';
import { speaksOf } from '../../src/permissions/rule-examples.js';

function lint(allow: readonly string[], deny: readonly string[] = [], ask: readonly string[] = []) {
  const parse = (rules: readonly string[]) => rules.map((rule) => parseRule(rule));
  return lintRules({ allow: parse(allow), deny: parse(deny), ask: parse(ask) }).map(({ kind, rule }) => [
    kind,
    rule.source,
  ]);
}

describe('rules that are probably not meant so', () => {
  it.each<[kind: RuleFault['kind'], allow: string, deny?: string | undefined, ask?: string]>([
    ['too_wide', 'Bash'],
    ['too_wide', 'Bash(*)'],
    ['too_wide', 'Edit'],
    ['too_wide', 'mcp__*'],
    ['too_wide', 'Read(//**)'],
    ['too_wide', 'Edit(~/**)'],
    ['too_wide', 'Bash(bash *)'],
    ['too_wide', 'Bash(sudo:*)'],
    ['too_wide', 'Bash(python3 *)'],
    ['too_wide', 'Bash(xargs *)'],
    ['too_wide', 'Bash(curl *)'],
    ['too_wide', 'Bash(npx *)'],
    ['too_wide', 'Bash(docker run *)'],
    ['too_wide', 'Bash(* --version)'],
    ['never_counts', 'Bash(rm *)', 'Bash(rm *)'],
    ['never_counts', 'Bash(rm:*)', 'Bash(rm *)'],
    ['never_counts', 'Bash(npm test)', 'Bash'],
    ['never_counts', 'Edit(.git/**)'],
    ['never_counts', 'Edit(/.claude/settings.json)'],
    ['never_counts', 'Write(.npmrc)'],
    ['never_counts', 'NotebookEdit(//w/.vscode/*)'],
    ['never_counts', 'Read(/etc/passwd)'],
    ['never_counts', 'Edit(/home/me/app/**)'],
    ['never_counts', 'Read(/x/**)', undefined, 'Read(/x/**)'],
    ['one_call', 'Bash(xargs grep -l "account")'],
    ['one_call', 'Bash(git log --oneline --since 2020-01-01 --author x -- src)'],
  ])('%s: %s', (kind, allow, deny, ask) => {
    expect(lint([allow], deny === undefined ? [] : [deny], ask === undefined ? [] : [ask])).toEqual([[kind, allow]]);
  });

  it('twice', () => expect(lint(['Bash(ls *)', 'Bash(ls:*)'])).toEqual([['twice', 'Bash(ls:*)']]));

  it('says nothing of rules that are fine', () => {
    const fine = [
      'Bash(npm run *)',
      'Bash(git status)',
      'Edit(/src/**)',
      'Read(~/notes/**)',
      'Read(//etc/hosts)',
      'Read(.git/**)',
      'Edit(/srcs/etc/**)',
      'WebFetch(domain:a.test)',
    ];
    expect(lint(fine, ['Bash(rm *)', 'Read(.env)'], ['Bash(git push *)'])).toEqual([]);
  });
});

describe('examples', () => {
  const place = { cwd: '/w', home: '/home/u' };
  it.each<[rule: string, behavior: 'allow' | 'deny', example: string, boolean]>([
    ['Bash(npm run *)', 'allow', 'npm run build', true],
    ['Bash(npm run *)', 'allow', 'npm run build && rm x', false],
    ['Bash(npm run *)', 'allow', 'npm run build | head', true],
    ['Bash(npm run *)', 'allow', 'ls', false],
    ['Bash(rm *)', 'deny', "ls && bash -c '/bin/rm x'", true],
    ['Bash(rm *)', 'deny', 'ls', false],
    ['Read(.env)', 'deny', 'a/.ENV', true],
    ['Read(/src/**)', 'allow', 'src/a.ts', true],
    ['Read(~/notes/*)', 'allow', '~/notes/a', true],
    ['Read(~/notes/*)', 'allow', 'notes/a', false],
    ['WebFetch(domain:a.test)', 'allow', 'https://a.test/x', true],
    ['WebFetch(domain:a.test)', 'allow', 'b.a.test', false],
    ['Skill(deploy *)', 'allow', 'deploy now', true],
    ['Agent(reviewer)', 'allow', 'writer', false],
    ['mcp__a', 'deny', 'mcp__a__b', true],
    ['Bash', 'deny', 'Bash', true],
  ])('%s (%s) and %s: %s', (rule, behavior, example, expected) => {
    expect(speaksOf(parseRule(rule), behavior, example, place)).toBe(expected);
  });
});
