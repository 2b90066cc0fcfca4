// A call that runs for long says so every few seconds. One rule: a call that is done by then costs one timer, and tells
// nothing.
import type { ToolUseBlock } from '../../protocol/content.js';
import type { CallDeps } from './call-deps.js';

export const TOOL_PROGRESS_MS = 3_000;

/** Tells of the call from now on. Gives what ends that. */
export function tellProgress(call: ToolUseBlock, { host, tell }: Pick<CallDeps, 'host' | 'tell'>): () => void {
  if (tell === undefined) return () => undefined;
  const { clock } = host;
  const startedAt = clock.monotonic();
  let cancel: () => void = () => undefined;
  const next = (): void => {
    cancel = clock.after(TOOL_PROGRESS_MS, () => {
      const elapsed = Math.round((clock.monotonic() - startedAt) / 100) / 10;
      tell({ type: 'tool_progress', tool_use_id: call.id, tool_name: call.name, elapsed_time_seconds: elapsed });
      next();
    });
  };
  next();
  return () => cancel();
}
