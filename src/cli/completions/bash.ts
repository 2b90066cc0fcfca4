// The completion of bash as a script. It needs no other package, and runs in bash 3.2 as macOS has it.
import type { OfferedFlag, Values, Vocabulary } from './vocabulary.js';

export function bashScript({ flags, commands }: Vocabulary): string {
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
