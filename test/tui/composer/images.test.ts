import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { copyByProgram, copySequence } from '../../../src/tui/clipboard.js';
import { createDraftImages } from '../../../src/tui/composer/images.js';
import { temporaryFolder } from '../../support/engine.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A folder of programs, as the only one of the PATH. */
async function withPrograms(programs: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { folder, env: { PATH: `${folder}:/usr/bin:/bin`, WAYLAND_DISPLAY: 'wayland-0' } };
}

function imagesOf(cwd: string, env: Record<string, string> = {}) {
  return createDraftImages({ cwd, env, platform: 'linux' });
}

test('the image of the clipboard becomes a mark, and goes along while its mark is there', async () => {
  const { folder, env } = await withPrograms({
    'wl-paste': 'case "$*" in *image/png*) cat "$(dirname "$0")/clip.png";; *) exit 1;; esac',
  });
  writeFileSync(join(folder, 'clip.png'), PNG);
  const images = imagesOf(folder, env);
  expect(await images.fromClipboard()).toEqual({ mark: '[image #1]' });
  expect(await images.fromClipboard()).toEqual({ mark: '[image #2]' });
  expect(images.contentOf('no image')).toBe('no image');
  expect(images.contentOf('see [image #2] and [image #2], not [image #9]')).toEqual([
    { type: 'text', text: 'see [image #2] and [image #2], not [image #9]' },
    { type: 'text', text: '[image #2]:' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG.toString('base64') } },
  ]);
  images.clear();
  expect(images.contentOf('see [image #2]')).toBe('see [image #2]');
});

test('without an image, or with something else, it is said what to do', async () => {
  const none = await withPrograms({ 'wl-paste': 'exit 1' });
  expect(await imagesOf(none.folder, none.env).fromClipboard()).toEqual({
    problem: expect.stringContaining('wl-paste'),
  });
  const text = await withPrograms({ 'wl-paste': 'echo text' });
  expect(await imagesOf(text.folder, text.env).fromClipboard()).toEqual({
    problem: expect.stringContaining('is not a PNG'),
  });
  expect(await imagesOf(text.folder, { PATH: '' }).fromClipboard()).toEqual({
    problem: expect.stringContaining('There is no clipboard here'),
  });
  const huge = await withPrograms({ 'wl-paste': 'head -c 6000000 /dev/zero' });
  expect(await imagesOf(huge.folder, huge.env).fromClipboard()).toEqual({
    problem: expect.stringContaining('No image was found'),
  });
});

test('a dropped path of an image is one, however the terminal writes it', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'a b.png');
  writeFileSync(file, PNG);
  const images = imagesOf(folder);
  for (const paste of [`'${file}'`, `"${file}"`, file.replaceAll(' ', '\\ '), pathToFileURL(file).href, `'a b.png' `])
    expect(await images.fromPaste(paste)).toEqual({ mark: expect.stringContaining('[image #') });
});

test('any other paste is a text', async () => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, 'fake.png'), 'no image');
  execFileSync('mkfifo', [join(folder, 'pipe.png')]);
  const images = imagesOf(folder);
  for (const paste of [
    'fake.png',
    'pipe.png',
    'gone.png',
    'look at shot.png',
    'a\nb.png',
    '',
    'file://elsewhere/a.png',
    `${'x'.repeat(5_000)}.png`,
  ])
    expect(await images.fromPaste(paste)).toBeNull();
});

test('an image that is too large is told', async () => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, 'big.png'), Buffer.concat([PNG, Buffer.alloc(6 * 1_024 * 1_024)]));
  expect(await imagesOf(folder).fromPaste('big.png')).toEqual({ problem: expect.stringContaining('at most 5') });
});

test('a text goes to the terminal as one sequence, and to the program of the desktop', async () => {
  expect(copySequence('é', {})).toBe('\x1b]52;c;w6k=\x07');
  expect(copySequence('é', { TMUX: '1' })).toBe('\x1bPtmux;\x1b\x1b]52;c;w6k=\x07\x1b\\');
  expect(copySequence('x'.repeat(100_000), {})).toBeNull();
  const { folder, env } = await withPrograms({ 'wl-copy': 'cat > "$(dirname "$0")/copied"' });
  expect(await copyByProgram('text', { env, platform: 'linux' })).toBe('wl-copy');
  expect(execFileSync('cat', [join(folder, 'copied')], { encoding: 'utf8' })).toBe('text');
  expect(await copyByProgram('text', { env: { PATH: folder }, platform: 'linux' })).toBeNull();
});
