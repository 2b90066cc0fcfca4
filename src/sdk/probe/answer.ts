// One answer of a probed model: sent once, read as it came, and read again as a model poor at calling tools is.
import { createReplyAssembler } from '../../engine/reply/index.js';
import type { AssistantBlock, ToolUseBlock, Usage } from '../../protocol/content.js';
import { ModelError } from '../../protocol/errors.js';
import type { ModelEvent } from '../../protocol/model-events.js';
import type { AttemptLimits, ModelRequest, Provider } from '../../providers/contract/index.js';
import { withToolCallText } from '../../providers/text-calls/index.js';
import { errorText } from '../../util/text.js';

export interface ProbeAnswer {
  readonly content: readonly AssistantBlock[];
  /** Pieces in which its text and reasoning came. */
  readonly pieces: number;
  readonly usage: Usage;
  readonly events: readonly ModelEvent[];
}

const LIMITS: AttemptLimits = { requestTimeoutMs: 180_000, streamIdleMs: 60_000, contentIdleMs: 180_000 };

/** @throws ModelError */
export async function askModel(provider: Provider, request: ModelRequest, signal: AbortSignal): Promise<ProbeAnswer> {
  const assembler = createReplyAssembler();
  const events: ModelEvent[] = [];
  let pieces = 0;
  try {
    for await (const event of provider.stream(request, LIMITS, signal)) {
      assembler.push(event);
      events.push(event);
      if (event.type === 'content_block_delta') pieces++;
    }
  } catch (error) {
    throw error instanceof ModelError ? error : new ModelError('malformed', errorText(error), { cause: error });
  }
  if (!assembler.isWhole) throw new ModelError('stream_cut', 'The reply ended before it was whole.');
  const { message } = assembler.finish();
  return { content: message.content, pieces, usage: message.usage, events };
}

export function callsIn({ content }: Pick<ProbeAnswer, 'content'>): ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
}

export function textIn({ content }: Pick<ProbeAnswer, 'content'>): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

export function thinksIn({ content }: Pick<ProbeAnswer, 'content'>): boolean {
  return content.some((block) => block.type === 'thinking' || block.type === 'redacted_thinking');
}

/** The same answer with what it has as text taken for calls, and arguments repaired. */
export async function readPoorly(
  answer: ProbeAnswer,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const recorded: Provider = {
    id: 'recorded',
    async *stream() {
      yield* answer.events;
    },
  };
  return askModel(withToolCallText(recorded, 'auto'), request, signal);
}
