// Whether a part of a script may change the folder of the shell that runs it. Looked at before loops and functions,
// whose commands run in an order that the text does not have.
import {
  type CommandNode,
  type CompoundList,
  forEachChild,
  type ParsedScript,
  type Statement,
  type SyntaxNode,
} from 'unbash';

/** Builtins that change the folder, or run commands that may. */
const MOVING = new Set(['cd', 'pushd', 'popd', 'command', 'builtin', 'eval', 'source', '.', 'trap']);

type Node = Statement['command'] | CompoundList | CommandNode;

/** True where a command of the shell itself, not of a subshell, may change its folder. */
export function movesShell(node: Node): boolean {
  switch (node.type) {
    case 'Command':
      return node.name !== undefined && (MOVING.has(node.name.value) || node.name.parts !== undefined);
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

/** True where anything in the script, subshells and substitutions too, changes the folder of its shell. */
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
