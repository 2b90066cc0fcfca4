// The same screen by Ink: what is finished is `Static`; the answer that is written, the draft and a line of status are drawn.
import { converse } from './unengined.mjs';

process.env.NODE_ENV = 'production';
const [{ Box, render, Static, Text, useInput }, { default: React }] = await Promise.all([
  import(process.env.BENCH_FACE),
  import(process.env.BENCH_REACT),
]);
const { createElement: h, useReducer, useState } = React;

/** What changed since the last look is drawn at once: each delta would be a render of its own otherwise. */
const state = { items: [], open: '', doing: 'ready' };
let draw = () => undefined;
let isDue = false;
function changed() {
  if (isDue) return;
  isDue = true;
  setImmediate(() => {
    isDue = false;
    draw();
  });
}
const finish = (...lines) => {
  state.items = [...state.items, ...lines];
  changed();
};
const face = {
  doing(word) {
    state.doing = word;
    changed();
  },
  delta(text) {
    state.open += text;
    changed();
  },
  item: (line) => finish(line),
  end(line) {
    const answer = state.open;
    state.open = '';
    state.doing = 'ready';
    finish(...(answer === '' ? [] : [answer]), line);
  },
};

function Screen() {
  const [draft, setDraft] = useState('');
  [, draw] = useReducer((count) => count + 1, 0);
  useInput((input, key) => {
    // Keys that come at once are one input.
    if (key.return || input.endsWith('\r')) {
      const prompt = `${draft}${input.replace('\r', '')}`;
      setDraft('');
      finish(`> ${prompt}`);
      void converse(prompt, face);
    } else if (key.ctrl && input === 'u') setDraft('');
    else setDraft(draft + input);
  });
  return h(
    Box,
    { flexDirection: 'column' },
    h(Static, { items: state.items }, (line, at) => h(Text, { key: at }, line)),
    state.open === '' ? null : h(Text, null, state.open),
    h(Text, null, `> ${draft}▏`),
    h(Text, { dimColor: true }, state.doing),
  );
}

const { unmount } = render(h(Screen), { exitOnCtrlC: false });
process.on('SIGTERM', () => {
  unmount();
  process.exit(0);
});
