// What a session asks, asked at the terminal: permissions, and the questions of the model and of MCP servers.
import { QUESTION_TOOL } from '../sdk/choose-tools.js';
import type { Options } from '../sdk/options.js';
import type { CliArgs } from './args.js';
import { createAskPermission } from './ask-permission.js';
import { createAskPlan } from './ask-plan.js';
import { createAskQuestion } from './ask-question.js';
import type { CliIo } from './cli-io.js';
import type { LineReader } from './line-reader.js';
import { oneAtATime } from './one-at-a-time.js';
import { styleFor } from './style.js';

/** The options of a session whose person is at the terminal. Questions come one at a time, whoever asks. */
export function askPerson(
  io: CliIo,
  reader: LineReader,
  { verbose, isForScreenReader }: Pick<CliArgs, 'verbose' | 'isForScreenReader'>,
): Required<Pick<Options, 'canUseTool' | 'onElicitation' | 'isNonInteractiveSession'>> {
  const parts = {
    reader,
    inTurn: oneAtATime(),
    // Read aloud, a question has to say first that it is one.
    write: (text: string) => io.err.write(isForScreenReader ? `Turnwright waits for you.\n${text}` : text),
    style: styleFor(io.stderr, io.env, verbose),
  };
  const askPermission = createAskPermission(parts);
  const askPlan = createAskPlan(parts);
  return {
    isNonInteractiveSession: false,
    // The question itself follows; asking whether it may be asked would be one too many.
    canUseTool: async (name, input, options) => {
      if (name === QUESTION_TOOL) return { behavior: 'allow' };
      return options.exitPlanMode === undefined ? askPermission(name, input, options) : askPlan(name, input, options);
    },
    onElicitation: createAskQuestion({
      ...parts,
      openPage: async (url) => (await import('./open-page.js')).openPage(url),
    }),
  };
}
