// The ids of tool calls in a request: no two calls may share one, and no call may be lost because its id was used before,
// as models do that count their calls anew in each reply.
import type { ToolUseBlock } from '../../protocol/content.js';

/** The ids of one exchange. */
export interface CallIds {
  /** An id that no other call has, its own if that is free; null for a mere copy of a call, which has no result. */
  take(call: ToolUseBlock): string | null;
  /** What the calls of the exchange that came with this id go by, in their order. */
  namesOf(id: string): readonly string[];
}

/** What an id may have at most. */
const MAX_LENGTH = 128;

/**
 * @param used ids of the conversation so far, with their calls; those of the exchange are added
 * @param resultsOf how many results the exchange has for an id
 */
export function createCallIds(used: Map<string, ToolUseBlock>, resultsOf: (id: string) => number): CallIds {
  const names = new Map<string, string[]>();
  return {
    take(call) {
      const { id } = call;
      const own = names.get(id) ?? [];
      const earlier = used.get(id);
      if (earlier !== undefined && isCopy(call, earlier) && resultsOf(id) <= own.length) return null;
      const name = earlier === undefined ? id : freeName(id, used);
      used.set(name, call);
      names.set(id, [...own, name]);
      return name;
    },
    namesOf: (id) => names.get(id) ?? [],
  };
}

/** The same history always gives the same name, so that a prompt cache holds. */
function freeName(id: string, used: ReadonlyMap<string, unknown>): string {
  for (let n = 2; ; n++) {
    const end = `_${n}`;
    const name = `${id.slice(0, MAX_LENGTH - end.length)}${end}`;
    if (!used.has(name)) return name;
  }
}

function isCopy(one: ToolUseBlock, other: ToolUseBlock): boolean {
  return one.name === other.name && JSON.stringify(one.input) === JSON.stringify(other.input);
}
