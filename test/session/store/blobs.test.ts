// The blob folder: each content once, whole or not at all, and nothing outside the folder.
import { expect, it } from 'vitest';
import { createMemoryHost } from '../../../src/host/memory/memory-host.js';
import { createBlobStore } from '../../../src/session/store/blobs.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

it('keeps a content once and gives it back', async () => {
  const host = createMemoryHost();
  const blobs = createBlobStore(host, '/store/blobs');
  const [first, second, other] = [
    await blobs.put(bytes('a')),
    await blobs.put(bytes('a')),
    await blobs.put(bytes('b')),
  ];
  expect(second).toBe(first);
  expect(await blobs.list()).toEqual([first, other].sort());
  expect(await blobs.get(first)).toEqual(bytes('a'));
  expect((await host.fs.stat(`/store/blobs/${first}`)).mode).toBe(0o600);
});

it('survives two writers of one content', async () => {
  const host = createMemoryHost();
  const blobs = createBlobStore(host, '/store/blobs');
  const names = await Promise.all(Array.from({ length: 8 }, () => blobs.put(bytes('same'))));
  expect(new Set(names).size).toBe(1);
  expect(await blobs.list()).toHaveLength(1);
});

it('gives nothing for what is damaged, missing or no name, and heals what is put again', async () => {
  const host = createMemoryHost();
  const blobs = createBlobStore(host, '/store/blobs');
  const name = await blobs.put(bytes('whole'));
  await host.fs.writeFileAtomic(`/store/blobs/${name}`, 'cut');
  await host.fs.writeFileAtomic('/store/secret', 'secret');
  expect(await blobs.get(name)).toBeNull();
  expect(await blobs.get('0'.repeat(64))).toBeNull();
  expect(await blobs.get('../secret')).toBeNull();
  await blobs.put(bytes('whole'));
  expect(await blobs.get(name)).toEqual(bytes('whole'));
});

it('removes by name only, and lists an absent folder as empty', async () => {
  const host = createMemoryHost();
  const blobs = createBlobStore(host, '/store/blobs');
  expect(await blobs.list()).toEqual([]);
  const name = await blobs.put(bytes('x'));
  await host.fs.writeFileAtomic('/store/secret', 'secret');
  await blobs.remove('../secret');
  await blobs.remove(name);
  await blobs.remove(name);
  expect(await blobs.list()).toEqual([]);
  expect(await host.fs.readdir('/store')).toEqual(['blobs', 'secret']);
});
