// A call that runs for long says so every second, with what it prints, and how far it is as often as its tool says so, within reason. One
// rule: a call that is done by then costs one timer, and tells nothing.
import type { ToolUseBlock } from '../../protocol/content.js';
import type { CallProgress } from '../../tools/tool.js';
import { shorten } from '../../util/text.js';
import type { CallDeps } from './call-deps.js';

export const TOOL_PROGRESS_MS = 1_000;
/** Characters of what it printed since. */
const MAX_OUTPUT = 4_000;
/** A tool may say how far it is as often as it likes. */
const SHORTEST_MS = 250;
const MAX_MESSAGE = 200;

export interface ToldProgress {
  /** Takes what the tool says of how far it is. */
  hear(progress: CallProgress): void;
  /** Takes what the tool prints; it is told at the next time. */
  print(text: string): void;
  end(): void;
}

/** Tells of the call from now on. */
export function tellProgress(call: ToolUseBlock, { host, tell }: Pick<CallDeps, 'host' | 'tell'>): ToldProgress {
  if (tell === undefined) return { hear: () => undefined, print: () => undefined, end: () => undefined };
  const { clock } = host;
  const startedAt = clock.monotonic();
  let cancel: () => void = () => undefined;
  let cancelHeard: (() => void) | null = null;
  let toldAt = Number.NEGATIVE_INFINITY;
  let heard: CallProgress | null = null;
  let isOver = false;
  let printed = '';
  const say = (): void => {
    toldAt = clock.monotonic();
    const elapsed = Math.round((toldAt - startedAt) / 100) / 10;
    tell({
      type: 'tool_progress',
      tool_use_id: call.id,
      tool_name: call.name,
      elapsed_time_seconds: elapsed,
      ...(heard ?? {}),
      ...(printed === '' ? {} : { output: printed }),
    });
    printed = '';
  };
  const next = (): void => {
    cancel();
    cancel = clock.after(TOOL_PROGRESS_MS, () => {
      say();
      next();
    });
  };
  next();
  return {
    hear({ progress, total, message }) {
      if (isOver) return;
      heard = {
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message: shorten(message, MAX_MESSAGE) }),
      };
      if (cancelHeard !== null) return;
      const sayHeard = () => {
        cancelHeard = null;
        say();
        next();
      };
      const wait = toldAt + SHORTEST_MS - clock.monotonic();
      if (wait <= 0) sayHeard();
      else cancelHeard = clock.after(wait, sayHeard);
    },
    print(text) {
      printed = (printed + text).slice(-MAX_OUTPUT);
    },
    end() {
      isOver = true;
      cancel();
      cancelHeard?.();
    },
  };
}
