// The clipboard of the person's desktop: texts go there by the terminal (OSC 52) and by programs, images come from there.
import { spawn } from 'node:child_process';
import { searchOutside } from '../util/posix-path.js';
import { through } from './notify.js';

type Env = Readonly<Record<string, string | undefined>>;

export interface ClipboardParts {
  readonly env: Env;
  readonly platform: string;
}

/** A program that hangs, as one that waits for a display that is gone, milliseconds. */
const PATIENCE_MS = 3_000;
/** Terminals take no longer sequence, bytes of base64. */
const LONGEST_OSC = 74_994;

/** OSC 52 for a text; null if it is too long for terminals. */
export function copySequence(text: string, env: Env): string | null {
  const base64 = Buffer.from(text).toString('base64');
  return base64.length > LONGEST_OSC ? null : through(`\x1b]52;c;${base64}\x07`, env);
}

/** @returns the program that took it; null if none did */
export async function copyByProgram(text: string, parts: ClipboardParts): Promise<string | null> {
  for (const command of copyPrograms(parts)) {
    const done = await run(command, parts.env, Buffer.from(text));
    if (done !== null) return command[0] ?? null;
  }
  return null;
}

function copyPrograms({ env, platform }: ClipboardParts): readonly (readonly string[])[] {
  if (platform === 'darwin') return [['pbcopy']];
  const wayland = isSet(env, 'WAYLAND_DISPLAY') ? [['wl-copy']] : [];
  const x = isSet(env, 'DISPLAY')
    ? [
        ['xclip', '-selection', 'clipboard', '-in'],
        ['xsel', '--clipboard', '--input'],
      ]
    : [];
  const windows = isSet(env, 'WSL_DISTRO_NAME') || platform === 'win32' ? [['clip.exe']] : [];
  return [...windows, ...wayland, ...x];
}

/** The bytes of the image of the clipboard; null if there is none, or nothing that could tell. */
export async function imageOfClipboard(parts: ClipboardParts, most: number): Promise<Uint8Array | null> {
  for (const command of imagePrograms(parts)) {
    const bytes = await run(command, parts.env, null, most);
    if (bytes !== null && bytes.length > 0) return bytes;
  }
  return null;
}

/** What a person may install, so that an image can be had. */
export function imageProgramAdvice({ env, platform }: ClipboardParts): string {
  if (platform === 'darwin') return 'Copy an image first; pngpaste is used if it is installed.';
  if (isSet(env, 'WAYLAND_DISPLAY')) return 'Copy an image first; it is read by wl-paste (package wl-clipboard).';
  if (isSet(env, 'DISPLAY')) return 'Copy an image first; it is read by xclip.';
  return 'There is no clipboard here. Drop the file into the window instead, or name it with @.';
}

function imagePrograms({ env, platform }: ClipboardParts): readonly (readonly string[])[] {
  if (platform === 'darwin')
    return [
      ['pngpaste', '-'],
      ['osascript', '-l', 'JavaScript', '-e', MAC_IMAGE],
    ];
  const types = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
  const wayland = isSet(env, 'WAYLAND_DISPLAY')
    ? types.map((type) => ['wl-paste', '--no-newline', '--type', type])
    : [];
  const x = isSet(env, 'DISPLAY')
    ? types.map((type) => ['xclip', '-selection', 'clipboard', '-out', '-target', type])
    : [];
  const windows =
    isSet(env, 'WSL_DISTRO_NAME') || platform === 'win32'
      ? [['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', WINDOWS_IMAGE]]
      : [];
  return [...windows, ...wayland, ...x];
}

const MAC_IMAGE =
  "ObjC.import('AppKit'); const d = $.NSPasteboard.generalPasteboard.dataForType('public.png'); if (!d.isNil()) $.NSFileHandle.fileHandleWithStandardOutput.writeData(d);";
const WINDOWS_IMAGE =
  "Add-Type -AssemblyName System.Windows.Forms; $i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $s = New-Object IO.MemoryStream; $i.Save($s, 'Png'); $b = $s.ToArray(); [Console]::OpenStandardOutput().Write($b, 0, $b.Length) }";

function isSet(env: Env, name: string): boolean {
  return (env[name] ?? '') !== '';
}

/** What the program printed; null if it is not there, failed, took too long or printed too much. */
function run(command: readonly string[], env: Env, input: Uint8Array | null, most = 0): Promise<Uint8Array | null> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { ...env, PATH: searchOutside(env['PATH'] ?? '', process.cwd()) },
      stdio: [input === null ? 'ignore' : 'pipe', most > 0 ? 'pipe' : 'ignore', 'ignore'],
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    let isDone = false;
    const done = (answer: Uint8Array | null): void => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      resolve(answer);
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      done(null);
    }, PATIENCE_MS);
    child.once('error', () => done(null));
    child.stdout?.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= most) chunks.push(chunk);
      else child.kill('SIGKILL');
    });
    // Programs that keep the clipboard for others stay behind, with the standard output closed.
    child.once(most > 0 ? 'close' : 'exit', (code) => done(code === 0 && size <= most ? Buffer.concat(chunks) : null));
    child.stdin?.on('error', () => undefined); // it did not read all: its code tells
    child.stdin?.end(input);
  });
}
