// Archives of packages: files come out of them, and nothing else, and no more than there is room for.
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { unpackPackage } from '../../../src/context/plugins/fetch-source.js';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';

const LIMITS = { files: 5, folders: 10, bytes: 10_000 };

interface Entry {
  readonly name: string;
  readonly body?: string;
  readonly type?: 'symlink' | 'link' | 'character-device' | 'directory';
}

async function unpack(entries: readonly Entry[], cut?: number) {
  const tar = await packTar(
    entries.map(({ name, body = '', type }) => ({
      header: { name, size: Buffer.byteLength(body), ...(type === undefined ? {} : { type, linkname: '/etc/passwd' }) },
      body,
    })),
  );
  const host = createMemoryHost({ files: { '/folder/a.tgz': gzipSync(tar).subarray(0, cut) } });
  const problems = await unpackPackage(host, '/folder/a.tgz', '/folder/out', LIMITS);
  return { host, problems, names: await host.fs.readdir('/folder/out').catch(() => []) };
}

describe('an archive', () => {
  it('gives its files, without the folder that they lie in', async () => {
    const { host, names, problems } = await unpack([
      { name: 'package/a.md', body: 'A' },
      { name: 'package/sub/', type: 'directory' },
      { name: 'package/sub/b.md', body: 'B' },
    ]);
    expect([names, problems]).toEqual([['a.md', 'sub'], []]);
    expect(new TextDecoder().decode(await host.fs.readFile('/folder/out/sub/b.md'))).toBe('B');
  });

  it('gives no link, no device, nothing outside and no name twice, and says so', async () => {
    const { names, problems } = await unpack([
      { name: 'package/../../up.md', body: 'x' },
      { name: 'package//etc/absolute.md', body: 'x' },
      { name: 'package/link', type: 'symlink' },
      { name: 'package/hard', type: 'link' },
      { name: 'package/device', type: 'character-device' },
      { name: 'package/a.md', body: 'x' },
      { name: 'package/A.md', body: 'y' },
    ]);
    expect(names).toEqual(['a.md']);
    expect(problems).toHaveLength(6);
  });

  it('is not taken if it holds more than there is room for, or is cut', async () => {
    const many = Array.from({ length: 6 }, (_, at) => ({ name: `package/${at}`, body: 'x' }));
    await expect(unpack(many)).rejects.toThrow(/more than 5 files/);
    await expect(unpack([{ name: 'package/zeros', body: '0'.repeat(20_000) }])).rejects.toThrow(/more than .* MB/);
    await expect(unpack([{ name: 'package/a', body: 'x'.repeat(5_000) }], 40)).rejects.toThrow(/cannot be unpacked/);
  });
});
