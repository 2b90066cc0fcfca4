// `turnwright completions`: the script that lets a shell complete commands, flags and ids by the Tab key. Each needs no other
// package; that of bash runs in bash 3.2 as macOS has it.
import { ConfigError } from '../../protocol/errors.js';
import { listSessions } from '../../sdk/sessions.js';
import { oneLine } from '../../view/escape-text.js';
import { type OfferedCommand, type OfferedFlag, type Values, type Vocabulary, vocabulary } from '../args/index.js';
import { type CliIo, tell } from '../cli-io.js';
import { HELP_FLAG, readWords } from './read-words.js';
import { titleOf } from './session-views.js';

const HELP = `turnwright completions <bash|zsh|fish>: prints what lets that shell complete commands, flags, their values and the
ids of sessions by the Tab key.

  To keep it, add one line to the file that the shell reads when it starts:
    bash   ~/.bashrc                     source <(turnwright completions bash)
    zsh    ~/.zshrc, behind compinit     source <(turnwright completions zsh)
    fish   ~/.config/fish/config.fish    turnwright completions fish | source
`;

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const MOST_SESSIONS = 50;
const TITLE_COLUMNS = 60;
const SHORT_ID = 8;

/** @returns the exit code. @throws ConfigError */
export async function runCompletions(argv: readonly string[], io: CliIo): Promise<number> {
  const { words, has } = readWords(argv, [
    HELP_FLAG,
    // For the scripts alone: they ask it at each Tab.
    { name: 'sessions', takes: 'nothing' },
  ]);
  if (has('sessions')) return tell(await sessionLines(io), io);
  const [name, more] = words;
  if (has('help') || name === undefined) return tell(HELP, io);
  const shell = SHELLS.find((each) => each === name);
  if (shell === undefined || more !== undefined)
    throw new ConfigError(
      `there are no completions for "${(more ?? name).slice(0, 60)}". Name one shell: ${SHELLS.join(', ')}.`,
    );
  return tell(await scriptOf(shell, vocabulary()), io);
}

async function scriptOf(shell: (typeof SHELLS)[number], words: Vocabulary) {
  switch (shell) {
    case 'bash':
      return bashScript(words);
    case 'zsh':
      return zshScript(words);
    case 'fish':
      return fishScript(words);
    default:
      return shell satisfies never;
  }
}

/** The sessions of the folder, an id and a title on each line. Nobody can read an error while they type. */
async function sessionLines(io: CliIo): Promise<string> {
  const env = { ...io.env };
  try {
    const sessions = await listSessions({ dir: io.startedIn(), limit: MOST_SESSIONS, env });
    const short = (id: string) => {
      const isOne = sessions.filter(({ sessionId }) => sessionId.startsWith(id.slice(0, SHORT_ID))).length === 1;
      return isOne ? id.slice(0, SHORT_ID) : id;
    };
    return sessions.map((each) => `${short(each.sessionId)}\t${oneLine(titleOf(each), TITLE_COLUMNS)}\n`).join('');
  } catch {
    return ''; // nothing is offered then
  }
}

function bashScript({ flags, commands }: Vocabulary): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `# Completion of turnwright for bash. To use it now: source <(turnwright completions bash)
_turnwright() {
  local program=$1 current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  # --flag=value comes as three words.
  if [[ $current == = ]]; then current=
  elif [[ $previous == = ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}; fi
  local command= flags words values=
  if (( COMP_CWORD > 1 )); then
    case \${COMP_WORDS[1]} in
      ${names.replaceAll(' ', '|')}) command=\${COMP_WORDS[1]} ;;
    esac
  fi
  case $command in
${commands.map(bashCommand).join('\n')}
    *)
      flags=${quoted(wordsOf(flags))}
      words=
      if (( COMP_CWORD == 1 )); then words=${quoted(names)}; fi
      case $previous in
${cases(flags, 8)}
      esac
      ;;
  esac
  COMPREPLY=()
  local IFS=$' \\t\\n'
  case $values in
    :session) values=$("$program" completions --sessions 2>/dev/null | cut -f1) ;;
    :file) compopt -o filenames 2>/dev/null; COMPREPLY=($(IFS=$'\\n'; compgen -f -- "$current")); return ;;
    :folder) compopt -o filenames 2>/dev/null; COMPREPLY=($(IFS=$'\\n'; compgen -d -- "$current")); return ;;
    :any) return ;;
    '') if [[ $current == -* ]]; then values=$flags; else values=$words; fi ;;
  esac
  COMPREPLY=($(compgen -W "$values" -- "$current"))
}
complete -o default -F _turnwright turnwright
`;
}

function bashCommand({ name, words, flags }: Vocabulary['commands'][number]): string {
  const behind = words.filter(({ values }) => values.kind === 'session').map((word) => word.name);
  const ids =
    behind.length === 0
      ? []
      : [`        ${behind.join('|')}) if (( COMP_CWORD == 3 )) && [[ $current != -* ]]; then values=:session; fi ;;`];
  const known = [...(flags.some(({ takes }) => takes !== 'nothing') ? [cases(flags, 8)] : []), ...ids];
  return [
    `    ${name})`,
    `      flags=${quoted(wordsOf(flags))}`,
    `      words=`,
    `      if (( COMP_CWORD == 2 )); then words=${quoted(words.map((word) => word.name).join(' '))}; fi`,
    ...(known.length === 0 ? [] : ['      case $previous in', ...known, '      esac']),
    '      ;;',
  ].join('\n');
}

function wordsOf(flags: readonly OfferedFlag[]): string {
  return flags.flatMap(({ names }) => names).join(' ');
}

/** What stands behind a flag. Behind one that may stand alone, another flag may come. */
function cases(flags: readonly OfferedFlag[], indent: number): string {
  const lines = flags.flatMap(({ names, takes, values }) => {
    if (takes === 'nothing') return [];
    const set = `values=${quoted(valuesText(values))}`;
    const guarded = takes === 'optional' ? `if [[ $current != -* ]]; then ${set}; fi` : set;
    return [`${' '.repeat(indent)}${names.join('|')}) ${guarded} ;;`];
  });
  return lines.join('\n');
}

function valuesText(values: Values): string {
  return values.kind === 'choice' ? values.choices.join(' ') : `:${values.kind}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

// The completion of zsh as a script, with what each flag and command does.

function zshScript({ flags, commands }: Vocabulary): string {
  return `#compdef turnwright
# Completion of turnwright for zsh. To use it now: source <(turnwright completions zsh)
_turnwright_sessions() {
  local -a found
  found=(\${(f)"$(_call_program sessions \${(q)words[1]:-turnwright} completions --sessions 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')"})
  _describe -V 'session' found
}

_turnwright() {
  local program=\${words[1]} line state
  if (( CURRENT > 2 )); then
    case \${words[2]} in
${commands.map(zshCommand).join('\n')}
    esac
  fi
  if (( CURRENT == 2 )) && [[ \${words[CURRENT]} != -* ]]; then
    local -a commands
    commands=(
${commands.map(({ name, about }) => `      ${quoted(`${name}:${about}`)}`).join('\n')}
    )
    _describe 'command' commands
    return
  fi
  _arguments -S \\
${flags.map((flag) => `    ${spec(flag)} \\`).join('\n')}
    '*:prompt:_default'
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _turnwright "$@"
else
  compdef _turnwright turnwright
fi
`;
}

function zshCommand({ name, words, flags }: OfferedCommand): string {
  const described = words.map((word) => quoted(`${word.name}:${word.about}`)).join(' ');
  const behind = words.filter(({ values }) => values.kind === 'session').map((word) => word.name);
  const ids =
    behind.length === 0
      ? []
      : [
          `        if (( CURRENT == 4 )) && [[ \${words[3]} == (${behind.join('|')}) && \${words[CURRENT]} != -* ]]; then`,
          '          _turnwright_sessions; return',
          '        fi',
        ];
  const first =
    words.length === 0
      ? []
      : [
          `        if (( CURRENT == 3 )) && [[ \${words[CURRENT]} != -* ]]; then`,
          `          local -a known; known=(${described}); _describe 'word' known; return`,
          '        fi',
        ];
  return [
    `      ${name})`,
    ...first,
    ...ids,
    `        _arguments -S ${flags.map(spec).join(' ')} '*:word:_default'; return`,
    '        ;;',
  ].join('\n');
}

/** As `_arguments` has it: `'--name[about]:what:action'`. */
function spec({ names, about, takes, values }: OfferedFlag): string {
  const tail = takes === 'nothing' ? '' : `${takes === 'optional' ? '::' : ':'}${kindName(values)}:${action(values)}`;
  const text = `[${about.replace(/[[\]:\\]/g, (sign) => `\\${sign}`)}]${tail}`;
  return names.map((name) => quoted(`*${name}${text}`)).join(' ');
}

function kindName(values: Values): string {
  return values.kind === 'choice' ? 'choice' : values.kind === 'any' ? 'value' : values.kind;
}

function action(values: Values): string {
  switch (values.kind) {
    case 'choice':
      return `(${values.choices.join(' ')})`;
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'session':
      return '_turnwright_sessions';
    case 'any':
      return ' ';
    default:
      return values satisfies never;
  }
}

// The completion of fish as a script, with what each flag and command does.

function fishScript({ flags, commands }: Vocabulary): string {
  const names = commands.map(({ name }) => name);
  const lines = [
    ...names.map(
      (name, at) => `${START} -n __turnwright_first -a ${name} -d ${quotedInFish(commands[at]?.about ?? '')}`,
    ),
    ...flags.map((flag) => flagLine(flag, '__turnwright_prompt')),
    ...commands.flatMap(({ name, words, flags: own }) => [
      ...words.map(
        (word) => `${START} -n '__turnwright_second ${name}' -a ${word.name} -d ${quotedInFish(word.about)}`,
      ),
      ...words
        .filter(({ values }) => values.kind === 'session')
        .map((word) => `${START} -n '__turnwright_third ${name} ${word.name}' -a '(__turnwright_sessions)'`),
      ...own.map((flag) => flagLine(flag, `__turnwright_in ${name}`)),
    ]),
  ];
  return `# Completion of turnwright for fish. To use it now: turnwright completions fish | source
function __turnwright_words
  # Without what is being typed.
  commandline -opc
end
function __turnwright_first
  test (count (__turnwright_words)) -eq 1
end
function __turnwright_in
  set -l words (__turnwright_words)
  test (count $words) -ge 2; and test $words[2] = $argv[1]
end
function __turnwright_prompt
  set -l words (__turnwright_words)
  test (count $words) -lt 2; or not contains -- $words[2] ${names.join(' ')}
end
function __turnwright_second
  set -l words (__turnwright_words)
  test (count $words) -eq 2; and test $words[2] = $argv[1]
end
function __turnwright_third
  set -l words (__turnwright_words)
  test (count $words) -eq 3; and test $words[2] = $argv[1]; and test $words[3] = $argv[2]
end
function __turnwright_sessions
  set -l words (__turnwright_words)
  $words[1] completions --sessions 2>/dev/null
end
complete -c turnwright -e
${lines.join('\n')}
`;
}

const START = 'complete -c turnwright -f';

function flagLine({ names, about, takes, values }: OfferedFlag, condition: string): string {
  const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const takesText = takes === 'nothing' ? '' : ` ${argumentsOf(values)}`;
  return `complete -c turnwright -n ${quotedInFish(condition)} ${spelled.join(' ')} -d ${quotedInFish(about)}${takesText}`;
}

/** `-x` takes a value and offers no files, `-r` offers them too. */
function argumentsOf(values: Values): string {
  switch (values.kind) {
    case 'choice':
      return `-x -a ${quotedInFish(values.choices.join(' '))}`;
    case 'session':
      return `-x -a '(__turnwright_sessions)'`;
    case 'folder':
      return `-x -a '(__fish_complete_directories)'`;
    case 'file':
      return '-r -F';
    case 'any':
      return '-x';
    default:
      return values satisfies never;
  }
}

function quotedInFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
