// What follows when the API names the part of a request that it refuses: the same request without that part. One rule:
// each step takes something away, so it cannot go round for long, and each is told.
import type { ModelError, RefusedPart } from '../../protocol/errors.js';
import type { NoticeCode } from '../../protocol/system-messages.js';
import type { ModelRequest } from '../../providers/contract/index.js';
import { type Draft, formatCount, type LoopDeps, type LoopState } from '../state/index.js';

/** Requests in a row that may be refused for one of their parts. */
const MAX_REFUSALS = 5;

/**
 * The state from which the next request goes without what was refused; null if that is not known, or would change
 * nothing. Media and thinking are told by `history_repaired` with that request.
 */
export async function* leaveOutRefused(
  state: LoopState,
  request: ModelRequest,
  error: ModelError,
  deps: LoopDeps,
): AsyncGenerator<Draft, LoopState | null> {
  const { refused } = error;
  if (refused === null || state.refusals >= MAX_REFUSALS) return null;
  const isLess =
    refused.kind === 'max_tokens' ? lowerLimit(refused.limit, request, deps) : deps.leaveOut(request, refused);
  if (!isLess) return null;
  deps.log('refused_part_left_out', { part: refused.kind, error });
  const told = noticeOf(refused, request, error);
  if (told !== null) yield told;
  return { ...state, refusals: state.refusals + 1, transition: 'refused_part_left_out' };
}

/** Told once: a value is asked for through a tool from here on. */
export function schemaNotice(why: string): Draft {
  return notice(
    'output_schema_refused',
    `The answer is asked for through a tool, not as text that the model's API holds to the schema: ${why}`,
  );
}

function notice(code: NoticeCode, message: string): Draft {
  return { type: 'system', subtype: 'notice', code, level: 'info', message };
}

function lowerLimit(limit: number, request: ModelRequest, deps: LoopDeps): boolean {
  if (limit < 1 || limit >= request.maxTokens) return false;
  deps.learnOutputLimit(request.model, limit);
  return true;
}

function noticeOf(refused: RefusedPart, request: ModelRequest, error: ModelError): Draft | null {
  switch (refused.kind) {
    case 'output_schema':
      return schemaNotice(error.message);
    case 'max_tokens':
      return notice(
        'output_limit_lowered',
        `Replies of ${request.model} are limited to ${formatCount(refused.limit)} tokens from here on: its API takes no more.`,
      );
    case 'thinking_mode': {
      const now = request.thinking?.type === 'enabled' ? 'adaptive, without a budget' : 'left out';
      return notice('thinking_reduced', `Thinking of ${request.model} is ${now} from here on: ${error.message}`);
    }
    case 'effort':
      return notice('option_without_effect', `effort has no effect on ${request.model}: ${error.message}`);
    case 'media':
    case 'thinking':
      return null;
    default:
      return refused satisfies never;
  }
}
