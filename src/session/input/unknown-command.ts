// A prompt that names a command there is none of: a slip, which no model is paid to answer. One rule: what may be a path
// is text.
import type { Command } from '../../context/slash-commands.js';
import { type Host, isFileError } from '../../host/host.js';
import { ConfigError } from '../../protocol/errors.js';
import { nearestWords } from '../../util/nearest.js';
import { shorten } from '../../util/text.js';

const NAMED = 3;
const MAX_SHOWN = 60;

/** @throws ConfigError unless the word is the path of something */
export async function refuseUnknownCommand(
  name: string,
  commands: readonly Command[],
  { fs }: Pick<Host, 'fs'>,
): Promise<void> {
  if (await exists(`/${name}`, fs)) return;
  const names = commands.map((command) => command.name);
  const near = nearestWords(name, names, NAMED).map((each) => `/${each}`);
  const advice = near.length === 0 ? '/help lists the commands.' : `Did you mean ${near.join(' or ')}?`;
  throw new ConfigError(
    `There is no command /${shorten(name, MAX_SHOWN)}, so nothing was sent to the model. ${advice} If it was meant for the model, begin with another character.`,
  );
}

async function exists(path: string, fs: Host['fs']): Promise<boolean> {
  try {
    await fs.stat(path);
    return true;
  } catch (error) {
    // It is there and closed to us.
    if (isFileError(error)) return error.code !== 'ENOENT';
    throw error;
  }
}
