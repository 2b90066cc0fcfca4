// How often somebody is asked needlessly: a command that only reads inside the workspace, or that a rule or the mode
// allows, and is asked about all the same. And the other way round: what must be asked about is.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ruleText } from '../../src/permissions/rule.js';
import type { PermissionMode } from '../../src/protocol/permissions.js';
import {
  type EverydayPlace,
  type Expected,
  expectedOf,
  openEverydayPlace,
  USUAL_RULES,
} from '../support/shell/everyday.js';

const TIME = 120_000;
/** Percent of everyday commands that may be asked about needlessly. */
const BAR = 2;

/** What a sensible user has set who expects that. */
const SETTINGS: Readonly<Record<Expected, readonly [PermissionMode, readonly string[]]>> = {
  reads: ['default', []],
  edits: ['acceptEdits', []],
  named: ['acceptEdits', USUAL_RULES],
  asked: ['acceptEdits', USUAL_RULES],
};

let place: EverydayPlace;
beforeAll(() => {
  place = openEverydayPlace();
});
afterAll(() => place.close());

describe('everyday commands', { timeout: TIME }, () => {
  const commands = [...expectedOf()];

  it('are many, of each kind', () => {
    expect(commands.length).toBeGreaterThanOrEqual(900);
    for (const kind of Object.keys(SETTINGS)) expect(commands.some(([, expected]) => expected === kind)).toBe(true);
  });

  it(`are asked about needlessly at most ${BAR} times in a hundred, and allowed never if they must not be`, async () => {
    const needless: string[] = [];
    const wrong: string[] = [];
    for (const [command, expected] of commands) {
      const { behavior, reason } = await place.decide(command, ...SETTINGS[expected]);
      if (expected === 'asked' && behavior === 'allow') wrong.push(command);
      else if (expected !== 'asked' && behavior !== 'allow') needless.push(`${command}: ${reason}`);
      // What only reads is no more than that with rules and in other modes.
      if (expected === 'edits' || expected === 'named')
        if ((await place.decide(command, 'default')).behavior === 'allow') wrong.push(`${command}, without a rule`);
    }
    expect(wrong).toEqual([]);
    if (needless.length > (commands.length * BAR) / 100) expect(needless).toEqual([]);
  });

  it('are not asked about again once what is suggested is allowed', async () => {
    let answered = 0;
    const again: string[] = [];
    for (const [command] of commands) {
      const { behavior, suggestions = [] } = await place.decide(command, 'default');
      if (behavior !== 'ask' || suggestions.length === 0) continue;
      answered++;
      const added = suggestions.flatMap((update) => (update.type === 'addRules' ? update.rules : []));
      const mode = suggestions.some(({ type }) => type === 'setMode') ? 'acceptEdits' : 'default';
      const next = await place.decide(command, mode, added.map(ruleText));
      if (next.behavior !== 'allow') again.push(`${command}: ${next.reason}`);
    }
    expect(again).toEqual([]);
    expect(answered).toBeGreaterThan(commands.length / 4);
  });

  it('that only read are no question in any mode that runs commands', async () => {
    const asked: string[] = [];
    for (const mode of ['acceptEdits', 'plan', 'dontAsk', 'auto', 'bypassPermissions'] as const)
      for (const [command, expected] of commands) {
        if (expected !== 'reads') continue;
        const [there, here] = await Promise.all([place.decide(command, mode), place.decide(command, 'default')]);
        if (here.behavior === 'allow' && there.behavior !== 'allow') asked.push(`${mode}: ${command}`);
      }
    expect(asked).toEqual([]);
  });
});

describe('protected files that no word names', { timeout: TIME }, () => {
  // `lefthook.yml` and `.vscode/settings.json` are there.
  it.each([
    'cp a.txt lefthook.y*',
    'sed -i s/a/b/ *.yml',
    'touch left*',
    'mv left* src',
    'rm l*',
    'for f in *.yml; do sed -i s/a/b/ "$f"; done',
    'echo x > left*.yml',
    'grep -rl x . | xargs sed -i s/x/y/',
    'find . -type f | xargs sed -i s/a/b/',
    'find . -type f -exec sed -i s/a/b/ {} +',
    'find . -name config -exec cp a.txt {} \\;',
    'git ls-files | xargs touch',
  ])('are asked about in every mode: %s', async (command) => {
    for (const mode of ['default', 'acceptEdits', 'auto', 'bypassPermissions'] as const)
      expect(await place.decide(command, mode, ['Bash'])).toMatchObject({ behavior: 'ask', reasonType: 'safetyCheck' });
  });

  it.each([
    'mv *.log logs/',
    'mv n*.txt docs',
    'sed -i s/a/b/ src/*.ts',
    'grep -rl x src | xargs sed -i s/x/y/',
    'find src -type f -exec sed -i s/a/b/ {} +',
    'git stash && git checkout main && git pull',
  ])('are not meant: %s', async (command) => {
    expect(await place.decide(command, 'bypassPermissions')).toMatchObject({ behavior: 'allow' });
  });

  it.each(['mv * ..', 'rm -rf *', 'rm -rf ../ap*', 'rm -rf ?*', 'ln -s .. x; git --work-tree=x checkout -- notes.txt'])(
    'the workspace is: %s',
    async (command) => {
      expect(await place.decide(command, 'bypassPermissions')).toMatchObject({
        behavior: 'ask',
        reasonType: 'safetyCheck',
      });
    },
  );
});

describe('names that git records', { timeout: TIME }, () => {
  it('are split on their way to another program, also that of a file which is not there', async () => {
    const asks = async (command: string) => (await place.decide(command, 'default')).behavior;
    expect(await asks('git ls-files | xargs wc -l')).toBe('allow');
    const folder = path.join(place.root, 'x ');
    mkdirSync(path.join(folder, 'etc'), { recursive: true });
    writeFileSync(path.join(folder, 'etc/passwd'), '');
    const git = (...words: string[]) => execFileSync('git', words, { cwd: place.root });
    git('add', '-f', 'x /etc/passwd');
    rmSync(folder, { recursive: true });
    expect(await asks('git ls-files | xargs wc -l')).toBe('ask');
    expect(await asks('git ls-files -z | xargs -0 wc -l')).toBe('allow');
    git('rm', '-q', '--cached', 'x /etc/passwd');
    expect(await asks('git ls-files | xargs wc -l')).toBe('allow');
  });
});
