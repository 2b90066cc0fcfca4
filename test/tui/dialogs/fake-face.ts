// A face without a terminal: one layer at a time, a draft that takes what no layer takes, and a clock that a test moves.
import type { DialogFace } from '../../../src/tui/dialogs/dialog.js';
import type { Layer, Pager } from '../../../src/tui/face.js';
import { readKeybindings } from '../../../src/tui/keybindings.js';
import type { Input } from '../../../src/tui/screen/input.js';
import type { Frame, Size } from '../../../src/tui/screen/screen.js';
import { typedText } from '../../../src/tui/text-field.js';
import type { Theme } from '../../../src/tui/theme.js';

export interface FakeFace {
  readonly face: { -readonly [K in keyof DialogFace]: DialogFace[K] };
  readonly draft: () => string;
  readonly pager: () => Pager | null;
  readonly shown: () => string;
  readonly frame: (size?: Size) => Frame;
  /** Moves the clock, and runs what was due. */
  pass(ms: number): void;
  /** The frame that was asked for is on the screen. */
  paint(): void;
  press(...keys: string[]): void;
  paste(text: string): void;
  layerNames(): string[];
}

const SIZE: Size = { columns: 80, rows: 24 };

const PLAIN: Theme = { name: 'light', colour: false, reducedMotion: true, paint: (text) => text };

export function fakeFace(size: Size = SIZE, theme: Theme = PLAIN): FakeFace {
  let now = 1_000;
  let draft = '';
  let pager: Pager | null = null;
  let closePager = (): void => undefined;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const layers: { readonly layer: Layer; painted: boolean }[] = [];

  const compose = (input: Input): void => {
    if (input.type === 'paste') draft += input.text;
    if (input.type === 'key') draft += input.key === 'enter' ? '' : (typedText(input) ?? '');
  };
  const give = (input: Input): void => {
    if (pager !== null) {
      if (pager.handle(input) === 'close') {
        pager = null;
        closePager();
      }
      return;
    }
    if (layers[0]?.layer.handle(input) !== true) compose(input);
  };
  const frame = (asked: Size = size): Frame => layers[0]?.layer.render(asked) ?? { lines: [], caret: null };
  return {
    face: {
      clock: {
        now: () => now,
        after(ms, run) {
          const timer = { at: now + ms, run };
          timers.add(timer);
          return () => void timers.delete(timer);
        },
      },
      theme,
      bindings: readKeybindings(null),
      openLayer(layer) {
        const entry = { layer, painted: false };
        layers.push(entry);
        return () => {
          const at = layers.indexOf(entry);
          if (at !== -1) layers.splice(at, 1);
        };
      },
      openPager(opened) {
        pager = opened;
        return new Promise((resolve) => {
          closePager = resolve;
        });
      },
      passOn: compose,
      draftHolds: (key) => draft !== '' && ['enter', 'up', 'down'].includes(key),
      refresh: () => undefined,
    },
    draft: () => draft,
    pager: () => pager,
    frame,
    shown: () => frame().lines.join('\n'),
    pass(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
    },
    paint() {
      const [first] = layers;
      if (first === undefined || first.painted) return;
      first.layer.render(size);
      first.painted = true;
      first.layer.painted?.(now);
    },
    press(...keys) {
      for (const key of keys) {
        const data = [...key].length === 1 ? key : key === 'space' ? ' ' : '\x1b';
        give({ type: 'key', key, data, at: now });
      }
    },
    paste: (text) => give({ type: 'paste', text, at: now }),
    layerNames: () => layers.map(({ layer }) => layer.name),
  };
}

/** Lets promises run that are settled already, and files be read, until it holds. */
export async function settle(until: () => boolean): Promise<void> {
  const limit = performance.now() + 20_000;
  while (!until()) {
    if (performance.now() > limit) throw new Error(`It never came to: ${String(until)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
