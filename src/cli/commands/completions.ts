// `turnwright completions`: the script that lets a shell complete commands, flags and ids by the Tab key.

import { ConfigError } from '../../protocol/errors.js';
import { listSessions } from '../../sdk/sessions.js';
import { oneLine } from '../../view/tool-title.js';
import type { CliIo } from '../cli-io.js';
import { bashScript, fishScript, type Vocabulary, vocabulary, zshScript } from '../completions/index.js';
import { EXIT_SUCCESS } from '../exit-codes.js';
import { readWords } from './read-words.js';
import { titleOf } from './session-views.js';

const HELP = `turnwright completions <bash|zsh|fish>: prints what lets that shell complete commands, flags, their values and the
ids of sessions by the Tab key.

  To keep it, add one line to the file that the shell reads when it starts:
    bash   ~/.bashrc                     source <(turnwright completions bash)
    zsh    ~/.zshrc, behind compinit     source <(turnwright completions zsh)
    fish   ~/.config/fish/config.fish    turnwright completions fish | source
`;

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const MOST_SESSIONS = 50;
const TITLE_COLUMNS = 60;
const SHORT_ID = 8;

/** @returns the exit code. @throws ConfigError */
export async function runCompletions(argv: readonly string[], io: CliIo): Promise<number> {
  const { words, has } = readWords(argv, [
    { name: 'help', short: 'h', takes: 'nothing' },
    // For the scripts alone: they ask it at each Tab.
    { name: 'sessions', takes: 'nothing' },
  ]);
  if (has('sessions')) return tell(await sessionLines(io), io);
  const [name, more] = words;
  if (has('help') || name === undefined) return tell(HELP, io);
  const shell = SHELLS.find((each) => each === name);
  if (shell === undefined || more !== undefined)
    throw new ConfigError(
      `there are no completions for "${(more ?? name).slice(0, 60)}". Name one shell: ${SHELLS.join(', ')}.`,
    );
  return tell(await scriptOf(shell, vocabulary()), io);
}

async function scriptOf(shell: (typeof SHELLS)[number], words: Vocabulary) {
  switch (shell) {
    case 'bash':
      return bashScript(words);
    case 'zsh':
      return zshScript(words);
    case 'fish':
      return fishScript(words);
    default:
      return shell satisfies never;
  }
}

/** The sessions of the folder, an id and a title on each line. Nobody can read an error while they type. */
async function sessionLines(io: CliIo): Promise<string> {
  const env = { ...io.env };
  try {
    const sessions = await listSessions({ dir: io.startedIn(), limit: MOST_SESSIONS, env });
    const short = (id: string) => {
      const isOne = sessions.filter(({ sessionId }) => sessionId.startsWith(id.slice(0, SHORT_ID))).length === 1;
      return isOne ? id.slice(0, SHORT_ID) : id;
    };
    return sessions.map((each) => `${short(each.sessionId)}\t${oneLine(titleOf(each), TITLE_COLUMNS)}\n`).join('');
  } catch {
    return ''; // nothing is offered then
  }
}

async function tell(text: string, io: CliIo): Promise<number> {
  await io.out.write(text);
  return EXIT_SUCCESS;
}
