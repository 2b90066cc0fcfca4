// What comes out of archives and patches is looked up before anybody decides about it: made by the programs themselves.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createMemoryHost } from '../../src/host/memory/memory-host.js';
import type { PermissionMode } from '../../src/protocol/permissions.js';
import { checkPermission } from '../../src/sdk/permissions/permissions.js';
import { temporaryFolder } from '../support/engine.js';

const RULES = {
  allow: ['tar', 'unzip', 'patch', 'git', 'cat', '7z', 'cpio', 'bsdtar'].map((name) => `Bash(${name} *)`),
};
const PLAIN = ['src/a.ts', `docs/${'deep/'.repeat(30)}b.md`, 'é/ü.txt'];

function put(folder: string, names: readonly string[], text = 'x'): void {
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

/** A workspace with archives of the same files, in each form that is read. */
async function archives(names: readonly string[], prepare: (source: string) => void = () => undefined) {
  const base = await temporaryFolder();
  const [source, cwd] = [path.join(base, 'source'), path.join(base, 'ws')];
  for (const folder of [source, cwd]) mkdirSync(folder);
  put(source, names);
  prepare(source);
  for (const format of ['gnu', 'pax', 'ustar'])
    execFileSync('tar', [`--format=${format}`, '-cf', path.join(cwd, `${format}.tar`), '-C', source, '.']);
  execFileSync('tar', ['-czf', path.join(cwd, 'x.tgz'), '-C', source, '.']);
  writeFileSync(path.join(cwd, 'x.zip'), zipOf(names));
  return { base, cwd };
}

/** A zip archive, with something in front of it as self-extracting ones have. */
function zipOf(names: readonly string[]): Buffer {
  const parts: Buffer[] = [Buffer.from('PK-stub-in-front')];
  const list: Buffer[] = [];
  for (const name of names) {
    const [raw, data] = [Buffer.from(name), deflateRawSync('x')];
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(8, 8);
    head.writeUInt32LE(data.length, 18);
    head.writeUInt16LE(raw.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(raw.length, 28);
    entry.writeUInt32LE(Buffer.concat(parts).length, 42);
    parts.push(head, raw, data);
    list.push(entry, raw);
  }
  const all = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(names.length, 10);
  end.writeUInt32LE(all.length, 12);
  end.writeUInt32LE(Buffer.concat(parts).length, 16);
  return Buffer.concat([...parts, all, end]);
}

const decide = (command: string, cwd: string, mode: PermissionMode = 'default', more: object = {}) =>
  checkPermission({ tool: 'Bash', input: { command }, cwd, mode, rules: RULES, home: '/home/u', ...more });
const ASKED = { behavior: 'ask', reasonType: 'safetyCheck', isFirm: true };
const UNPACK = [
  'tar xf gnu.tar',
  'tar -xf pax.tar',
  'tar xzf x.tgz -C .',
  'tar xf x.tgz',
  'cd . && tar xf gnu.tar',
  'unzip x.zip',
  'unzip -d out x.zip',
  '7z x x.zip',
];

describe('an archive', () => {
  it('of plain files is unpacked on the strength of a rule', async () => {
    const { cwd } = await archives(PLAIN);
    for (const command of [...UNPACK, 'tar xf ustar.tar'])
      expect([command, await decide(command, cwd)]).toMatchObject([command, { behavior: 'allow' }]);
  });

  it.each(['.git/hooks/pre-commit', 'src/.Vscode/tasks.json', '.mcp.json', '.envrc'])(
    'with %s is asked about in every mode',
    async (name) => {
      const { cwd } = await archives([...PLAIN, name]);
      for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const)
        for (const command of UNPACK)
          expect([command, await decide(command, cwd, mode)]).toMatchObject([command, ASKED]);
      expect(await decide('tar tf gnu.tar', cwd)).toMatchObject({ behavior: 'allow' });
      expect(await decide('unzip -l x.zip', cwd)).toMatchObject({ behavior: 'allow' });
    },
  );

  it('is asked about only if what is wanted of it is', async () => {
    const { cwd } = await archives(['src/a', '.vscode/x']);
    expect(await decide('tar xf gnu.tar ./src', cwd)).toMatchObject({ behavior: 'allow' });
    expect(await decide('tar xf gnu.tar ./src .vscode', cwd)).toMatchObject(ASKED);
    expect(await decide("tar xf gnu.tar --wildcards '*/x'", cwd)).toMatchObject(ASKED);
  });

  it('is unpacked whole unless all that chooses from it is known', async () => {
    const { cwd } = await archives(['src/a', '.vscode/x']);
    const rules = { allow: [...RULES.allow, 'Bash(ar *)', 'Bash(python3 *)'] };
    for (const command of [
      'tar xf gnu.tar ./src --no-anchored x',
      'tar xf gnu.tar --ignore-case ./src ./.VSCODE',
      'tar xf gnu.tar ./src -T list',
      'unzip -o x.zip -x src/a',
      'unzip -C x.zip .VSCODE/X',
      'unzip -od .husky x.zip src/a',
      'unzip -lo --l x.zip',
      'unzip -p x.zip --p',
      'unzip -oB x.zip src/a',
      '7z X x.zip',
      '7z x x.zip src/a -r',
      'cpio --extr < gnu.tar',
      'ar -o -x x.a',
      'python3 -m zipfile --extr x.zip .',
      'python3 -m zipfile -ex.zip .',
    ])
      expect([command, await decide(command, cwd, 'default', { rules })]).toMatchObject([command, { behavior: 'ask' }]);
  });

  it('is told by the last part of a name if folders do not count', async () => {
    const { cwd } = await archives(['src/a', 'src/.envrc']);
    expect(await decide('unzip -j x.zip src/a', cwd)).toMatchObject({ behavior: 'allow' });
    for (const command of ['unzip -j x.zip', '7z e x.zip'])
      expect(await decide(command, cwd)).toMatchObject({ ...ASKED, blockedPath: path.join(cwd, '.envrc') });
  });

  it('is judged by where it goes: into a folder of hooks, through links, without its first folders', async () => {
    const { cwd } = await archives(['pre-commit', 'a/b/.bashrc']);
    expect(await decide('tar xf gnu.tar -C .git/hooks', cwd)).toMatchObject(ASKED);
    expect(await decide('unzip -d .husky x.zip', cwd)).toMatchObject(ASKED);
    put(cwd, ['.git/HEAD', '.git/config', 'tools/keep'], '[core]\nhooksPath = tools\n');
    expect(await decide('tar xf gnu.tar -C tools', cwd)).toMatchObject(ASKED);
    const plain = await archives(['a/b/config']);
    mkdirSync(path.join(plain.cwd, 'a'));
    symlinkSync('../.git', path.join(plain.cwd, 'a/b'));
    mkdirSync(path.join(plain.cwd, '.git'));
    expect(await decide('tar xf gnu.tar', plain.cwd)).toMatchObject(ASKED);
    expect(await decide('tar xf gnu.tar --strip-components=2', plain.cwd)).toMatchObject({ behavior: 'allow' });
  });

  it('with a link to what is protected is asked about', async () => {
    const { cwd } = await archives(['a'], (source) => symlinkSync('.git/hooks', path.join(source, 'd')));
    for (const command of ['tar xf gnu.tar', 'tar xf pax.tar', 'tar xf x.tgz'])
      expect(await decide(command, cwd)).toMatchObject(ASKED);
  });

  it('of which nothing can be told needs a rule that spells out the command, or one for all of Bash', async () => {
    const { cwd } = await archives(['a']);
    put(cwd, ['x.tar.xz'], '\u00fd7zXZ');
    writeFileSync(path.join(cwd, 'x.tbz'), Buffer.from('BZh9'));
    writeFileSync(path.join(cwd, 'cut.zip'), Buffer.from('PK\u0003\u0004'));
    writeFileSync(path.join(cwd, 'odd.tar'), Buffer.alloc(2_048, 7));
    writeFileSync(path.join(cwd, 'odd.tgz'), gzipSync(Buffer.alloc(2_048, 7)));
    const unseen = [
      'tar xf x.tbz',
      'tar xf none.tar',
      'cat gnu.tar | tar x',
      'tar xf gnu.tar --xform s,a,b,',
      'tar xf "$X"',
      'unzip cut.zip',
      'tar xf odd.tar',
      'tar xf odd.tgz',
      'cpio -i < x.tbz',
      '7z x x.tar.xz',
    ];
    for (const command of unseen) {
      expect([command, await decide(command, cwd)]).toMatchObject([command, { behavior: 'ask' }]);
      expect(await decide(command, cwd, 'bypassPermissions')).toMatchObject({ behavior: 'allow' });
      expect(await decide(command, cwd, 'default', { rules: { allow: ['Bash'] } })).toMatchObject({
        behavior: 'allow',
      });
    }
    const exact = { rules: { allow: ['Bash(tar xf x.tbz)'] } };
    expect(await decide('tar xf x.tbz', cwd, 'default', exact)).toMatchObject({ behavior: 'allow' });
    expect((await decide('tar xf x.tbz', cwd)).reason).toContain('only a rule that spells out the whole command');
  });

  it('that ends twice, is damaged, or goes on behind its end cannot be told', async () => {
    const [{ cwd }, evil] = [await archives(['a']), await archives(['.git/hooks/pre-commit'])];
    const [plain, more] = [readFileSync(path.join(cwd, 'gnu.tar')), readFileSync(path.join(evil.cwd, 'gnu.tar'))];
    const open = plain.subarray(0, plain.indexOf(Buffer.alloc(1_024)) & ~511);
    const files = {
      'two.tgz': Buffer.concat([gzipSync(open), gzipSync(more)]),
      'cut.tgz': gzipSync(plain).subarray(0, -40),
      'two.zip': Buffer.concat([zipOf(['.git/hooks/x']), zipOf(['a'])]),
    };
    for (const [name, bytes] of Object.entries(files)) writeFileSync(path.join(cwd, name), bytes);
    for (const command of [
      'tar xf two.tgz',
      'tar xf cut.tgz',
      'unzip two.zip',
      'tar xif gnu.tar',
      'tar --ignore-zeros -xf gnu.tar',
    ])
      expect([command, await decide(command, cwd)]).toMatchObject([command, { behavior: 'ask' }]);
    expect(execFileSync('tar', ['tf', path.join(cwd, 'two.tgz')], { encoding: 'utf8' })).toContain(
      '.git/hooks/pre-commit',
    );
  });

  it('has the name that its records say, by their length, and any other that it has', async () => {
    const cwd = await temporaryFolder();
    const record = (text: string) => `${text.length + 4} ${text}\n`;
    const entry = (name: string, type: string, content = '') => {
      const head = Buffer.alloc(512);
      head.write(name, 0);
      head.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
      head.write('        ', 148);
      head.write(type, 156);
      head.write('ustar\x0000', 257);
      head.write(
        `${head
          .reduce((sum, byte) => sum + byte, 0)
          .toString(8)
          .padStart(6, '0')}\0 `,
        148,
      );
      return Buffer.concat([head, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
    };
    const end = Buffer.alloc(1_024);
    const hidden = record('path=.envrc') + record('comment=x\n11 path=a\n');
    const asked = {
      'pax.tar': [entry('h', 'x', hidden), entry('a', '0')],
      'sparse.tar': [entry('h', 'x', record('GNU.sparse.name=.envrc')), entry('a', '0')],
      'long.tar': [entry('h', 'L', '.envrc\0'), entry('a', '0')],
      'both.tar': [entry('h', 'L', 'b\0'), entry('h', 'x', record('path=c-d')), entry('.envrc', '0')],
    };
    for (const [name, parts] of Object.entries(asked)) {
      writeFileSync(path.join(cwd, name), Buffer.concat([...parts, end]));
      expect([name, await decide(`tar xf ${name}`, cwd)]).toMatchObject([name, ASKED]);
    }
    writeFileSync(
      path.join(cwd, 'global.tar'),
      Buffer.concat([entry('h', 'g', record('path=b-cd')), entry('a', '0'), end]),
    );
    expect(await decide('tar xf global.tar', cwd)).toMatchObject({ behavior: 'ask' });
    expect(await decide('tar xf global.tar', cwd, 'bypassPermissions')).toMatchObject({ behavior: 'allow' });
    writeFileSync(
      path.join(cwd, 'fine.tar'),
      Buffer.concat([entry('h', 'x', record('path=b-cde')), entry('a', '0'), end]),
    );
    expect(await decide('tar xf fine.tar', cwd)).toMatchObject({ behavior: 'allow' });
  });

  it('is held by the sandbox, if it runs inside', async () => {
    const { cwd } = await archives(['.vscode/x']);
    expect(await decide('tar xf gnu.tar', cwd, 'default', { sandbox: true })).toMatchObject({ behavior: 'allow' });
    const outside = {
      tool: 'Bash',
      input: { command: 'tar xf gnu.tar', dangerouslyDisableSandbox: true },
      cwd,
      sandbox: true,
    };
    expect(await checkPermission(outside)).toMatchObject(ASKED);
  });

  it('is denied for what a rule denies in it', async () => {
    const { cwd } = await archives(['vault/key', 'a']);
    const rules = { allow: ['Bash(tar *)'], deny: ['Edit(vault/**)'] };
    expect(await decide('tar xf gnu.tar', cwd, 'default', { rules })).toMatchObject({ behavior: 'deny' });
    expect(await decide('tar xf gnu.tar ./a', cwd, 'default', { rules })).toMatchObject({ behavior: 'allow' });
  });

  it('reads as well from a machine in memory', async () => {
    const { cwd } = await archives(['.envrc']);
    const host = createMemoryHost();
    for (const name of ['gnu.tar', 'x.tgz', 'x.zip'])
      await host.fs.writeFileAtomic(`/ws/${name}`, readFileSync(path.join(cwd, name)));
    for (const command of ['tar xf gnu.tar', 'tar xf x.tgz', 'unzip x.zip'])
      expect(
        await checkPermission({ tool: 'Bash', input: { command }, cwd: '/ws', mode: 'bypassPermissions' }, host),
      ).toMatchObject(ASKED);
  });
});

describe('a patch', () => {
  const patchOf = (name: string) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-x\n+y\n`;
  const renamed = 'diff --git a/x b/.mcp.json\nsimilarity index 100%\nrename from x\nrename to .mcp.json\n';
  const empty = 'diff --git a/.husky/pre-commit b/.husky/pre-commit\nnew file mode 100755\nindex 0000000..e69de29\n';
  const quoted = '--- /dev/null\n+++ "b/.\\147it/hooks/x"\t2026-01-01\n@@ -0,0 +1 @@\n+y\n';
  const indented = patchOf('.git/config').replace(/^/gm, '  ');
  const quotedMail = '- --- .envrc\n+++ .envrc\n@@ -1 +1 @@\n- -x\n+y\n';
  const context = '*** .bashrc\t2026\n--- .bashrc\t2026\n***************\n';

  it.each([
    patchOf('.git/hooks/pre-commit'),
    renamed,
    empty,
    quoted,
    context,
    indented,
    quotedMail,
    `From: x\n\n---\n${patchOf('.envrc')}`,
  ])('is asked about for what it names, from a file, as input and in the line: %j', async (text) => {
    const cwd = await temporaryFolder();
    put(cwd, ['p.patch'], text);
    const commands = [
      'patch -p1 < p.patch',
      'patch -p1 -i p.patch',
      'patch --input=p.patch',
      'git apply p.patch',
      'git apply < p.patch',
      'git am p.patch',
      `patch -p1 <<'EOF'\n${text}EOF`,
      `git apply <<'EOF'\n${text}EOF`,
    ];
    for (const command of commands)
      for (const mode of ['default', 'bypassPermissions'] as const)
        expect([command, await decide(command, cwd, mode)]).toMatchObject([command, ASKED]);
  });

  it('of plain files is applied on the strength of a rule', async () => {
    const cwd = await temporaryFolder();
    put(cwd, ['p.patch'], patchOf('src/a.ts'));
    for (const command of [
      'patch -p1 < p.patch',
      'git apply p.patch',
      'git apply --check p.patch',
      `patch -p0 <<'EOF'\n${patchOf('x')}EOF`,
    ])
      expect([command, await decide(command, cwd)]).toMatchObject([command, { behavior: 'allow' }]);
    for (const command of ['patch -d .git/hooks < p.patch', 'git apply --directory=.claude p.patch'])
      expect([command, await decide(command, cwd)]).toMatchObject([command, ASKED]);
  });

  it.each([
    'cat p.patch | git apply',
    'git apply none.patch',
    'patch < <(cat p.patch)',
    'curl h | patch',
    'git am mail',
    'patch -p1 < empty',
  ])('that cannot be told needs a rule that spells it out: %s', async (command) => {
    const cwd = await temporaryFolder();
    put(cwd, ['p.patch'], patchOf('a'));
    put(cwd, ['mail'], 'Content-Transfer-Encoding: base64\n\nLS0tIGEK');
    put(cwd, ['empty'], '');
    expect(await decide(command, cwd, 'default', { rules: { allow: [...RULES.allow, 'Bash(curl *)'] } })).toMatchObject(
      { behavior: 'ask' },
    );
  });
});
