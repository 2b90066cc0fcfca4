// The same screen by pi-tui's own `TUI`: what is finished, the answer that is written, a draft, a line of status.
import { converse } from './unengined.mjs';

const { Editor, Markdown, ProcessTerminal, Text, TUI } = await import(process.env.BENCH_FACE);

const same = (text) => text;
const bold = (text) => `\x1b[1m${text}\x1b[22m`;
const LIST = { selectedPrefix: same, selectedText: bold, description: same, scrollInfo: same, noMatch: same };
const LOOK = {
  ...Object.fromEntries(
    ['link', 'linkUrl', 'code', 'codeBlock', 'codeBlockBorder', 'quote', 'quoteBorder', 'hr', 'listBullet'].map(
      (name) => [name, same],
    ),
  ),
  ...{ heading: bold, bold, italic: same, strikethrough: same, underline: same },
};

const tui = new TUI(new ProcessTerminal());
const editor = new Editor(tui, { borderColor: same, selectList: LIST });
const status = new Text('> ready', 0, 0);
/** Before the draft, which stays last. */
function add(component) {
  tui.children.splice(-2, 0, component);
  tui.requestRender();
}
tui.addChild(editor);
tui.addChild(status);
tui.setFocus(editor);

let open = null;
let text = '';
const face = {
  doing(word) {
    status.setText(word);
    tui.requestRender();
  },
  delta(more) {
    text += more;
    if (open === null) {
      open = new Markdown('', 0, 0, LOOK);
      add(open);
    }
    open.setText(text);
    tui.requestRender();
  },
  item: (line) => add(new Text(line, 0, 0)),
  end(line) {
    open = null;
    text = '';
    add(new Text(line, 0, 0));
    status.setText('> ready');
    tui.requestRender();
  },
};
editor.onSubmit = (prompt) => {
  editor.setText('');
  add(new Text(`> ${prompt}`, 0, 0));
  void converse(prompt, face);
};
process.on('SIGTERM', () => {
  tui.stop();
  process.exit(0);
});
tui.start();
