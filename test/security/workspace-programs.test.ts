// Programs that stand in the workspace under a name of the PATH, as after `npx turnwright` or in an environment of Python: a
// file that leaves a trace when it is run passes for a program that is known to read only.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PermissionMode } from '../../src/protocol/permissions.js';
import { query } from '../../src/sdk/query.js';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';

interface Place {
  readonly ws: string;
  /** A folder of the PATH inside of the workspace. */
  readonly bin: string;
  plant(...names: string[]): void;
  /** @returns whether the file that was planted, or its copy, ran */
  run(command: string, how?: { path?: string; mode?: PermissionMode; allowedTools?: string[] }): Promise<boolean>;
}

function openPlace(): Place {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'workspace-programs-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const [ws, home, trace] = [path.join(base, 'ws'), path.join(base, 'home'), path.join(base, 'trace')];
  const bin = path.join(ws, 'node_modules/.bin');
  for (const folder of [bin, home, path.join(ws, 'sub')]) mkdirSync(folder, { recursive: true });
  const planted = (file: string) => {
    writeFileSync(file, `#!/bin/sh\n: > "${trace}"\n`);
    chmodSync(file, 0o755);
  };
  writeFileSync(path.join(ws, 'a.json'), '{}\n');
  planted(path.join(ws, 'run.sh'));
  symlinkSync(bin, path.join(base, 'linked'));
  return {
    ws,
    bin,
    plant: (...names) => {
      for (const name of names) planted(path.resolve(bin, name));
    },
    async run(
      command,
      { path: search = `${bin}:${process.env['PATH'] ?? ''}`, mode = 'default', allowedTools = [] } = {},
    ) {
      rmSync(trace, { force: true });
      const model = scriptedModel([toolCall('Bash', { command }), text('done')]);
      const env = {
        PATH: search.replaceAll('@LINKED', path.join(base, 'linked')),
        HOME: home,
        TURNWRIGHT_HOME: path.join(home, '.tw'),
      };
      const options = {
        provider: model,
        cwd: ws,
        env,
        permissionMode: mode,
        allowedTools,
        settingSources: [],
        persistSession: false,
      };
      let isOver = false;
      for await (const message of query({ prompt: 'go', options })) isOver = message.type === 'result';
      expect(isOver).toBe(true);
      return existsSync(trace);
    },
  };
}

describe('a program of the workspace', { timeout: 60_000 }, () => {
  it.each([
    'tac a.json',
    'cd sub && tac ../a.json',
    'cat a.json | tac',
    'nice tac a.json',
    'find . -name a.json -exec tac {} +',
  ])('is not taken for the one of the machine that only reads: %s', async (command) => {
    const place = openPlace();
    expect(await place.run(command)).toBe(false);
    place.plant('tac');
    expect(await place.run(command)).toBe(false);
    // Somebody who allows the name means whatever has it.
    expect(
      await place.run(command, {
        allowedTools: ['Bash(tac *)', 'Bash(nice *)', 'Bash(find . -name a.json -exec tac {} +)'],
      }),
    ).toBe(true);
  });

  it('counts as the helper of one that reads: gzip of tar, grep of egrep, basename of the scripts of git', async () => {
    for (const [helper, command] of [
      ['gzip', 'tar tzf a.tgz'],
      ['gzip', 'zcat a.tgz | head -c 1'],
      ['grep', 'egrep x a.json'],
      ['basename', 'git submodule status'],
    ] as const) {
      const place = openPlace();
      execFileSync('git', ['init', '-q'], { cwd: place.ws });
      execFileSync('tar', ['czf', 'a.tgz', 'a.json'], { cwd: place.ws });
      place.plant(helper);
      expect([command, await place.run(command)]).toEqual([command, false]);
      expect([command, await place.run(command, { allowedTools: ['Bash'] })]).toEqual([command, true]);
    }
  });

  it('counts in a folder that is named through a link, or by a relative name', async () => {
    const place = openPlace();
    place.plant('tac', '../../sub/nl');
    const rest = process.env['PATH'] ?? '';
    expect(await place.run('tac a.json', { path: `@LINKED:${rest}` })).toBe(false);
    expect(await place.run('tac a.json', { path: `node_modules/.bin:${rest}` })).toBe(false);
    expect(await place.run('cd sub && nl ../a.json', { path: `.:${rest}` })).toBe(false);
    expect(await place.run('cd sub && nl ../a.json', { path: `:${rest}` })).toBe(false);
  });

  it('is no file tool of mode acceptEdits, also if the line itself puts it there', async () => {
    const place = openPlace();
    place.plant('touch');
    const mode = 'acceptEdits';
    expect(await place.run('touch x', { mode })).toBe(false);
    for (const command of [
      'cp run.sh node_modules/.bin/tac && tac a.json',
      'mv run.sh node_modules/.bin/tac; tac a.json',
      'mkdir b && cp run.sh b/tac && mv b/tac node_modules/.bin/tac && tac a.json',
    ]) {
      const own = openPlace();
      expect([command, await own.run(command, { mode })]).toEqual([command, false]);
      expect([command, await own.run(command, { mode, allowedTools: ['Bash(tac *)'] })]).toEqual([command, true]);
    }
  });

  it('does not matter behind the one of the machine', async () => {
    const place = openPlace();
    place.plant('tac');
    const result = { path: `${process.env['PATH'] ?? ''}:${place.bin}` };
    expect(await place.run('tac a.json > /dev/null && echo x > /dev/null', result)).toBe(false);
    place.plant('tac2');
    expect(await place.run('tac2', result)).toBe(false);
  });
});
