// How the mock server breaks a stream of the OpenAI forms: what is the same for both of them.
import type { ModelEvent } from '../../protocol/model-events.js';
import type { MockWire } from './mock-wire.js';

export interface FrameForm {
  /** Half an event, then the end. */
  readonly broken: string;
  /** True for the frame that comes too soon if the order is broken; the first such one does. */
  isMoved(frame: string): boolean;
  /** A writer of one reply: the frames that an event becomes. */
  createWriter(withUsage: boolean): (event: ModelEvent) => readonly string[];
}

/** Contract: whole where `malformed` is about the envelope. */
export function createFrames({ broken, isMoved, createWriter }: FrameForm): MockWire['frames'] {
  /** An event that comes again by identity is not serialised again. */
  function* whole(events: Iterable<ModelEvent>, withUsage: boolean): Generator<string, void, void> {
    const write = createWriter(withUsage);
    let previous: ModelEvent | null = null;
    let frames: readonly string[] = [];
    for (const event of events) {
      if (event !== previous) frames = write(event);
      previous = event;
      yield* frames;
    }
  }
  return function* (events, malformed) {
    if (malformed === 'empty') return;
    if (malformed === 'bad-json') {
      for (const frame of whole(events, true)) {
        yield frame;
        yield broken;
        return;
      }
    }
    if (malformed === 'out-of-order') yield* movedAhead([...whole(events, true)], isMoved);
    else yield* whole(events, malformed !== 'no-usage');
  };
}

/** That frame stands second. */
function movedAhead(frames: string[], isMoved: FrameForm['isMoved']): string[] {
  const at = frames.findIndex(isMoved);
  const [moved] = at === -1 ? [] : frames.splice(at, 1);
  return moved === undefined ? frames : [...frames.slice(0, 1), moved, ...frames.slice(1)];
}
