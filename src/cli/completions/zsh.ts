// The completion of zsh as a script, with what each flag and command does.
import type { OfferedCommand, OfferedFlag, Values, Vocabulary } from './vocabulary.js';

export function zshScript({ flags, commands }: Vocabulary): string {
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

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
