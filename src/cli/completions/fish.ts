// The completion of fish as a script, with what each flag and command does.
import type { OfferedFlag, Values, Vocabulary } from './vocabulary.js';

export function fishScript({ flags, commands }: Vocabulary): string {
  const names = commands.map(({ name }) => name);
  const lines = [
    ...names.map((name, at) => `${START} -n __turnwright_first -a ${name} -d ${quoted(commands[at]?.about ?? '')}`),
    ...flags.map((flag) => flagLine(flag, '__turnwright_prompt')),
    ...commands.flatMap(({ name, words, flags: own }) => [
      ...words.map((word) => `${START} -n '__turnwright_second ${name}' -a ${word.name} -d ${quoted(word.about)}`),
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
  return `complete -c turnwright -n ${quoted(condition)} ${spelled.join(' ')} -d ${quoted(about)}${takesText}`;
}

/** `-x` takes a value and offers no files, `-r` offers them too. */
function argumentsOf(values: Values): string {
  switch (values.kind) {
    case 'choice':
      return `-x -a ${quoted(values.choices.join(' '))}`;
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

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
