// The text of --help: learned from examples, then the flags.

export const HELP = `Turnwright: a coding agent in your terminal.

Usage
  turnwright                                   several prompts, one session
  turnwright -p "what does this project do?"   one prompt, then leave
  git diff | turnwright -p "review this"       prompt and piped text together

Examples
  Let it edit files in this folder and run commands, nothing else:
    turnwright -p "fix the failing test" --allowedTools Bash,Edit,Write
  Look but never touch:
    turnwright -p "where is the parser?" --tools Read,Glob,Grep
  Go on where the last session of this folder ended:
    turnwright -c -p "now add a test"
  For a script: the answer alone, the whole result, or every message as it comes:
    turnwright -p "one word: which language?" 2>/dev/null
    turnwright -p "summarise" --output-format json | jq .total_cost_usd
    turnwright -p "summarise" --output-format stream-json

Prompt and output
  -p, --print                       one prompt, then leave
  --output-format <format>          text (default), json, stream-json
  --include-partial-messages        stream text as it is written, also into pipes
  --verbose                         show more: session, thinking, whole tool results

Model and agents
  --model <name>                    provider/model, or a tier; see "turnwright models"
  --fallback-model <name>           when that one is not available
  --effort <level>                  low, medium, high, xhigh, max
  --max-budget-usd <amount>         never spend more
  --max-turns <n>, --task-budget <tokens>   end after n replies; wrap up after that many
  --json-schema <schema>            the answer as data that fits
  --system-prompt <text>, --append-system-prompt <text>   instead of ours; beside it
  --agents <json>                   subagents: {"name": {"description", "prompt"}}
  --agent <name>, --coordinator     run as that one; only plan and delegate

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

Sessions
  -c, --continue; -r, --resume [id]      the newest session of the folder; that, or choose
  turnwright sessions               list, show, export, fork; "sessions --help" tells more
  --fork-session, --session-id <uuid>   go on in a copy; the id of a new one, or a copy
  --resume-session-at <uuid>, --resume-drops-turn <uuid>
                                    go on behind that message; if only that prompt goes
  --no-session-persistence; --enable-file-checkpointing   keep nothing; files can go back

  --debug-file <file>   -h, --help   -v, --version

Variables: ANTHROPIC_API_KEY … (or: turnwright login), TURNWRIGHT_HOME, NO_COLOR
Exit codes: 0 success, 1 error result, 2 nothing ran, 3 calls wait, 130, 143 stopped
`;
