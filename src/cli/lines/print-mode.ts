// One prompt, one result, done. Decides where each message goes and what the exit code is.
import { isResultMessage, type SDKResultMessage } from '../../protocol/messages.js';
import type { DebugLog } from '../../sdk/logs/index.js';
import { query } from '../../sdk/query.js';
import type { CliArgs } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { DOORS } from '../doors.js';
import { EXIT_BROKEN_PIPE, EXIT_DEFERRED, EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { createAnswerView } from './answer-view.js';
import { createLineReader, type LineReader } from './line-reader.js';
import { readPrompt } from './read-prompt.js';
import { createStop, type Stop } from './stop.js';
import { styleFor } from './style.js';
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
