// The text of `turnwright sessions --help`: learned from examples, then the flags. The help of one command is cut from it,
// so that the two cannot differ.

export const SESSIONS_HELP = `turnwright sessions: look at, keep and clear away what earlier sessions left.

Examples
  What did I do here, and in all folders?
    turnwright sessions list
    turnwright sessions list --all --limit 100
  Go on with one of them. The first characters of its id are enough:
    turnwright sessions show 1b4e28ba
    turnwright --resume 1b4e28ba
  Try something else from there, without touching the original:
    turnwright sessions fork 1b4e28ba --title "with a queue"
  Undo a prompt and all after it: first the list of them, then what would go, then files and conversation together:
    turnwright sessions rewind 1b4e28ba
    turnwright sessions rewind 1b4e28ba 7d444840 --dry-run
    turnwright sessions rewind 1b4e28ba 7d444840
  Hand it to somebody who has no Turnwright:
    turnwright sessions export 1b4e28ba --format html -o session.html
  Find it again later:
    turnwright sessions rename 1b4e28ba "parser rewrite"
    turnwright sessions tag 1b4e28ba release
  Clear away what crashes left; and what is old, once it is clear what that would be:
    turnwright sessions gc
    turnwright sessions gc --older-than 30d --dry-run
  For a script:
    turnwright sessions list --json | jq -r '.[].sessionId'

Commands
  list                      the sessions of this folder and its worktrees, newest first
  show <id>                 what one is about, and its newest messages
  export <id>               the whole conversation as a document
  fork <id>                 a copy that goes its own way; its id is printed
  rewind <id> [<message>]   back to before that prompt; without one, the prompts and the files they changed
  rename <id> <title>       another title
  tag <id> <tag>            a tag; --clear takes it away
  delete, rm <id>           delete it, for good, with all that belongs to it
  gc                        delete what no session needs; sessions only if you say which
  archive, unarchive <id>   mark it as done with, and take that back

Flags
  --json                    for programs (list, show, export, fork, rewind, rm, gc)
  --dir <folder>            the sessions of that folder; without it list looks here, and the others everywhere
  --all                     list: the sessions of all folders
  --limit <n>               list: 50, show: 20 messages; 0 for all
  --offset <n>              list: pass over the newest
  --format <format>         export: md (default), html, json
  -o, --output <file>       export: into a file, not to stdout
  --thinking                export: with the model's thinking
  --up-to <uuid>            fork: up to this message; show --json tells the uuids
  --title <title>           fork: its title
  --both, --conversation, --files
                            rewind: what goes back; without one of them: both
  -y, --yes                 rm: without asking
  --force                   rm: also while another process writes it
  --dry-run                 rewind, gc: only say what would go
  --older-than <age>        gc: sessions not written for so long, such as 12h, 30d, 8w
  --max-bytes <size>        gc: the oldest sessions, until all take no more, such as 5GB

Exit codes: 0 success, 1 failure, 2 a wrong command, or no such session
`;

/** The lines about one command: what it does, its examples, and its flags. */
export function helpOfCommand(name: string, flags: readonly string[]): string {
  const lines = SESSIONS_HELP.split('\n');
  const section = (from: string, to: string) =>
    lines.slice(lines.indexOf(from) + 1, lines.findIndex((line) => line.startsWith(to)) - 1);
  const does = section('Commands', 'Flags').filter((line) => namesIn(line).includes(name));
  const examples = section('Examples', 'Commands').filter((line) => line.startsWith(`    turnwright sessions ${name}`));
  // A flag of several names, of which one stands alone in its line, has its words in the next.
  const ofFlags = section('Flags', 'Exit codes').filter((line, at, all) =>
    flags.some((flag) =>
      new RegExp(`^  (?:.*, )?--${flag}\\b`).test(line.startsWith('     ') ? (all[at - 1] ?? '') : line),
    ),
  );
  return [
    `turnwright sessions ${name}`,
    ...does,
    ...(examples.length === 0 ? [] : ['', 'Examples', ...examples]),
    ...(ofFlags.length === 0 ? [] : ['', 'Flags', ...ofFlags]),
    '',
    'All commands: turnwright sessions --help',
    '',
  ].join('\n');
}

/** The commands that a line of the list begins with. */
function namesIn(line: string): string[] {
  return (/^ {2}([\w, ]+?)(?: <| {2})/.exec(line)?.[1] ?? '').split(', ');
}
