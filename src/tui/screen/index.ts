// The screen: lines below the scrollback, keys that come in, modes of the terminal, and how all of it is given back.

export type { Input } from './input.js';
export { cellsOf, cutLine, wrapLine } from './lines.js';
export { type Guard, guardTerminal, type OpenTerminal, openTerminal, type TerminalStreams } from './open-terminal.js';
export { createScreen, type Frame, type OwnScreen, type Screen, type Size } from './screen.js';
