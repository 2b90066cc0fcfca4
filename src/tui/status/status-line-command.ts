// What the command `statusLine` of the settings says below the prompt. One rule: one run at a time, the last output stays while
// the next one runs, and of what it prints only colours are carried out.

import type { SDKControlGetContextUsageResponse } from '../../protocol/control.js';
import type { SDKMessage } from '../../protocol/messages.js';
import type { StatusLine, StatusLineInput } from '../../sdk/faces/index.js';
import type { Query } from '../../sdk/query-controls.js';
import { VERSION } from '../../util/version.js';
import { escapeHidden } from '../../view/escape-text.js';
import type { Clock } from '../clock.js';
import type { State } from '../state.js';

/** Changes that come close together are one, milliseconds. */
const REST_MS = 300;
const MOST_LINES = 3;
/** Characters of a line, codes included. */
const LONGEST_LINE = 1_000;
const LONG_CONTEXT = 200_000;

export interface StatusLineView {
  /** Its output; null until there is some, so that the built-in line stands there. */
  readonly lines: readonly string[] | null;
  /** Something that it may show is another. */
  changed(): void;
  /** Durations and tokens are counted from results. */
  hear(message: SDKMessage): void;
  dispose(): void;
}

export interface StatusLineParts {
  readonly command: StatusLine;
  readonly query: Pick<Query, 'getContextUsage'>;
  readonly state: () => State;
  readonly clock: Clock;
  readonly refresh: () => void;
  /** Told once for each kind of failure. */
  readonly onProblem: (problem: string) => void;
  readonly vimMode?: () => string | null;
}

export function createStatusLineView(parts: StatusLineParts): StatusLineView {
  const { command, query, state, clock, refresh, onProblem, vimMode = () => null } = parts;
  const abort = new AbortController();
  const started = clock.now();
  let lines: readonly string[] | null = null;
  let isRunning = false;
  let isWanted = false;
  let cancel: (() => void) | null = null;
  const told = new Set<string>();
  const totals = { api: 0, input: 0, output: 0 };
  const run = async (): Promise<void> => {
    cancel = null;
    if (isRunning) {
      isWanted = true;
      return;
    }
    isRunning = true;
    const input = await inputOf().catch(() => null); // the session ends: there is nothing left to show
    const answer = input === null ? null : await command.run(input, abort.signal);
    isRunning = false;
    if (abort.signal.aborted || answer === null) return;
    if ('output' in answer) lines = shownLines(answer.output, command.padding);
    else {
      lines = null;
      if (!told.has(answer.problem)) onProblem(answer.problem);
      told.add(answer.problem);
    }
    refresh();
    if (isWanted) changed();
    isWanted = false;
  };
  const changed = (): void => {
    if (!abort.signal.aborted) cancel ??= clock.after(REST_MS, () => void run());
  };
  const inputOf = async (): Promise<StatusLineInput> => {
    const { session } = state();
    const usage = await query.getContextUsage({ detail: 'summary' });
    const mode = vimMode();
    return {
      hook_event_name: 'Status',
      session_id: session.id,
      transcript_path: await command.transcriptPath(session.id),
      cwd: session.cwd,
      version: VERSION,
      model: { id: session.model, display_name: session.model },
      workspace: { current_dir: session.cwd, project_dir: session.cwd },
      permission_mode: session.mode,
      output_style: { name: command.outputStyle },
      cost: {
        total_cost_usd: session.costUsd,
        total_duration_ms: Math.round(clock.now() - started),
        total_api_duration_ms: totals.api,
        total_lines_added: usage.session.linesChanged.added,
        total_lines_removed: usage.session.linesChanged.removed,
      },
      context_window: contextOf(usage, totals),
      exceeds_200k_tokens: usage.totalTokens > LONG_CONTEXT,
      ...(mode === null ? {} : { vim: { mode } }),
      ...(session.title === null ? {} : { session_name: session.title }),
    };
  };
  return {
    get lines() {
      return lines;
    },
    changed,
    hear(message) {
      if (message.type !== 'result') return;
      totals.api += message.duration_api_ms;
      totals.input +=
        message.usage.input_tokens + message.usage.cache_read_input_tokens + message.usage.cache_creation_input_tokens;
      totals.output += message.usage.output_tokens;
      changed();
    },
    dispose() {
      abort.abort();
      cancel?.();
    },
  };
}

function contextOf(
  usage: SDKControlGetContextUsageResponse,
  totals: { input: number; output: number },
): StatusLineInput['context_window'] {
  return {
    total_input_tokens: totals.input,
    total_output_tokens: totals.output,
    context_window_size: usage.rawMaxTokens,
    used_percentage: usage.percentage,
    remaining_percentage: Math.max(0, 100 - usage.percentage),
    current_usage: usage.apiUsage,
  };
}

function shownLines(output: string, padding: number): readonly string[] {
  const lines = output.replace(/\s+$/, '').split(/\r?\n/).slice(0, MOST_LINES);
  return lines.map((line) => `${' '.repeat(Math.min(padding, 40))}${coloursOnly(line.slice(0, LONGEST_LINE))}`);
}

/** Text and colours, which end with the line; every other sequence is shown as what it is. */
export function coloursOnly(line: string): string {
  const parts = line.split(SGR);
  const hasColours = parts.length > 1;
  const text = parts.map((part, at) => (at % 2 === 1 ? `\x1b[${part}m` : escapeHidden(part))).join('');
  return hasColours ? `${text}\x1b[0m` : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals read
const SGR = /\x1b\[([0-9;:]{0,60})m/;
