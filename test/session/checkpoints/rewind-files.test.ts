// Rewinds over real files and real commands, through the loop.
import { chmodSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bash, edit, freshFolder, rewindSession, shell, snapshot, write } from '../../support/checkpoints.js';

/** A folder with a few files of each kind. */
function workspace(): string {
  const folder = freshFolder();
  shell(
    folder,
    'mkdir -p src docs empty; echo one > src/a.txt; echo two > src/b.txt; echo three > docs/c.txt; ln -s src/a.txt link; chmod 755 src/b.txt',
  );
  return folder;
}

describe('rewindFiles', () => {
  it('says, on a dry run too, what has no place because somebody put something else there', async () => {
    const session = rewindSession({ folder: workspace() });
    await session.prompt('p1', bash('rm -r docs'));
    writeFileSync(path.join(session.folder, 'docs'), 'mine');
    const dry = await session.engine.rewindFiles('p1', { dryRun: true });
    expect(dry).toMatchObject({
      canRewind: true,
      filesChanged: [],
      conflicts: [{ path: path.join(session.folder, 'docs'), reason: 'changed_since' }],
      failed: [{ path: path.join(session.folder, 'docs/c.txt'), error: expect.stringContaining('is not a folder') }],
    });
    const { filesChanged, conflicts, failed } = dry;
    expect(await session.engine.rewindFiles('p1')).toMatchObject({ filesChanged, conflicts, failed });
    expect(readFileSync(path.join(session.folder, 'docs'), 'utf8')).toBe('mine');
  });

  it('undoes Write and Edit, and removes what was created', async () => {
    const session = rewindSession({ folder: workspace() });
    const before = snapshot(session.folder);
    await session.prompt(
      'p1',
      write('src/a.txt', 'changed\n'),
      write('new/deep/file.txt', 'x\n'),
      edit('src/a.txt', 'changed', 'changed again'),
    );
    const after = snapshot(session.folder);
    const result = await session.engine.rewindFiles('p1', { dryRun: true });
    expect(result).toMatchObject({
      canRewind: true,
      insertions: 1,
      deletions: 2,
      conflicts: [],
      failed: [],
      notCovered: [],
    });
    expect(result.filesChanged?.map((file) => path.relative(session.folder, file)).sort()).toEqual([
      'new',
      'new/deep',
      'new/deep/file.txt',
      'src/a.txt',
    ]);
    expect(result).not.toHaveProperty('skippedLinks');
    expect(snapshot(session.folder)).toEqual(after);
    expect(await session.engine.rewindFiles('p1')).toMatchObject({
      ...result,
      skippedLinks: 0,
      rewindId: expect.any(String),
    });
    expect(snapshot(session.folder)).toEqual(before);
  });

  it('undoes what commands did: contents, moves, removals, modes, links, folders', async () => {
    const session = rewindSession({ folder: workspace() });
    const before = snapshot(session.folder);
    await session.prompt(
      'p1',
      bash(
        'mv src lib && rm docs/c.txt && rmdir empty && chmod 600 lib/b.txt && ln -sfn docs link && mkdir -p made/up',
      ),
      bash('for i in 1 2 3; do echo $i > made/up/$i.txt; done; echo more >> lib/a.txt; rm -r docs; echo file > docs'),
      write('lib/a.txt', 'other'),
    );
    const result = await session.engine.rewindFiles('p1');
    expect(result).toMatchObject({ canRewind: true, conflicts: [], failed: [] });
    expect(result.notCovered).toEqual([expect.objectContaining({ path: null, reason: 'outside_workspace' })]);
    expect(snapshot(session.folder)).toEqual(before);
  });

  it('goes back to any prompt, forth and back again', async () => {
    const session = rewindSession({ folder: workspace() });
    const states = [snapshot(session.folder)];
    for (const n of [1, 2, 3]) {
      await session.prompt(
        `p${n}`,
        write('src/a.txt', `state ${n}\n`),
        bash(`echo ${n} > made-${n}; echo ${n} >> src/b.txt`),
      );
      states.push(snapshot(session.folder));
    }
    const { rewindId } = await session.engine.rewindFiles('p2');
    expect(snapshot(session.folder)).toEqual(states[1]);
    expect(await session.engine.rewindFiles('p1')).toMatchObject({ conflicts: [] });
    expect(snapshot(session.folder)).toEqual(states[0]);
    expect(await session.engine.rewindFiles(rewindId ?? '')).toMatchObject({ conflicts: [] });
    expect(snapshot(session.folder)).toEqual(states[3]);
  });

  it('works in another process, and after the session was closed', async () => {
    const session = rewindSession({ folder: workspace() });
    const before = snapshot(session.folder);
    await session.prompt('p1', bash('echo x > src/a.txt; rm src/b.txt'));
    const later = await session.restart();
    await later.prompt('p2', write('docs/c.txt', 'new'));
    await later.engine.close();
    expect(await later.engine.rewindFiles('p1')).toMatchObject({ canRewind: true, conflicts: [] });
    expect(snapshot(session.folder)).toEqual(before);
  });

  it('leaves what somebody else changed, and says so', async () => {
    const session = rewindSession({ folder: workspace() });
    await session.prompt(
      'p1',
      write('src/a.txt', 'agent'),
      write('src/b.txt', 'agent'),
      bash('mkdir made; echo x > made/x'),
    );
    writeFileSync(path.join(session.folder, 'src/a.txt'), 'user');
    writeFileSync(path.join(session.folder, 'mine.txt'), 'user');
    writeFileSync(path.join(session.folder, 'made/mine.txt'), 'user');
    const result = await session.engine.rewindFiles('p1');
    const reasons = Object.fromEntries(
      (result.conflicts ?? []).map((each) => [path.relative(session.folder, each.path), each.reason]),
    );
    expect(reasons).toEqual({ 'src/a.txt': 'changed_since', made: 'not_empty' });
    expect(snapshot(session.folder)).toMatchObject({
      'src/a.txt': 'file 644 user',
      'src/b.txt': 'file 755 two\n',
      'mine.txt': 'file 644 user',
      'made/mine.txt': 'file 644 user',
    });
    expect(snapshot(session.folder)).not.toHaveProperty('made/x');
  });

  it('does not undo a change of somebody else that the agent built on', async () => {
    const session = rewindSession({ folder: workspace() });
    const file = path.join(session.folder, 'src/a.txt');
    await session.prompt('p1', write('src/a.txt', 'agent\n'));
    writeFileSync(file, 'agent\nuser\n');
    await session.prompt('p2', bash('echo more >> src/a.txt'));
    expect((await session.engine.rewindFiles('p1')).conflicts).toEqual([
      expect.objectContaining({ path: file, reason: 'changed_between' }),
    ]);
    expect(readFileSync(file, 'utf8')).toBe('agent\nuser\nmore\n');
    expect(await session.engine.rewindFiles('p2')).toMatchObject({ conflicts: [] });
    expect(readFileSync(file, 'utf8')).toBe('agent\nuser\n');
  });

  it('sets a file back that is named in overwrite, and can take that back', async () => {
    const session = rewindSession({ folder: workspace() });
    const file = path.join(session.folder, 'src/a.txt');
    await session.prompt('p1', write('src/a.txt', 'agent'));
    writeFileSync(file, 'user');
    const result = await session.engine.rewindFiles('p1', { overwrite: [file] });
    expect(result).toMatchObject({ conflicts: [], filesChanged: [file] });
    expect(readFileSync(file, 'utf8')).toBe('one\n');
    await session.engine.rewindFiles(result.rewindId ?? '');
    expect(readFileSync(file, 'utf8')).toBe('user');
  });

  it('does not write through a link that took the place of a file or of a folder on the way', async () => {
    const session = rewindSession({ folder: workspace() });
    const outside = freshFolder();
    shell(outside, 'echo kept > a.txt; echo kept > c.txt');
    await session.prompt('p1', write('src/a.txt', 'agent'), write('docs/c.txt', 'agent'));
    rmSync(path.join(session.folder, 'src/a.txt'));
    symlinkSync(path.join(outside, 'a.txt'), path.join(session.folder, 'src/a.txt'));
    rmSync(path.join(session.folder, 'docs'), { recursive: true });
    symlinkSync(outside, path.join(session.folder, 'docs'));
    const overwrite = ['src/a.txt', 'docs/c.txt'].map((file) => path.join(session.folder, file));
    const result = await session.engine.rewindFiles('p1', { overwrite: overwrite.slice(1) });
    expect(result).toMatchObject({ filesChanged: [], skippedLinks: 2 });
    expect(snapshot(outside)).toEqual({ 'a.txt': 'file 644 kept\n', 'c.txt': 'file 644 kept\n' });
  });

  it('never touches version control, and says that it does not', async () => {
    const session = rewindSession({ folder: workspace() });
    shell(session.folder, 'git init -q . && git add -A && git -c user.name=n -c user.email=e@e commit -qm one');
    const messages = await session.prompt(
      'p1',
      bash('git -c user.name=n -c user.email=e@e commit -q --allow-empty -m two; echo x > src/a.txt'),
      write('.git/hooks/made', 'x'),
    );
    expect(messages).toContainEqual(
      expect.objectContaining({
        subtype: 'notice',
        code: 'checkpoint_incomplete',
        message: expect.stringContaining('version control'),
      }),
    );
    const git = snapshot(path.join(session.folder, '.git'));
    const result = await session.engine.rewindFiles('p1');
    expect(result.notCovered).toContainEqual(
      expect.objectContaining({ path: path.join(session.folder, '.git'), reason: 'version_control' }),
    );
    expect(snapshot(path.join(session.folder, '.git'))).toEqual(git);
    expect(readFileSync(path.join(session.folder, 'src/a.txt'), 'utf8')).toBe('one\n');
  });

  it('says which files a prompt changed, with the content that is kept', async () => {
    const session = rewindSession({ folder: workspace() });
    const messages = await session.prompt('p1', write('src/a.txt', 'x'), bash('echo y > new.txt'));
    const at = messages.findIndex((message) => message.type === 'system' && message.subtype === 'files_persisted');
    expect(messages[at]).toMatchObject({
      failed: [],
      files: [
        { filename: path.join(session.folder, 'src/a.txt'), file_id: expect.stringMatching(/^[0-9a-f]{64}$/) },
        { filename: path.join(session.folder, 'new.txt'), file_id: 'absent' },
      ],
    });
    expect(messages[at + 1]?.type).toBe('result');
    expect(await session.prompt('p2', bash('ls'))).not.toContainEqual(
      expect.objectContaining({ subtype: 'files_persisted' }),
    );
  });

  it('keeps only what changed, once the session is closed', async () => {
    const session = rewindSession({ folder: workspace() });
    const big = 'y'.repeat(50_000);
    shell(session.folder, `for i in $(seq 40); do printf '${'x'.repeat(2_000)}%s' $i > src/f$i; done`);
    writeFileSync(path.join(session.folder, 'big'), big);
    await session.prompt('p1', bash('rm big; ls'), bash('touch src/f1; cp src/f2 t; mv t src/f2'));
    await session.engine.close();
    const store = snapshot(session.storeFolder());
    expect(Object.keys(store).filter((name) => name.startsWith('blobs/'))).toHaveLength(1);
    expect(Object.keys(store).filter((name) => name.startsWith('capture'))).toEqual([]);
  });

  it('restores modes that keep a folder from being written', async () => {
    const session = rewindSession({ folder: workspace() });
    chmodSync(path.join(session.folder, 'docs'), 0o555);
    const before = snapshot(session.folder);
    await session.prompt('p1', bash('chmod 755 docs; rm docs/c.txt; chmod 500 src'));
    const rewound = await session.engine.rewindFiles('p1');
    const after = snapshot(session.folder);
    // Its owner could not remove it otherwise.
    chmodSync(path.join(session.folder, 'docs'), 0o755);
    expect(rewound).toMatchObject({ failed: [], conflicts: [] });
    expect(after).toEqual(before);
  });

  it.each<[string, (blob: string) => void]>([
    ['gone', (blob) => rmSync(blob)],
    ['damaged', (blob) => writeFileSync(blob, 'tampered with\n')],
  ])('says that a file cannot be set back whose former content is %s', async (_name, harm) => {
    const session = rewindSession({ folder: workspace() });
    const file = path.join(session.folder, 'src/a.txt');
    await session.prompt('p1', write('src/a.txt', 'changed\n'), write('new.txt', 'new\n'));
    const blobs = path.join(session.storeFolder(), 'blobs');
    for (const name of readdirSync(blobs)) harm(path.join(blobs, name));
    const result = await session.engine.rewind('p1');
    expect(result).toMatchObject({
      status: 'partial',
      filesChanged: [path.join(session.folder, 'new.txt')],
      failedFiles: [{ path: file, error: expect.stringContaining('its former content is gone') }],
      files: { notCovered: [] },
    });
    expect(readFileSync(file, 'utf8')).toBe('changed\n');
  });

  it('makes the folders that something needs to come back, and takes them back with it', async () => {
    const session = rewindSession({ folder: workspace() });
    shell(session.folder, 'mkdir -p box/in; echo x > box/in/f; chmod 750 box');
    await session.prompt('p1', bash('rm -rf box/in'));
    shell(session.folder, 'rm -rf box');
    const gone = snapshot(session.folder);
    const { rewindId } = await session.engine.rewindFiles('p1');
    // What it was nobody recorded: the call did not change it.
    expect(snapshot(session.folder)).toMatchObject({ box: 'folder 755', 'box/in/f': 'file 644 x\n' });
    expect(await session.engine.rewindFiles(rewindId ?? '')).toMatchObject({ conflicts: [], failed: [] });
    expect(snapshot(session.folder)).toEqual(gone);
  });

  it('makes such a folder with the mode it had, if that is known', async () => {
    const session = rewindSession({ folder: workspace() });
    shell(session.folder, 'mkdir -p box/in; echo x > box/in/f; chmod 750 box');
    await session.prompt('p1', bash('rm -rf box'));
    shell(session.folder, 'mkdir box; echo mine > box/mine');
    await session.prompt('p2', bash('rm -rf box'));
    const result = await session.engine.rewindFiles('p1');
    expect(result.conflicts).toMatchObject([{ path: path.join(session.folder, 'box'), reason: 'changed_between' }]);
    expect(snapshot(session.folder)).toMatchObject({
      box: 'folder 750',
      'box/in': 'folder 755',
      'box/in/f': 'file 644 x\n',
    });
    // What became of it is known: the same once more finds it as the rewind left it.
    expect((await session.engine.rewindFiles('p1')).failed).toEqual([]);
  });

  it('says why if it cannot', async () => {
    const session = rewindSession({ folder: workspace() });
    await session.prompt('p1', bash('true'));
    expect(await session.engine.rewindFiles('nowhere')).toEqual({
      canRewind: false,
      error: 'There is no checkpoint for message nowhere.',
    });
    expect(await rewindSession({ config: { enableFileCheckpointing: false } }).engine.rewindFiles('p1')).toMatchObject({
      canRewind: false,
      error: expect.stringContaining('enableFileCheckpointing'),
    });
    expect(await rewindSession({ config: { persistSession: false } }).engine.rewindFiles('p1')).toMatchObject({
      canRewind: false,
      error: expect.stringContaining('persistSession'),
    });
  });
});
