// Package managers and environments: options in front of their subcommands, which of those run programs, and what they do
// in the folder that they are in.

import { literalWord, type ShellWord } from '../syntax/shell-word.js';
import { COMPOSE, CONTAINER, KUBE } from './containers.js';
import type { RunnerData } from './runner-data.js';

/** Another subcommand that does the same with these words. */
function renamedSubcommand(words: readonly ShellWord[], name: RegExp, main: string): readonly (readonly ShellWord[])[] {
  const at = words.findIndex(({ value }) => value !== null && name.test(value));
  return at === -1 || at === words.length - 1
    ? []
    : [words.map((word, place) => (place === at ? literalWord(main) : word))];
}

/** Scripts that have a subcommand of their own. */
const OWN_SCRIPTS = /^(?:start|stop|restart|test)$/;

/** `npm run test` is `npm test`; with `anyScript` so is each script. `--location=global` is `-g`. */
function withoutRun(anyScript: boolean) {
  return (words: readonly ShellWord[]): readonly (readonly ShellWord[])[] => {
    const found: (readonly ShellWord[])[] = [];
    const at = words.findIndex(({ value }, place) => place > 0 && /^(?:run|run-script|rum|urn)$/.test(value ?? ''));
    const script = words.slice(at + 1).find(({ value }) => value?.startsWith('-') !== true);
    if (at !== -1 && script?.value != null && (anyScript || OWN_SCRIPTS.test(script.value)))
      found.push([...words.slice(0, at), ...words.slice(at + 1)]);
    const place = words.findIndex(({ value }) => value === '--location=global');
    const next = words.findIndex(({ value }, each) => value === '--location' && words[each + 1]?.value === 'global');
    if (place !== -1) found.push([...words.slice(0, place), literalWord('--global'), ...words.slice(place + 1)]);
    else if (next !== -1) found.push([...words.slice(0, next), literalWord('--global'), ...words.slice(next + 2)]);
    return found;
  };
}

/** `yarn workspace a add x` and `yarn global add x` are `yarn add x` elsewhere. */
function withoutWorkspace(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const at = words.findIndex(({ value }) => value === 'workspace' || value === 'global');
  if (at === -1) return [];
  return [[...words.slice(0, at), ...words.slice(at + (words[at]?.value === 'workspace' ? 2 : 1))]];
}

/** Words with which package managers of Node print what stands in their settings. */
const SHOWS_SETTINGS = /(?:^| )(?:(?:config|c) (?:ls|list|get)|get)\b/;

export const RUNNERS: Readonly<Record<string, RunnerData>> = {
  npm: {
    own: [[SHOWS_SETTINGS, '.../.npmrc ~/.npmrc']],
    project: true,
    tells: '-v,--version',
    synonyms:
      '-g,--global -D,--save-dev -E,--save-exact -O,--save-optional -P,--save-prod -S,--save -f,--force -y,--yes ' +
      '-p,--parseable -l,--long --ws,--workspaces -B,--save-bundle',
    valued:
      '-w,--workspace -c,--call -C,--prefix --registry --tag --access --otp --loglevel --script-shell --omit --include',
    spellings: withoutRun(false),
    commands:
      'access adduser audit bugs cache ci completion config dedupe deprecate diff dist-tag docs doctor edit exec explain explore ' +
      'find-dupes fund get help help-search init install install-ci-test install-test link list login logout org outdated owner pack ' +
      'ping pkg prefix profile prune publish query rebuild repo restart root run sbom search set shrinkwrap star stars start stop ' +
      'team test token undeprecate uninstall unpublish unstar update version view whoami',
    makes: [
      [
        /^(?:i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall|install|add|ci|clean-install|ic|un|rm|r|remove|unlink|uninstall|up|update|upgrade|udpate|dedupe|ddp|prune|rebuild|rb|link|ln|it|cit|install-test|audit fix)\b/,
        'package.json package-lock.json node_modules/',
      ],
      [/^(?:init|create|innit|version|verison|pkg (?:set|delete|fix))\b/, 'package.json package-lock.json'],
      [/^shrinkwrap\b/, 'npm-shrinkwrap.json'],
      [/^pack\b/, '*.tgz'],
    ],
    gathers: /^(?:publish|pack)\b/,
    folders: '--prefix -C',
    writes: '--pack-destination',
    acts: /^(?:(?:config|c|get) (?:set|edit|delete|fix)|set|set-script|edit)\b/,
    settings: '.npmrc',
    values:
      '-w --workspace --registry --userconfig --globalconfig --cache --loglevel --script-shell --node-options --git',
    aliases: {
      i: 'install',
      add: 'install',
      in: 'install',
      t: 'test',
      tst: 'test',
      'run-script': 'run',
      rum: 'run',
      x: 'exec',
      un: 'uninstall',
      rm: 'uninstall',
      remove: 'uninstall',
      r: 'uninstall',
      up: 'update',
      ls: 'list',
      ln: 'link',
      isntall: 'install',
      'clean-install': 'ci',
      'add-user': 'adduser',
      ins: 'install',
      inst: 'install',
      insta: 'install',
      instal: 'install',
      isnt: 'install',
      isnta: 'install',
      isntal: 'install',
      ic: 'ci',
      'install-clean': 'ci',
      urn: 'run',
      unlink: 'uninstall',
      upgrade: 'update',
      udpate: 'update',
      c: 'config',
      create: 'init',
      innit: 'init',
      info: 'view',
      show: 'view',
      v: 'view',
      verison: 'version',
      ddp: 'dedupe',
      rb: 'rebuild',
      s: 'search',
      se: 'search',
      find: 'search',
      it: 'install-test',
      cit: 'install-ci-test',
    },
    runs: {
      explore: { before: 1 },
      exec: { values: '-p --package -w --workspace', acts: '-c --call' },
      x: { values: '-p --package -w --workspace', acts: '-c --call' },
    },
  },
  pnpm: {
    own: [[SHOWS_SETTINGS, '.../.npmrc ~/.npmrc']],
    project: true,
    synonyms:
      '-g,--global -D,--save-dev -E,--save-exact -O,--save-optional -P,--save-prod,--prod -r,--recursive -w,--workspace-root',
    valued: '-F,--filter -C,--dir --registry --loglevel --reporter',
    spellings: (words) => [...renamedSubcommand(words, /^(?:i|install)$/, 'add'), ...withoutRun(true)(words)],
    makes: [
      [
        /^(?:i|install|add|rm|remove|un|uninstall|up|update|upgrade|dedupe|prune|rebuild|rb|link|ln|import|patch-commit)\b/,
        'package.json pnpm-lock.yaml node_modules/',
      ],
      [/^(?:init|create|version)\b/, 'package.json'],
      [/^pack\b/, '*.tgz'],
    ],
    gathers: /^(?:publish|pack|deploy)\b/,
    folders: '-C --dir',
    acts: /^(?:(?:config|c) (?:set|edit|delete)|set)\b/,
    settings: '.npmrc',
    values: '-F --filter --registry --loglevel --reporter --script-shell --store-dir',
    aliases: {
      i: 'install',
      'run-script': 'run',
      t: 'test',
      rm: 'remove',
      un: 'remove',
      uninstall: 'remove',
      up: 'update',
    },
    runs: { exec: {}, dlx: { values: '--package' } },
  },
  yarn: {
    own: [
      [/(?:^| )config\b/, '.../.yarnrc.yml ~/.yarnrc.yml .../.yarnrc ~/.yarnrc .../.npmrc ~/.npmrc'],
      [/^(?!-)/, '.../.env.yarn'],
    ],
    project: true,
    synonyms: '-D,--dev -E,--exact -O,--optional -P,--peer -W,--ignore-workspace-root-check',
    spellings: (words) => [...withoutWorkspace(words), ...withoutRun(true)(words)],
    makes: [
      [
        /^(?:$|-|install|add|remove|up|upgrade|dedupe|link|unlink|import|rebuild)/,
        'package.json yarn.lock node_modules/',
      ],
      [/^(?:init|create|version)\b/, 'package.json'],
      [/^pack\b/, '*.tgz'],
    ],
    gathers: /^(?:publish|pack|npm publish)\b/,
    folders: '--cwd',
    acts: /^(?:config (?:set|unset|delete)|plugin|set version|policies)\b/,
    settings: '.yarnrc .yarnrc.yml',
    values: '--registry --use-yarnrc --mutex --cache-folder --modules-folder',
    runs: {
      exec: {},
      dlx: { values: '-p --package' },
      workspace: { before: 1 },
      'workspaces foreach': { values: '-j --jobs --include --exclude --from', before: 1 },
    },
  },
  bun: {
    own: [
      [
        /^(?!(?:-v|--version|--revision|-h|--help|upgrade|completions)(?: |$))(?!.*--(?:no-)?env-file)/,
        '.env .env.local .env.development .env.production .env.test .env.development.local .env.production.local .env.test.local',
      ],
    ],
    project: true,
    tells: '-v,--version',
    synonyms: '-g,--global -d,-D,--dev -E,--exact -f,--force -y,--yes',
    aliases: { i: 'install', a: 'add', rm: 'remove', c: 'create' },
    spellings: withoutRun(true),
    makes: [
      [
        /^(?:i|install|a|add|rm|remove|update|link|unlink|init|c|create|patch)\b/,
        'package.json bun.lock bun.lockb node_modules/',
      ],
    ],
    gathers: /^publish\b/,
    folders: '--cwd',
    code: '-e --eval -p --print -r --preload --require --import',
    acts: /^(?:-|exec|repl|run -)(?: |$)/,
    values: '-c --config --env-file',
    runs: { x: { values: '-p --package' } },
  },
  deno: {
    // Without a value the option means this one.
    own: [[/(?:^| )--env(?:-file)?(?: |$)/, '.env']],
    reads: '--env --env-file --cert --import-map',
    project: true,
    tells: '-V,--version',
    synonyms: '-A,--allow-all -f,--force -q,--quiet -r,--reload',
    aliases: { i: 'install', rm: 'remove' },
    makes: [
      [/^fmt(?!.* --check)/, './'],
      [/^lint .*--fix/, './'],
      [/^(?:add|remove|install|i|outdated .*--update|uninstall)\b/, 'deno.json deno.lock node_modules/'],
      [/^init\b/, './'],
    ],
    gathers: /^publish\b/,
    values: '--config -c',
    acts: /^(?:-|eval|repl|jupyter|(?:run |serve |test )?(?:-\S+ )*(?:-|[a-z]+:\S*)|task (?:.* )?--eval)(?: |$)/,
  },
  corepack: { project: true, runs: { npm: {}, yarn: {}, pnpm: {} } },
  bundle: {
    project: true,
    makes: [[/^(?:$|install|add|remove|update|lock|init)/, 'Gemfile Gemfile.lock']],
    values: '--gemfile --path',
    acts: /^(?:config (?:set|unset|--)|plugin)\b/,
    runs: { exec: {} },
  },
  devbox: { project: true, values: '-c --config', runs: { run: { values: '-c --config -e --env' } } },
  direnv: {
    project: true,
    own: [[/^(?:exec|export|status|reload|show_dump)\b/, '.../.envrc .../.env']],
    acts: /^(?:allow|permit|grant)\b/,
    runs: { exec: { before: 1 } },
  },
  mise: {
    own: [
      [
        /(?:^| )(?:x|exec|r|run|e|env|watch)\b/,
        '.../mise.toml .../.mise.toml .../mise.local.toml .../.mise.local.toml .../.tool-versions',
      ],
    ],
    project: true,
    makes: [[/^(?:use|unuse)\b/, 'mise.toml']],
    folders: '-C --cd',
    values: '-E --env',
    acts: /^(?:trust|settings (?:set|add)|set|alias set)\b/,
    runs: { exec: { acts: '-c --command' }, x: { acts: '-c --command' } },
  },
  asdf: { project: true, runs: { exec: {}, env: { before: 1 } } },
  poetry: {
    project: true,
    makes: [
      [/^(?:add|remove|update|lock|init|version)\b/, 'pyproject.toml poetry.lock'],
      [/^build\b/, 'dist/'],
    ],
    gathers: /^(?:build|publish)\b/,
    folders: '-C --directory -P --project',
    acts: /^(?:config|self)\b/,
    runs: { run: {} },
  },
  pipenv: {
    own: [[/(?:^| )(?:run|shell|install|sync|lock|update|upgrade)\b/, '.../.env']],
    project: true,
    makes: [[/^(?:install|uninstall|update|lock|upgrade)\b/, 'Pipfile Pipfile.lock']],
    runs: { run: {} },
  },
  pdm: {
    project: true,
    makes: [[/^(?:add|remove|update|lock|init|install|sync)\b/, 'pyproject.toml pdm.lock .venv/']],
    values: '-c --config -p --project',
    runs: { run: {} },
  },
  rye: {
    project: true,
    makes: [[/^(?:add|remove|sync|lock|init)\b/, 'pyproject.toml .venv/']],
    runs: { run: {} },
  },
  hatch: {
    project: true,
    makes: [[/^fmt\b/, './']],
    values: '-e --env -p --project',
    runs: { run: {} },
  },
  'conda mamba micromamba': {
    tells: '-V,--version',
    acts: /^config\b/,
    runs: { run: { values: '-n --name -p --prefix --cwd' } },
  },
  uv: {
    project: true,
    tells: '-V,--version',
    makes: [
      [/^(?:add|remove|sync|lock|init|version)\b/, 'pyproject.toml uv.lock .venv/'],
      [/^venv\b/, '.venv/'],
      [/^build\b/, 'dist/'],
      [/^format\b/, './'],
    ],
    gathers: /^(?:build|publish)\b/,
    named: [[/^pip /, '-r --requirement --requirements -e --editable -c --constraint --constraints']],
    folders: '--directory --project',
    values: '--cache-dir --config-file --color',
    acts: /^run (?:.* )?-$/,
    runs: {
      run: {
        values:
          '-p --python --with --with-editable --with-requirements --extra --group --only-group --env-file --package --index --default-index -m --module --project --directory',
      },
      'tool run': { values: '--from --with -p --python' },
    },
  },
  pipx: { tells: '--version', runs: { run: { values: '--spec --python --pip-args --index-url' } } },
  'rbenv pyenv': { project: true, tells: '-v,--version', runs: { exec: {} } },
  'nvm volta fnm': {
    tells: '--version',
    runs: { exec: { before: 1 }, run: { values: '--node --npm --yarn' } },
  },
  'docker podman nerdctl': CONTAINER,
  'docker-compose': {
    ...COMPOSE,
    project: true,
    tells: '-v,--version',
    named: [[/^/, '-f --file --env-file']],
    copies: /^cp$/,
    values: CONTAINER.values ?? '',
    runs: { run: CONTAINER.runs?.['run'] ?? {}, exec: CONTAINER.runs?.['exec'] ?? {} },
  },
  'kubectl oc': KUBE,
};
