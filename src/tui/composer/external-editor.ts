// The draft in the editor of the person: `$VISUAL`, else `$EDITOR`, else vi. One rule: an editor that fails loses nothing, not
// the draft that it was given, nor what it wrote.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface EditorParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Gives the terminal away, raw mode and all; the function that comes back takes it again. */
  readonly giveTerminal: () => (() => void) | Promise<() => void>;
}

/** `problem`: what went wrong, and the file with what was written. The draft then stays as it was. */
export type Edited = { readonly text: string } | { readonly problem: string };

/** Opens the draft and waits until the editor ends. Contract: never rejects; the terminal is taken again on every way. */
export async function editExternally(draft: string, { env, cwd, giveTerminal }: EditorParts): Promise<Edited> {
  const editor = [env['VISUAL'], env['EDITOR'], 'vi'].find((each) => each !== undefined && each.trim() !== '') ?? 'vi';
  let folder: string | null = null;
  try {
    folder = await mkdtemp(path.join(env['TMPDIR'] ?? tmpdir(), 'turnwright-'));
    const file = path.join(folder, 'prompt.md');
    await writeFile(file, draft, { mode: 0o600, flag: 'wx' });
    const take = await giveTerminal();
    let ended: string | null;
    try {
      ended = await run(editor, file, env, cwd);
    } finally {
      take();
    }
    const text = (await readFile(file, 'utf8')).replace(/\r\n/g, '\n');
    if (ended === null) return { text: text.endsWith('\n') && !draft.endsWith('\n') ? text.slice(0, -1) : text };
    if (text === draft) return { problem: `${editor} ${ended}. The text is as it was.` };
    // What it wrote before it failed is not thrown away.
    folder = null;
    return { problem: `${editor} ${ended}. The text is as it was; what the editor wrote is in ${file}` };
  } catch (error) {
    return { problem: `${editor} could not be used: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    if (folder !== null) await rm(folder, { recursive: true, force: true }).catch(() => undefined); // left to the system
  }
}

/** By a shell, as variables of editors hold arguments. @returns how it failed; null if it did not */
function run(editor: string, file: string, env: EditorParts['env'], cwd: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { cwd, env, stdio: 'inherit' });
    child.once('error', (error) => resolve(`could not be started (${error.message})`));
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(null);
      else if (code === 127) resolve('was not found: set VISUAL or EDITOR');
      else resolve(signal === null ? `ended with code ${code}` : `was ended by ${signal}`);
    });
  });
}
