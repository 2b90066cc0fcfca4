// One prompt, one result, done. Decides where each message goes and what the exit code is.
import {
  isResultMessage,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKResultMessage,
} from '../../protocol/messages.js';
import type { DebugLog } from '../../sdk/logs/index.js';
import { query } from '../../sdk/query.js';
import { escapeAnswer } from '../../view/escape-text.js';
import { createAgentLabels, createToldDenials } from '../../view/told-so-far.js';
import type { CliArgs } from '../args/index.js';
import type { CliIo, Output } from '../cli-io.js';
import { DOORS } from '../doors.js';
import { EXIT_BROKEN_PIPE, EXIT_DEFERRED, EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { createLineReader, type LineReader } from './line-reader.js';
import { readPrompt } from './read-prompt.js';
import { createStop, type Stop } from './stop.js';
import { paint, type Style, styleFor } from './style.js';
import type { View } from './views.js';

/**
 * Runs one prompt.
 * @returns the exit code: 0 if the result is a success, 1 for an error result, or what a signal asked for
 * @throws what `query()` throws before there is a result, and ConfigError if there is no prompt
 */
export async function runPrintMode(args: CliArgs, io: CliIo, log: DebugLog): Promise<number> {
  const view = await createView(args, io);
  const stop = createStop(io, { say: (line) => void view.say(line) });
  const reader = createLineReader(io.stdin);
  try {
    const isDecided = args.options.decisions !== undefined && args.prompt === undefined;
    const prompt = isDecided ? '' : await readPrompt(args.prompt, io.stdin, view.say);
    if (canAsk(io)) await (await DOORS.aroundSession()).askTrust(io, reader, args.options, stop.leaving);
    const options = args.saysPrint ? args.options : await (await DOORS.aroundSession()).offerOffline(args.options, io);
    return await runPrompt(prompt, { args: { ...args, options }, io, log, view, stop, reader });
  } finally {
    reader.close();
    stop.dispose();
  }
}

interface PrintRun {
  readonly args: CliArgs;
  readonly io: CliIo;
  readonly log: DebugLog;
  readonly view: View;
  readonly stop: Stop;
  readonly reader: LineReader;
}

async function runPrompt(prompt: string, { args, io, log, view, stop, reader }: PrintRun): Promise<number> {
  const session = query({
    prompt,
    options: {
      enableFileCheckpointing: 'auto',
      ...args.options,
      abortController: io.lifetime,
      ...(streams(args, io) ? { includePartialMessages: true } : {}),
      ...(canAsk(io) ? (await DOORS.aroundSession()).askPerson(io, reader, args) : {}),
    },
  });
  stop.attach(session);
  stop.setRunning(true);
  let result: SDKResultMessage | undefined;
  try {
    for await (const message of session) {
      log.message(message);
      if (isResultMessage(message)) result = message;
      // Between two prompts it waits for background tasks, which a Ctrl-C ends.
      if (isResultMessage(message)) stop.setRunning(false);
      else if (message.type === 'system' && message.subtype === 'init') stop.setRunning(true);
      await view.show(message);
    }
  } catch (error) {
    log.error(error);
    // After a result or a signal the story is told: what is thrown is its echo (AbortError).
    if (result === undefined && stop.code === undefined) throw error;
  } finally {
    stop.setRunning(false);
    await view.end?.();
  }
  if (stop.code !== undefined) return stop.code;
  // Nobody has read the answer, which may have been written only now.
  await io.out.flush();
  if (io.out.closed) return EXIT_BROKEN_PIPE;
  if (result === undefined)
    throw new Error('the run ended without a result, which is a fault of Turnwright; please report it.');
  if (result.terminal_reason === 'tool_deferred') return EXIT_DEFERRED;
  return result.subtype === 'success' && !result.is_error ? EXIT_SUCCESS : EXIT_FAILURE;
}

async function createView(args: CliArgs, io: CliIo): Promise<View> {
  const style = styleFor(io.stderr, io.env, args.verbose);
  const outputs = { stdout: io.out, stderr: io.err, style };
  switch (args.outputFormat) {
    case 'text':
      if (!sharesTerminal(io)) return createAnswerView(outputs);
      return (await DOORS.views()).createTextView({ ...outputs, shared: true });
    case 'json':
      return (await DOORS.views()).createJsonView(outputs);
    case 'stream-json':
      return (await DOORS.views()).createStreamJsonView(outputs);
    default:
      throw new Error(`unknown output format ${args.outputFormat satisfies never}`);
  }
}

/** Text streams to a person. A file or a pipe gets the answer alone, once it is known to be the answer. */
function streams(args: CliArgs, io: CliIo): boolean {
  return args.outputFormat === 'text' && sharesTerminal(io);
}

/** True if a person sees both streams as one, so that it does not matter which of them a text goes to. */
function sharesTerminal({ stdout, stderr }: CliIo): boolean {
  return stdout.isTTY === true && stderr.isTTY === true;
}

/** True if a person can be asked: the question is on stderr, the answer on stdin, both a terminal. */
export function canAsk(io: CliIo): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

// The view of one prompt if the answer does not share a terminal with the rest. One rule: stdout gets the answer and
// nothing else: the text of the last turn, once it is known to be the last. All else goes to stderr as it comes.

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
