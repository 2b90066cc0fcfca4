// The agents of one session: who works, who has ended and can be talked to again, and how many work at the same time. Loaded
// with the first of them. One rule: an agent that waits for agents of its own takes nobody's place, so no tree can wait for
// itself.
import { ABORTED, raceAbort } from '../../util/abort.js';
import type { Message } from '../messages/index.js';

/** An agent as others of the session know it. */
export interface KnownAgent {
  readonly id: string;
  /** By which it can be called; null if it has none. */
  readonly name: string | null;
  readonly type: string;
  readonly description: string;
  /** The agent that started it; null is the session's own. */
  readonly owner: string | null;
  /** A message for it while it works. False: it works no more. */
  say(text: string): boolean;
  /** The call whose result it is, as long as somebody waits for that. */
  readonly toolUseId: string | null;
  /** Lets the call go on without it. False if nobody waits for it. */
  moveToBackground(): boolean;
}

/** What an agent leaves that ended. */
export interface PastAgent {
  readonly agentId: string;
  /** The name of its kind. */
  readonly type: string;
  readonly description: string;
  readonly name: string | null;
  readonly messages: readonly Message[];
  /** Of its last entry in the transcript. */
  readonly lastUuid: string | null;
  /** The worktree that it worked in, by its name. */
  readonly worktree: string | null;
}

export interface AgentRoster<Past> {
  /** Contract: `left` is called once it works no more; it stays known then, with what it left. */
  add(agent: KnownAgent): { left(past: Past | null): void };
  /** By its id or its name, the newest of that name, as far as `asker` may know it. */
  find(to: string, asker: string | null): FoundAgent<Past> | null;
  /** Those that work. */
  readonly atWork: readonly KnownAgent[];
  /** Names and ids of those that `asker` may talk to, the newest last. */
  named(asker: string | null): readonly string[];
  readonly slots: AgentSlots;
  /** The place of an agent that works. */
  seat(id: string, slot: AgentSlot): void;
  slotOf(id: string): AgentSlot | null;
}

export interface FoundAgent<Past> {
  readonly agent: KnownAgent;
  readonly isAtWork: boolean;
  readonly past: Past | null;
}

/** So many that ended keep what they said; of others there is the transcript. */
const MAX_PAST = 24;
const MAX_KNOWN = 500;

/** @param maxAtWork so many work at the same time; more wait for their turn */
export function createAgentRoster<Past>(maxAtWork: number): AgentRoster<Past> {
  const seats = new Map<string, AgentSlot>();
  const known = new Map<string, { readonly agent: KnownAgent; isAtWork: boolean; past: Past | null }>();
  const maySee = (asker: string | null, agent: KnownAgent) => asker === null || agent.owner === asker;
  return {
    add(agent) {
      const entry: { readonly agent: KnownAgent; isAtWork: boolean; past: Past | null } = {
        agent,
        isAtWork: true,
        past: null,
      };
      known.delete(agent.id);
      known.set(agent.id, entry);
      const over = [...known.values()].filter(({ isAtWork }) => !isAtWork);
      for (const { agent: old } of over.slice(0, Math.max(0, known.size - MAX_KNOWN))) known.delete(old.id);
      return {
        left(past) {
          if (!entry.isAtWork) return;
          entry.isAtWork = false;
          entry.past = past;
          seats.delete(agent.id);
          const held = [...known.values()].filter((each) => each.past !== null);
          for (const old of held.slice(0, Math.max(0, held.length - MAX_PAST))) old.past = null;
        },
      };
    },
    find(to, asker) {
      const all = [...known.values()].reverse().filter(({ agent }) => maySee(asker, agent));
      return all.find(({ agent }) => agent.id === to) ?? all.find(({ agent }) => agent.name === to) ?? null;
    },
    get atWork() {
      return [...known.values()].filter(({ isAtWork }) => isAtWork).map(({ agent }) => agent);
    },
    named: (asker) =>
      [...known.values()]
        .filter(({ agent }) => maySee(asker, agent))
        .map(({ agent: { id, name, description } }) => `${name ?? id} (${description})`),
    slots: createAgentSlots(maxAtWork),
    seat: (id, slot) => void seats.set(id, slot),
    slotOf: (id) => seats.get(id) ?? null,
  };
}

export interface AgentSlots {
  /** Waits for its turn. Null if the signal aborts first. */
  enter(signal: AbortSignal): Promise<AgentSlot | null>;
  /** How many work now. */
  readonly taken: number;
}

/** Contract: `leave` may be called twice. */
export interface AgentSlot {
  /** It waits for an agent of its own from here on. May be called again before it was taken back. */
  lend(): void;
  /** To be called as often as `lend`; goes on once it is its turn, or the signal aborts. */
  takeBack(signal: AbortSignal): Promise<void>;
  leave(): void;
}

function createAgentSlots(most: number): AgentSlots {
  let taken = 0;
  /** Those that go on come before those that begin. */
  const back: (() => void)[] = [];
  const begin: (() => void)[] = [];
  const next = (): void => {
    while (taken < most) {
      const first = back.shift() ?? begin.shift();
      if (first === undefined) return;
      taken += 1;
      first();
    }
  };
  /** False if the signal aborts first. */
  const take = async (queue: (() => void)[], signal: AbortSignal): Promise<boolean> => {
    if (signal.aborted) return false;
    let admit: () => void = () => undefined;
    const admitted = new Promise<void>((resolve) => {
      admit = resolve;
    });
    queue.push(admit);
    next();
    if ((await raceAbort(admitted, signal)) !== ABORTED) return true;
    const at = queue.indexOf(admit);
    if (at >= 0) queue.splice(at, 1);
    else free(); // it was its turn just now
    return false;
  };
  const free = (): void => {
    taken -= 1;
    next();
  };
  return {
    get taken() {
      return taken;
    },
    async enter(signal) {
      if (!(await take(begin, signal))) return null;
      let isHeld = true;
      let isOver = false;
      let lent = 0;
      return {
        lend() {
          lent += 1;
          if (lent > 1 || !isHeld) return;
          isHeld = false;
          free();
        },
        async takeBack(until) {
          lent -= 1;
          if (lent > 0 || isHeld || isOver) return;
          if (!(await take(back, until))) return;
          if (isOver || lent > 0) free();
          else isHeld = true;
        },
        leave() {
          isOver = true;
          if (isHeld) free();
          isHeld = false;
        },
      };
    },
  };
}
