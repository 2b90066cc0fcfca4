// The text of `turnwright sessions --help`: learned from examples, then the flags.

export const SESSIONS_HELP = `turnwright sessions: look at, keep and clear away what earlier sessions left.

Examples
  What did I do here, and in all folders?
    turnwright sessions list
    turnwright sessions list --all --limit 100
  Go on with one of them. The first characters of its id are enough, where only one begins so:
    turnwright sessions show 1b4e28ba
    turnwright --resume 1b4e28ba-2fa1-41d2-883f-0016d3cca427
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
  rm <id>                   delete it, for good, with all that belongs to it
  gc                        delete what no session needs; sessions only where you say which
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
                            rewind: what goes back; both, where nothing is said
  -y, --yes                 rm: without asking
  --force                   rm: also while another process writes it
  --dry-run                 rewind, gc: only say what would go
  --older-than <age>        gc: sessions not written for so long, such as 12h, 30d, 8w
  --max-bytes <size>        gc: the oldest sessions, until all take no more, such as 5GB

Exit codes: 0 success, 1 failure, 2 a wrong command, or no such session
`;
