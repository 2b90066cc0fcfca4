// The words the offline planner knows, as data. A synonym is added here and nowhere else.

/** Kinds of files: words people use, the extensions they mean. `noun`: the word counts only before "file(s)". */
export interface FileKind {
  readonly words: readonly string[];
  readonly label: string;
  readonly extensions: readonly string[];
  readonly noun?: true;
}

export const FILE_KINDS: readonly FileKind[] = [
  { words: ['typescript', 'ts'], label: 'TypeScript', extensions: ['ts', 'tsx'] },
  { words: ['javascript', 'js'], label: 'JavaScript', extensions: ['js', 'jsx', 'mjs', 'cjs'] },
  { words: ['tsx'], label: 'TSX', extensions: ['tsx'] },
  { words: ['jsx'], label: 'JSX', extensions: ['jsx'] },
  { words: ['python', 'py'], label: 'Python', extensions: ['py'] },
  { words: ['markdown', 'md'], label: 'Markdown', extensions: ['md'] },
  { words: ['json'], label: 'JSON', extensions: ['json'] },
  { words: ['yaml', 'yml'], label: 'YAML', extensions: ['yml', 'yaml'] },
  { words: ['toml'], label: 'TOML', extensions: ['toml'] },
  { words: ['xml'], label: 'XML', extensions: ['xml'] },
  { words: ['csv'], label: 'CSV', extensions: ['csv'] },
  { words: ['sql'], label: 'SQL', extensions: ['sql'] },
  { words: ['css'], label: 'CSS', extensions: ['css'] },
  { words: ['scss'], label: 'SCSS', extensions: ['scss'] },
  { words: ['html'], label: 'HTML', extensions: ['html', 'htm'] },
  { words: ['svg'], label: 'SVG', extensions: ['svg'] },
  { words: ['vue'], label: 'Vue', extensions: ['vue'] },
  { words: ['svelte'], label: 'Svelte', extensions: ['svelte'] },
  { words: ['golang'], label: 'Go', extensions: ['go'] },
  { words: ['c\\+\\+', 'cpp'], label: 'C++', extensions: ['cpp', 'cc', 'cxx', 'hpp'] },
  { words: ['c#', 'csharp'], label: 'C#', extensions: ['cs'] },
  { words: ['ruby', 'rb'], label: 'Ruby', extensions: ['rb'] },
  { words: ['php'], label: 'PHP', extensions: ['php'] },
  { words: ['kotlin', 'kt'], label: 'Kotlin', extensions: ['kt', 'kts'] },
  { words: ['go'], label: 'Go', extensions: ['go'], noun: true },
  { words: ['rust', 'rs'], label: 'Rust', extensions: ['rs'], noun: true },
  { words: ['java'], label: 'Java', extensions: ['java'], noun: true },
  { words: ['swift'], label: 'Swift', extensions: ['swift'], noun: true },
  { words: ['c'], label: 'C', extensions: ['c', 'h'], noun: true },
  { words: ['lua'], label: 'Lua', extensions: ['lua'], noun: true },
  { words: ['shell', 'bash', 'sh'], label: 'shell', extensions: ['sh', 'bash'], noun: true },
  { words: ['plain text', 'text', 'txt'], label: 'text', extensions: ['txt'], noun: true },
  { words: ['log'], label: 'log', extensions: ['log'], noun: true },
  { words: ['image', 'picture'], label: 'image', extensions: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'svg'], noun: true },
  {
    words: ['source code', 'source', 'code'],
    label: 'source',
    extensions: [
      'ts',
      'tsx',
      'js',
      'jsx',
      'mjs',
      'cjs',
      'py',
      'rs',
      'go',
      'java',
      'c',
      'h',
      'cpp',
      'hpp',
      'cs',
      'rb',
      'php',
      'swift',
      'kt',
      'sh',
      'css',
      'html',
      'vue',
      'svelte',
      'lua',
      'sql',
    ],
    noun: true,
  },
];

/** What people call a file. */
export const FILE_NOUN = '(?:files?|documents?|docs|modules?|scripts?|sources?|components?)';

/** Verbs that can open a part of a request; also where " and " splits one part from the next. */
export const VERBS = {
  list: ['list', 'enumerate', 'ls'],
  find: ['find', 'locate', 'get', 'identify', 'determine', 'discover', 'look up', 'pick', 'fetch'],
  search: ['search', 'grep', 'look', 'scan', 'hunt', 'check'],
  show: ['show', 'display', 'print', 'read', 'open', 'cat', 'view', 'see', 'head', 'tail'],
  summarise: [
    'summarise',
    'summarize',
    'outline',
    'sum up',
    'describe',
    'explain',
    'give me a summary of',
    'give a summary of',
  ],
  count: ['count', 'how many', 'calculate', 'compute'],
  run: ['run', 'execute', 'exec', 'launch', 'invoke'],
  create: ['create', 'make', 'generate', 'produce', 'touch'],
  write: ['write', 'save', 'put', 'store', 'record', 'export', 'dump', 'log', 'output', 'place', 'report'],
  append: ['append', 'add'],
  replace: ['replace', 'change', 'substitute', 'swap', 'update', 'rename', 'turn', 'edit'],
  tell: ['tell', 'say', 'give'],
  ask: ['what', 'which', 'where', 'who'],
} as const;

/** Verbs that ask for work the planner cannot do; named so that later parts do not build on what never happened. */
export const UNSUPPORTED_VERBS: readonly string[] = [
  'delete',
  'remove',
  'move',
  'copy',
  'refactor',
  'fix',
  'debug',
  'implement',
  'build',
  'test',
  'deploy',
  'install',
  'commit',
  'push',
  'optimise',
  'optimize',
  'improve',
  'review',
  'translate',
  'convert',
  'format',
  'download',
  'rewrite',
  'sort',
  'merge',
  'draw',
  'design',
  'plan',
  'analyse',
  'analyze',
  'compare',
  'undo',
  'revert',
];

/** Verbs that are nouns as well: "and count to x.md" is no new part. */
export const NOUN_VERBS: readonly string[] = [
  'test',
  'build',
  'plan',
  'format',
  'design',
  'review',
  'merge',
  'sort',
  'check',
  'head',
  'outline',
  'count',
  'list',
  'report',
  'output',
  'change',
  'log',
  'record',
  'update',
  'edit',
  'store',
];

/** Words that open a part without meaning anything. */
export const POLITE_PREFIX =
  /^(?:please|kindly|can you|could you|would you|will you|can i|i(?:'d| would) like (?:you )?to(?: know)?|i(?:'d| would) like|i want (?:you )?to(?: know)?|i need (?:you )?to|i need|let'?s|let us|now|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|finally|lastly|after that|afterwards|also|and|just|quickly|simply|go ahead and|hey|hi|hello|ok|okay|so|tell me|let me know|help me(?: to)?|you should|you must|try to|use (?:the |your )?(?:\w+ )?tools? to|use (?:read|write|edit|glob|grep|bash) to|your task is to|the task is to|step \d+)(?=$|[\s,:!.-])[,:!.-]*\s*/i;

/** Parts that are courtesy or manner and need no answer. */
export const COURTESY =
  /^(?:thanks|thank you|thanks a lot|thank you very much|cheers|please|that is all|that's all|be (?:brief|concise|short|quick|careful|exact|precise)|keep it (?:short|brief|simple)|no explanations?|do not ask(?: me)?(?: any(?: further)?)? questions|don't ask(?: me)?(?: any(?: further)?)? questions|use (?:the|your) tools|good (?:morning|afternoon|evening|day))(?: please)?$/i;

/** Words that change nothing about what is asked. Any other word left over means: not understood. */
export const FILLER: ReadonlySet<string> = new Set(
  (
    'a an the all any every each of in on at to for from me us my our your this that these those there is are was were ' +
    'be been it its i you we he do does did done has have having had can could would will shall please exactly also ' +
    'just only out here which what who with by and or as so if up now them their they file files filename filenames ' +
    'one ones document documents module modules script scripts give get show list name names path paths full whole ' +
    'complete entire contents content text project repo repository folder directory codebase workspace total overall ' +
    'together altogether exist exists called named new short brief quick simple nice plain markdown both same found ' +
    'following currently very well then about containing listing giving including along recursively current back'
  ).split(' '),
);

/** Never the name of a folder after "in". */
export const NOT_A_FOLDER: ReadonlySet<string> = new Set(
  (
    'a an the all any every each this that these those my our your it them they their its there here which what total ' +
    'bytes lines size order detail details brief short general words english markdown json text full case addition ' +
    'particular files file one both how and or to by with for of folder folders directory directories project repo ' +
    'typescript javascript python html css yaml sorted alphabetical descending ascending'
  ).split(' '),
);

/** Files known by a name without an extension. */
export const BARE_FILE_NAMES: ReadonlySet<string> = new Set(
  'Makefile Dockerfile Containerfile Gemfile Rakefile Procfile Jenkinsfile Vagrantfile Justfile LICENSE LICENCE NOTICE AUTHORS CODEOWNERS'.split(
    ' ',
  ),
);

/** Names with a dot that are no files. */
export const NOT_A_FILE: ReadonlySet<string> = new Set(
  'node.js next.js vue.js react.js nuxt.js express.js e.g i.e etc.'.split(' '),
);

export const NUMBER_WORDS: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  twenty: 20,
};

/** Programs that may follow "run" without quotes or "the command". */
export const PROGRAMS: ReadonlySet<string> = new Set(
  (
    'ls pwd echo cat git npm npx pnpm yarn node deno bun tsc python python3 pip pip3 pytest make cargo rustc go java ' +
    'mvn gradle ruby bundle php composer dotnet docker kubectl curl wget find grep rg wc head tail sort uniq sed awk ' +
    'diff date whoami uname env printenv which df du ps mkdir touch cp mv rm chmod tree sh bash zsh true false sleep ' +
    'printf test tar zip unzip jq vitest jest eslint prettier biome tsx uv ruff mypy black hostname id seq tr cut tee'
  ).split(' '),
);

/** Programs that make a command line of a part by themselves: "git status". Only words that mean nothing else. */
export const DIRECT_PROGRAMS: ReadonlySet<string> = new Set([
  'git',
  'npm',
  'npx',
  'pnpm',
  'yarn',
  'pwd',
  'whoami',
  'ls',
  'echo',
  'uname',
]);

/** All verbs as one alternation, longest first so that "look up" beats "look". */
export const VERB_PATTERN: string = [...Object.values(VERBS).flat(), ...UNSUPPORTED_VERBS]
  .sort((left, right) => right.length - left.length)
  .join('|');

/** One group of verbs as an alternation. */
export function verbs(...groups: readonly (keyof typeof VERBS)[]): string {
  return `(?:${groups.flatMap((group) => [...VERBS[group]]).join('|')})`;
}
