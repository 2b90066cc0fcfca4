// What the keys of the prompt do with the draft and the session. One rule: the way out never depends on what runs.

import type { Windows } from './bind-windows.js';
import type { Composer, OpenDraftParts } from './composer/index.js';
import { createConversation } from './conversation/index.js';
import type { OpenFace } from './face.js';
import type { TerminalSession } from './session.js';

export interface PromptActionParts {
  readonly face: OpenFace;
  readonly composer: Composer;
  readonly parts: OpenDraftParts;
  readonly session: TerminalSession;
  /** Prompts that are the terminal's own matter. */
  readonly windows: Pick<Windows, 'takesPrompt'>;
  /** Ends the session; at once, and with code 130, if something runs. */
  leave(): void;
  /** As Ctrl-Z in any other program. */
  suspend(): void;
  fail(error: unknown): void;
}

/** Twice within so long is one action, milliseconds. */
const TWICE_MS = 1_000;
/** In the order in which Shift-Tab goes through them; none that asks nobody. */
const MODES = ['default', 'acceptEdits', 'plan'] as const;

export function bindPromptActions(given: PromptActionParts): void {
  const { face, composer, parts, session, windows, leave, suspend, fail } = given;
  const { store } = face;
  const twice = twiceWithin(() => face.clock.now());

  function send(priority: 'next' | 'later'): true {
    if (composer.newLineForBackslash()) return true;
    const text = composer.text();
    if (text.trim() === '') return true;
    const content = parts.contentOf(text);
    composer.clear();
    parts.sent(text);
    if (/^\/(?:exit|quit)$/.test(text.trim())) leave();
    else if (!windows.takesPrompt(text)) session.send(text, priority, content);
    return true;
  }

  face.on('send', () => send('next'));
  face.on('queue', () => (session.isRunning && !composer.isEmpty ? send('later') : false));
  face.on('newLine', () => {
    composer.newLine();
    return true;
  });
  face.on('interrupt', () => {
    if (session.isRunning) session.interrupt();
    else if (composer.isEmpty && twice('interrupt')) face.run('rewind');
    return true;
  });
  face.on('clear', () => {
    if (!composer.isEmpty) {
      // Kept, as a slip of the finger is made here too.
      parts.sent(composer.text());
      composer.clear();
    } else if (session.isRunning && store.getState().run?.stopping !== true) session.interrupt();
    else if (twice('clear')) leave();
    else face.hint('Ctrl-C again leaves.');
    return true;
  });
  face.on('leave', () => {
    if (!composer.isEmpty) return false;
    if (twice('leave')) leave();
    else face.hint('Ctrl-D again leaves.');
    return true;
  });
  face.on('suspend', () => {
    suspend();
    return true;
  });
  face.on('undo', () => {
    composer.handleKey('\x1f');
    return true;
  });
  face.on('redraw', () => {
    const columns = () => face.screen.size.columns;
    const again = createConversation(face.theme, columns, false);
    const lines = session.recent.flatMap((told) =>
      'prompt' in told ? again.prompt(told.prompt) : again.take(told.message),
    );
    face.screen.redraw();
    if (lines.length > 0) face.screen.commit(['', face.theme.paint('The last turns again', 'dim'), '', ...lines]);
    return true;
  });
  face.on('nextMode', () => {
    const { mode } = store.getState().session;
    const at = MODES.indexOf(mode as (typeof MODES)[number]);
    const next = MODES[(at + 1) % MODES.length] ?? 'default';
    // Pressed before the session is there, it waits for it.
    face.opened
      .then((query) => query.setPermissionMode(next))
      .then(() => {
        store.setState((state) => ({ ...state, session: { ...state.session, mode: next } }));
        face.hint(`Mode ${next}`);
      })
      .catch(fail);
    return true;
  });
  face.on('background', () => {
    if (store.getState().calls.length === 0) return false;
    face.opened
      .then((query) => query.backgroundTasks())
      .then((isSent) => {
        if (!isSent) face.hint('Nothing that runs can go to the background.');
      })
      .catch(fail);
    return true;
  });
  face.onKey(({ key }) => {
    if (key !== 'up' || !composer.isEmpty || store.getState().queue.length === 0) return false;
    session.takeBack().then((text) => {
      if (text === null) return;
      if (composer.isEmpty) composer.setText(text);
      // Typed meanwhile: both stay.
      else composer.insert(`\n${text}`);
      face.refresh();
    }, fail);
    return true;
  });
}

/** A second time soon after the first. */
function twiceWithin(now: () => number): (what: string) => boolean {
  let last = { what: '', at: Number.NEGATIVE_INFINITY };
  return (what) => {
    const isSecond = last.what === what && now() - last.at <= TWICE_MS;
    last = isSecond ? { what: '', at: Number.NEGATIVE_INFINITY } : { what, at: now() };
    return isSecond;
  };
}
