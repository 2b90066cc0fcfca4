// What a command's output is beside its text, over a real shell and a real git.
import { writeFileSync } from 'node:fs';
import { chmod, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BashOutput } from '../../../src/protocol/tool-io.js';
import { gitOperation, isSilent } from '../../../src/tools/bash/run-command.js';
import { bashTool } from '../../../src/tools/bash.js';
import type { ToolContext } from '../../../src/tools/tool.js';
import { temporaryFolder } from '../../support/engine.js';
import { wholePng } from '../../support/media-fixtures.js';
import { createToolContext } from '../../support/tool-context.js';

async function run(command: string, more: Parameters<typeof createToolContext>[0] = {}) {
  const context = createToolContext(more);
  const { model, data } = await bashTool.run({ command }, context);
  return { model, data: data as BashOutput, cwd: context.cwd };
}

describe('an image that a command prints', () => {
  const png = wholePng(20, 10, 3);
  const comment = Buffer.concat([Buffer.from([0, 0, 0xc3, 0x50]), Buffer.from('tEXt'), Buffer.alloc(50_000 + 4, 'a')]);
  const large = Buffer.concat([png.subarray(0, -12), comment, png.subarray(-12)]);

  it.each([
    ['small', png],
    ['too long to be shown as text', large],
  ])('is shown as one: %s', async (_, bytes) => {
    const { cwd } = await run('true');
    writeFileSync(path.join(cwd, 'image'), bytes);
    const { model, data } = await run(`printf 'data:image/png;base64,'; base64 -w0 image`, {
      cwd,
      spoolDirectory: path.join(cwd, 'spool'),
    });
    expect(model).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') } },
    ]);
    expect(data).toMatchObject({ isImage: true, exitCode: 0 });
  });

  it.each([
    ['it says another type than it has', `data:image/gif;base64,${png.toString('base64')}`],
    ['its end is missing', `data:image/png;base64,${png.subarray(0, 40).toString('base64')}`],
    ['it is none', `data:image/png;base64,${Buffer.from('hello').toString('base64')}`],
    ['it is no base64', 'data:image/png;base64,%%%%'],
    ['something stands behind it', `data:image/png;base64,${png.toString('base64')}\nand more.`],
  ])('is text where %s', async (_, said) => {
    const { cwd } = await run('true');
    writeFileSync(path.join(cwd, 'said'), said);
    const { model, data } = await run('cat said', { cwd });
    expect(model).toContain('data:image/');
    expect(data.isImage).toBeUndefined();
  });
});

it('what git did is told', async () => {
  const author = '-c user.name=A -c user.email=a@example.invalid -c init.defaultBranch=main -c commit.gpgsign=false';
  const git = `git ${author}`;
  const begin = await run(
    `${git} init -q . && ${git} init -q --bare ../remote-$$ && echo "$PWD" && touch a && git add a && ${git} commit -m one`,
  );
  expect(begin.data.gitOperation).toEqual({
    commit: { sha: expect.stringMatching(/^[0-9a-f]{7,}$/), kind: 'committed', branch: 'main' },
  });
  const { cwd } = begin;
  const later = async (command: string) => (await run(command, { cwd })).data.gitOperation;
  expect(await later(`${git} commit --amend -m two`)).toMatchObject({ commit: { kind: 'amended' } });
  expect(await later(`git init -q --bare r && git push r main`)).toEqual({ push: { branch: 'main' } });
  await later(`git checkout -q -b side && touch b && git add b && ${git} commit -qm b && git checkout -q main`);
  expect(await later(`${git} merge side`)).toEqual({ branch: { ref: 'side', action: 'merged' } });
  expect(await later('git log -1')).toBeUndefined();
  const shown = { stdout: 'https://github.com/a/b/pull/12\n', stderr: '', file: null };
  expect(gitOperation('gh pr create --fill', shown)).toEqual({
    pr: { number: 12, url: 'https://github.com/a/b/pull/12', action: 'created' },
  });
});

it.each([
  ['gh pr ready 7 --undo', 'draft'],
  ['gh pr merge 7 --auto --squash', 'auto-merge-enabled'],
  ['gh pr merge --disable-auto 7', 'auto-merge-disabled'],
  ['gh pr merge 7', 'merged'],
])('%s is told as %s', (command, action) => {
  const stdout = 'https://github.com/a/b/pull/7\n';
  expect(gitOperation(command, { stdout, stderr: '', file: null })?.pr?.action).toBe(action);
});

describe('files that were read', () => {
  const shown = async (file: string, text: string, { readFileCache, host }: ToolContext) => {
    await writeFile(file, text);
    const { mtimeMs, size } = await stat(file);
    const hash = await host.sha256(new TextEncoder().encode(text));
    readFileCache.set(await realpath(file), { hash, mtimeMs, size, range: null });
  };

  it('and that the command changed are told, once', async () => {
    const cwd = await temporaryFolder();
    const context = createToolContext({ cwd });
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'])
      await shown(path.join(cwd, name), 'one\n', context);
    const line = 'echo two > a.txt; echo one > b.txt; rm c.txt; printf "one" > d.txt; touch e.txt; echo x > new.txt';
    const { data, model } = await run(line, context);
    const hint = '[Files that you have read have changed: d.txt, a.txt. Read them again before you edit them.]';
    expect(data.staleReadFileStateHint).toBe(hint);
    expect(model).toContain(hint);
    await shown(path.join(cwd, 'a.txt'), 'two\n', context);
    await shown(path.join(cwd, 'd.txt'), 'one', context);
    expect((await run('cat a.txt', context)).data).not.toHaveProperty('staleReadFileStateHint');
  });

  it('are named by ten at the most', async () => {
    const cwd = await temporaryFolder();
    const context = createToolContext({ cwd });
    for (let at = 0; at < 13; at += 1) await shown(path.join(cwd, `f${at}`), 'one\n', context);
    const { data } = await run('for f in f*; do echo two > $f; done', context);
    expect(data.staleReadFileStateHint).toMatch(/: (?:f\d+, ){9}f\d+ and 3 more\./);
  });
});

it('a limit of GitHub is told if gh met it', async () => {
  const cwd = await temporaryFolder();
  await writeFile(
    path.join(cwd, 'gh'),
    '#!/bin/sh\necho "HTTP 403: API rate limit exceeded for user ID 1." >&2\nexit 1\n',
  );
  await chmod(path.join(cwd, 'gh'), 0o755);
  const { data, model } = await run('./gh pr list', { cwd });
  expect(data.ghRateLimitHint).toContain('gh api rate_limit');
  expect(model).toContain(data.ghRateLimitHint);
  expect((await run('echo API rate limit exceeded; false', { cwd })).data).not.toHaveProperty('ghRateLimitHint');
});

it('a command that says nothing if it succeeds is told from one that does', async () => {
  for (const line of ['mkdir -p a && touch a/b', 'A=1 rm x; mv a b'])
    expect([line, isSilent(line)]).toEqual([line, true]);
  for (const line of ['ls', 'mkdir a && ls a', '', 'cat a']) expect([line, isSilent(line)]).toEqual([line, false]);
  expect((await run('mkdir x')).data).toMatchObject({ noOutputExpected: true });
  expect((await run('echo x')).data).not.toHaveProperty('noOutputExpected');
});
