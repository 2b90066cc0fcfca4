// The text of --help: learned from examples, then the commands and the flags.

export const HELP = `Turnwright: a coding agent in your terminal.

Usage
  turnwright                                   several prompts, one session
  turnwright -p "what does this project do?"   one prompt, then leave
  turnwright -c -p "now add a test"            goes on with the last session of the folder
  git diff | turnwright -p "review this"       prompt and piped text together
  turnwright -p "summarise" --output-format json | jq           the whole result
  turnwright -p "fix the test" --allowedTools Bash,Edit,Write   may edit and run commands
  turnwright -p "where is the parser?" --tools Read,Glob,Grep   looks, never touches

Commands: "turnwright <command> --help" tells more
  login, logout [provider]   keep the key of a model provider; forget it
  auth status                which keys there are, and which model answers
  models [provider]          models and their prices; "models probe": how one behaves
  sessions                   list, show, export, fork, rename, delete; rewind: undo
  config                     list, get, set, unset settings; explain where each is from
  permissions                what would be decided about a call, and why; test your rules
  hooks                      commands that run at moments of a session: list, test
  skills                     instructions for kinds of tasks: list
  help [command]             this; the help of a command

Prompt and output
  -p, --print                       one prompt, then leave; the answer alone on stdout
  --output-format <format>          text (default), json, stream-json
  --include-partial-messages        stream-json: replies in parts, as they are written
  --verbose; --debug-file <file>    show more; a log without contents

Model and agents
  --model <name>, --fallback-model <name>   provider/model, or a tier; if that fails
  --effort <level>                  low, medium, high, xhigh, max
  --max-budget-usd <amount>         never spend more
  --max-turns <n>, --task-budget <tokens>   end after n replies; wrap up after that many
  --json-schema <schema>            the answer as data that fits
  --system-prompt <text>, --append-system-prompt <text>   instead of ours; beside it
  --agents <json>; --agent <name>, --coordinator   subagents; run as one; only delegate

What it may do
  --allowedTools <list>, --disallowedTools <list>   tools or rules: run unasked; never run
  --tools <list>; --judge <model>   the only tools ("": none); mode auto with a judge
  --permission-mode <mode>   default, acceptEdits, plan, dontAsk, auto, bypassPermissions
  --dangerously-skip-permissions    run everything unasked
  --allow-dangerously-skip-permissions   permit the mode bypassPermissions
  --defer-permissions; --allow-call <id>, --deny-call <id>   calls wait; decide
  --cwd <folder>, --add-dir <folder>, --sandbox   work here; and there; confine commands
  --mcp-config <file or json>, --strict-mcp-config   servers of tools; and no others
  --settings <file or json>, --setting-sources <list>, --trust   see config, hooks, skills

Sessions: the first 8 characters of an id are enough
  -c, --continue; -r, --resume [id]   the newest session of the folder; that, or choose
  --fork-session, --session-id <uuid>   go on in a copy; the id of a new one, or a copy
  --resume-session-at <id>, --resume-drops-turn <id>   from there on; if only it goes
  --enable-file-checkpointing, --no-file-checkpointing   files can be set back; not
  --no-session-persistence; -h, --help; -v, --version    keep nothing on disk
Variables: ANTHROPIC_API_KEY … (or: turnwright login), TURNWRIGHT_HOME, NO_COLOR
Exit codes: 0 success, 1 error result, 2 nothing ran, 3 calls wait, 130, 143 stopped
`;
