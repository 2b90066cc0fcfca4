// Whether a part of a script may change the folder of the shell that runs it. Looked at before loops, functions and traps,
// whose commands run in an order that the text does not have.
import {
  type Command,
  type CommandNode,
  type CompoundList,
  forEachChild,
  type ParsedScript,
  parse,
  type Statement,
  type SyntaxNode,
} from 'unbash';
import { readWord } from './read-word.js';

/** Builtins that change the folder, or run commands that may. */
const MOVING = new Set(['cd', 'pushd', 'popd', 'command', 'builtin', 'eval', 'source', '.']);

type Node = Statement['command'] | CompoundList | CommandNode;

/** True if a command of the shell itself, not of a subshell, may change its folder. */
export function movesShell(node: Node): boolean {
  switch (node.type) {
    case 'Command':
      if (node.name === undefined) return false;
      if (node.name.value === 'trap') return trapMoves(node);
      return MOVING.has(node.name.value) || node.name.parts !== undefined;
    case 'CompoundList':
      return node.commands.some(({ command, background }) => background !== true && movesShell(command));
    case 'AndOr':
      return node.commands.some((command) => movesShell(command));
    case 'Pipeline':
      return node.commands.length === 1 && node.commands.some((command) => movesShell(command));
    case 'Redirected':
      return movesShell(node.command);
    case 'BraceGroup':
    case 'For':
    case 'Select':
    case 'ArithmeticFor':
      return movesShell(node.body);
    case 'While':
      return movesShell(node.clause) || movesShell(node.body);
    case 'If':
      return (
        movesShell(node.clause) ||
        movesShell(node.then) ||
        node.elif.some(({ clause, then }) => movesShell(clause) || movesShell(then)) ||
        (node.else !== undefined && movesShell(node.else))
      );
    case 'Case':
      return node.items.some(({ body }) => movesShell(body));
    default:
      return false;
  }
}

/** True if what it runs later may. */
function trapMoves({ args }: Command): boolean {
  const words = args.map((item) => (item.type === 'Word' ? readWord(item).value : null));
  if (words.length < 2) return false;
  return words.some((word, at) => word === null || (at < 2 && textMoves(word)));
}

/** True if anything in the script, subshells and substitutions too, changes the folder of its shell. */
export function movesAnywhere(script: ParsedScript): boolean {
  let moves = false;
  const look = (node: SyntaxNode, depth: number): void => {
    if (moves || depth > MAX_LOOK) {
      moves = true;
      return;
    }
    if (node.type === 'Command' && movesShell(node)) moves = true;
    else forEachChild(node, (child) => look(child, depth + 1));
  };
  look(script, 0);
  return moves;
}

/** Levels of the syntax, several of them to a level of the text. */
const MAX_LOOK = 500;

/** The same of a text that the shell runs later. */
export function textMoves(code: string): boolean {
  return movesAnywhere(parse(code));
}
