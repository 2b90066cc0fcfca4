// `--system-prompt-file`: the system prompt as it stands in a file.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError } from '../../protocol/errors.js';

/** @throws ConfigError if it cannot be read */
export async function readPromptFile(file: string, startedIn: string): Promise<string> {
  const path = resolve(startedIn, file);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConfigError(`--system-prompt-file ${path} cannot be read (${code}).`, { cause: error });
  }
}
