// Package managers, containers and environments: options in front of their subcommands, and which of those run
// programs.

export interface RunnerData {
  /** Options with a value in front of the subcommand. */
  readonly values?: string;
  /** Options that name the folder it works in, wherever they stand. */
  readonly folders?: string;
  /** Options that name files which are read or written, wherever they stand. */
  readonly reads?: string;
  readonly writes?: string;
  /** Options in front of everything else that run code or load it. */
  readonly code?: string;
  /** The subcommand that copies files to and from elsewhere, where names have a colon. */
  readonly copies?: RegExp;
  /** Words from the subcommand on with which it runs code, or changes what runs later. */
  readonly acts?: RegExp;
  /** What it changes with such words in the folder and the user's home. */
  readonly settings?: string;
  /** Other names of subcommands, for rules that deny. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** By subcommand, its words with a blank between. */
  readonly runs?: Readonly<Record<string, RunningData>>;
}

export interface RunningData {
  readonly values?: string;
  /** Operands in front of the command, such as the name of a container. */
  readonly before?: number;
  /** What it runs, it runs in a container or on another machine. */
  readonly isElsewhere?: true;
  /** Options whose value is run as a line or as code. */
  readonly acts?: string;
}

const CONTAINER: RunnerData = {
  copies: /^(?:container )?cp$/,
  writes: '-o --output --iidfile',
  acts: /^(?:context (?:use|create|update)|plugin (?:install|enable)|unshare|(?:container )?(?:run|create) (?:.* )?(?:--privileged|--(?:pid|ipc|userns|uts|cgroupns)[= ]host|--device|--cap-add|--security-opt))/,
  values:
    '-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey --url --connection -f --file -p --project-name --profile --env-file --project-directory',
  runs: Object.fromEntries(
    [
      ['run', 1],
      ['exec', 1],
      ['container run', 1],
      ['container exec', 1],
      ['compose run', 1],
      ['compose exec', 1],
    ].map(([name, before]): [string, RunningData] => [
      name as string,
      {
        before: before as number,
        isElsewhere: true,
        values:
          '-a --attach --add-host --cap-add --cap-drop --cidfile --cpus --cpuset-cpus --device --dns -e --env --env-file --entrypoint ' +
          '--expose --gpus -h --hostname -l --label --label-file --link --log-driver -m --memory --memory-swap --mount --name --network --net ' +
          '-p --publish --pid --platform --pull --restart --runtime --security-opt --shm-size --stop-signal --tmpfs -u --user --ulimit ' +
          '--userns -v --volume --volumes-from -w --workdir --detach-keys --ipc --isolation --index --ip',
      },
    ]),
  ),
};
const KUBE: RunnerData = {
  copies: /^cp$/,
  reads: '--kubeconfig',
  acts: /^(?:config set(?:-credentials|-cluster)?(?: |$)|plugin)/,
  values:
    '-n --namespace --context --cluster --kubeconfig --user -s --server --token --as -v --request-timeout --cache-dir --certificate-authority',
  runs: {
    exec: { before: 1, isElsewhere: true, values: '-c --container -f --filename -n --namespace --pod-running-timeout' },
    run: {
      before: 1,
      isElsewhere: true,
      values: '--image --env -l --labels --port --restart --overrides -n --namespace',
    },
    debug: { before: 1, isElsewhere: true, values: '--image -c --container --target -n --namespace --profile' },
  },
};

export const RUNNERS: Readonly<Record<string, RunnerData>> = {
  npm: {
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
    },
    runs: {
      explore: { before: 1 },
      exec: { values: '-p --package -w --workspace', acts: '-c --call' },
      x: { values: '-p --package -w --workspace', acts: '-c --call' },
    },
  },
  pnpm: {
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
    folders: '--cwd',
    acts: /^(?:config (?:set|unset|delete)|plugin|set version|policies)\b/,
    settings: '.yarnrc .yarnrc.yml',
    values: '--registry --use-yarnrc --mutex --cache-folder --modules-folder',
    runs: { exec: {}, dlx: { values: '-p --package' }, workspace: { before: 1 } },
  },
  bun: {
    folders: '--cwd',
    code: '-e --eval -p --print -r --preload --require --import',
    acts: /^(?:-|exec|repl|run -)(?: |$)/,
    values: '-c --config --env-file',
    runs: { x: { values: '-p --package' } },
  },
  deno: {
    values: '--config -c',
    acts: /^(?:-|eval|repl|jupyter|(?:run |serve |test )?(?:-\S+ )*(?:-|[a-z]+:\S*)|task (?:.* )?--eval)(?: |$)/,
  },
  corepack: { runs: { npm: {}, yarn: {}, pnpm: {} } },
  bundle: { values: '--gemfile --path', acts: /^(?:config (?:set|unset|--)|plugin)\b/, runs: { exec: {} } },
  devbox: { values: '-c --config', runs: { run: { values: '-c --config -e --env' } } },
  direnv: { acts: /^(?:allow|permit|grant)\b/, runs: { exec: { before: 1 } } },
  mise: {
    folders: '-C --cd',
    values: '-E --env',
    acts: /^(?:trust|settings (?:set|add)|set|alias set)\b/,
    runs: { exec: { acts: '-c --command' }, x: { acts: '-c --command' } },
  },
  asdf: { runs: { exec: {}, env: { before: 1 } } },
  poetry: { folders: '-C --directory -P --project', acts: /^(?:config|self)\b/, runs: { run: {} } },
  pipenv: { runs: { run: {} } },
  pdm: { values: '-c --config -p --project', runs: { run: {} } },
  rye: { runs: { run: {} } },
  hatch: { values: '-e --env -p --project', runs: { run: {} } },
  'conda mamba micromamba': { acts: /^config\b/, runs: { run: { values: '-n --name -p --prefix --cwd' } } },
  uv: {
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
  pipx: { runs: { run: { values: '--spec --python --pip-args --index-url' } } },
  'rbenv pyenv': { runs: { exec: {} } },
  'nvm volta fnm': {
    runs: { exec: { before: 1 }, run: { values: '--node --npm --yarn' } },
  },
  'docker podman nerdctl': CONTAINER,
  'docker-compose': {
    values: CONTAINER.values ?? '',
    runs: { run: CONTAINER.runs?.['run'] ?? {}, exec: CONTAINER.runs?.['exec'] ?? {} },
  },
  'kubectl oc': KUBE,
};
