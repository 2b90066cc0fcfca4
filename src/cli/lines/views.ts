// How a run is shown: one view for people, two for programs. One prompt without a terminal has a view of its own
// (`print-mode.ts`), which is all that a plain prompt loads.
import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
} from '../../protocol/messages.js';
import { createAgentLabels } from '../../view/agent-labels.js';
import { createTextEscaper, escapeAnswer, type TextEscaper } from '../../view/escape-text.js';
import { createToldDenials } from '../../view/told-denials.js';
import type { Output } from '../output.js';
import { renderFigures, renderMessage } from './render.js';
import { paint, type Style } from './style.js';

export { renderFigures, renderMessage };

export interface View {
  /** Contract: call in the order of the stream; resolves when the next message may be shown. */
  show(message: SDKMessage): Promise<void>;
  /** The stream is over. May be called once. */
  end?(): Promise<void>;
  /** One line of the command line's own, on stderr. */
  say(line: string): Promise<void>;
}

export interface ViewOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  /** For the lines on stderr. */
  readonly style: Style;
}

/**
 * For people: what the model says on stdout as it comes, everything else on stderr.
 * @param shared true if both streams are one terminal, so that lines must not land inside a half-written answer line
 */
export function createTextView({ stdout, stderr, style, shared }: ViewOptions & { readonly shared: boolean }): View {
  let provider: string | undefined;
  /** The message being streamed or streamed last; its text is not printed again. */
  let streamedId: string | undefined;
  const escaper: TextEscaper = createTextEscaper();
  const agents = createAgentLabels();
  const denials = createToldDenials(style.verbose);
  let midLine = false;
  let answered = false;

  async function writeAnswer(text: string): Promise<void> {
    if (text === '') return;
    midLine = !text.endsWith('\n');
    answered = true;
    await stdout.write(text);
  }

  async function endAnswerLine(): Promise<void> {
    await writeAnswer(escaper.end());
    if (midLine) await writeAnswer('\n');
  }

  async function writeLines(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const lead = shared && midLine ? '\n' : '';
    if (lead !== '') midLine = false;
    await stderr.write(`${lead}${lines.join('\n')}\n`);
  }

  async function writeRendered(message: SDKMessage): Promise<void> {
    await writeLines(renderMessage(denials.without(message), style, agents.of(message)));
  }

  async function showEvent({ event, parent_tool_use_id }: SDKPartialAssistantMessage): Promise<void> {
    if (parent_tool_use_id !== null) return;
    switch (event.type) {
      case 'message_start':
        streamedId = event.message.id;
        return;
      case 'content_block_start':
        if (event.content_block.type === 'text') await writeAnswer(escaper.push(event.content_block.text));
        return;
      case 'content_block_delta':
        if (event.delta.type === 'text_delta') await writeAnswer(escaper.push(event.delta.text));
        return;
      case 'content_block_stop':
        return endAnswerLine();
      case 'message_delta':
      case 'message_stop':
        return;
      default:
        return ignoreEvent(event);
    }
  }

  async function showAssistant(message: SDKAssistantMessage): Promise<void> {
    await endAnswerLine();
    if (message.parent_tool_use_id === null && message.message.id !== streamedId) {
      const texts = message.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      for (const text of message.display_content === undefined ? texts : [message.display_content]) {
        await writeAnswer(escapeAnswer(text));
        await endAnswerLine();
      }
    }
    await writeRendered(message);
  }

  async function showResult(message: SDKResultMessage): Promise<void> {
    await endAnswerLine();
    if (!answered && message.subtype === 'success' && !message.is_error) {
      await writeAnswer(escapeAnswer(message.result));
      await endAnswerLine();
    }
    answered = false;
    await writeRendered(message);
    // A local command, or a prompt that never got to the model, has no figures.
    if (message.num_turns > 0) {
      await writeLines([renderFigures(message, provider, style)]);
    }
  }

  return {
    async show(message) {
      agents.note(message);
      switch (message.type) {
        case 'stream_event':
          return showEvent(message);
        case 'assistant':
          // What went wrong is told with the result.
          if (message.error !== undefined) return;
          return showAssistant(message);
        case 'result':
          return showResult(message);
        case 'system':
          if (message.subtype === 'init') provider = message.provider;
          if (message.subtype === 'stream_reset') {
            await endAnswerLine();
            streamedId = undefined;
          }
          // The first message has lines for `--verbose` only, and is there before the first request.
          return message.subtype === 'init' && !style.verbose ? undefined : writeRendered(message);
        default:
          return writeRendered(message);
      }
    },
    say: (line) => writeLines([paint(line, 'yellow', style)]),
  };
}

/** A newer engine's stream event that carries no text. */
function ignoreEvent(_event: never): void {
  // Nothing of it can be shown.
}

/** `--output-format stream-json`: each message as one line, nothing on stderr but what is not in the stream. */
export function createStreamJsonView({ stdout, stderr, style }: ViewOptions): View {
  return {
    show: (message) => stdout.write(`${JSON.stringify(message)}\n`),
    say: (line) => stderr.write(`${paint(line, 'yellow', style)}\n`),
  };
}

/** `--output-format json`: the last result message alone, once there is no other. Warnings, waits and refusals go to stderr as they happen. */
export function createJsonView({ stdout, stderr, style }: ViewOptions): View {
  let result: SDKMessage | null = null;
  return {
    async show(message) {
      if (message.type === 'result') result = message;
      if (!isWorthTelling(message)) return;
      for (const line of renderMessage(message, style)) await stderr.write(`${line}\n`);
    },
    async end() {
      if (result !== null) await stdout.write(`${JSON.stringify(result)}\n`);
    },
    say: (line) => stderr.write(`${paint(line, 'yellow', style)}\n`),
  };
}

function isWorthTelling(message: SDKMessage): boolean {
  if (message.type !== 'system') return false;
  if (message.subtype === 'notice') return message.level === 'warning';
  return message.subtype === 'api_retry' || message.subtype === 'permission_denied';
}
