// The view of one prompt if the answer does not share a terminal with the rest. One rule: stdout gets the answer and
// nothing else: the text of the last turn, once it is known to be the last. All else goes to stderr as it comes.
import type { SDKAssistantMessage, SDKMessage, SDKResultMessage } from '../../protocol/messages.js';
import { createAgentLabels } from '../../view/agent-labels.js';
import { escapeAnswer } from '../../view/escape-text.js';
import { createToldDenials } from '../../view/told-denials.js';
import { DOORS } from '../doors.js';
import type { Output } from '../output.js';
import { paint, type Style } from './style.js';
import type { View } from './views.js';

export interface AnswerViewOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly style: Style;
}

/** `--output-format text`, into a pipe or a file. */
export function createAnswerView({ stdout, stderr, style }: AnswerViewOptions): View {
  let provider: string | undefined;
  const agents = createAgentLabels();
  const denials = createToldDenials(style.verbose);
  /** The text of the newest turn, as long as it may be the last. */
  let held = '';
  /** A background task may begin another prompt after this one. */
  let ended: SDKResultMessage | null = null;

  const writeLines = (lines: readonly string[]): Promise<void> =>
    lines.length === 0 ? Promise.resolve() : stderr.write(`${lines.join('\n')}\n`);

  async function writeRendered(message: SDKMessage): Promise<void> {
    const { renderMessage } = await DOORS.views();
    await writeLines(renderMessage(denials.without(message), style, agents.of(message)));
  }

  async function release(): Promise<void> {
    const text = held;
    held = '';
    await stderr.write(text);
  }

  async function showAssistant(message: SDKAssistantMessage): Promise<void> {
    const { content } = message.message;
    if (message.parent_tool_use_id === null) {
      await release();
      held = content.map((block) => (block.type === 'text' ? whole(escapeAnswer(block.text)) : '')).join('');
      if (content.some((block) => block.type === 'tool_use')) await release();
    }
    await writeRendered(message);
  }

  async function tellEnd(result: SDKResultMessage, answers: Output): Promise<void> {
    const isAnswer = result.subtype === 'success' && !result.is_error && result.terminal_reason !== 'tool_deferred';
    if (isAnswer) await answers.write(whole(escapeAnswer(result.result)));
    else await release();
    held = '';
    await writeRendered(result);
    // A local command, or a prompt that never got to the model, has no figures.
    if (result.num_turns === 0) return;
    const { renderFigures } = await DOORS.views();
    await writeLines([renderFigures(result, provider, style)]);
  }

  return {
    async show(message) {
      agents.note(message);
      if (message.type === 'result') {
        ended = message;
        return;
      }
      // In parts it is for programs, which read another format.
      if (message.type === 'stream_event') return;
      // What went wrong is told with the result.
      if (message.type === 'assistant' && message.error !== undefined) return;
      if (message.type === 'assistant') return showAssistant(message);
      if (message.type !== 'system') return writeRendered(message);
      // Nothing was shown that could be withdrawn.
      if (message.subtype === 'stream_reset') return;
      if (message.subtype !== 'init') return writeRendered(message);
      provider = message.provider;
      if (ended !== null) await tellEnd(ended, stderr);
      ended = null;
      if (style.verbose) await writeRendered(message);
    },
    async end() {
      if (ended === null) await release();
      else await tellEnd(ended, stdout);
    },
    say: (line) => writeLines([paint(line, 'yellow', style)]),
  };
}

/** With an end of the line, if there is a line at all. */
function whole(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
