// Containers and clusters: their subcommands that run programs elsewhere, and files of this machine that they take.
import type { RunnerData, RunningData } from './runner-data.js';

export const CONTAINER: RunnerData = {
  synonyms:
    '-f,--force -d,--detach -i,--interactive -t,--tty -a,--all -q,--quiet -e,--env -p,--publish -w,--workdir -u,--user -h,--hostname ' +
    '-l,--label -m,--memory --net,--network',
  aliases: {
    'container run': 'run',
    'container exec': 'exec',
    'container create': 'create',
    'container start': 'start',
    'container stop': 'stop',
    'container restart': 'restart',
    'container kill': 'kill',
    'container rm': 'rm',
    'container remove': 'rm',
    'container logs': 'logs',
    'container ls': 'ps',
    'container list': 'ps',
    'container ps': 'ps',
    'container cp': 'cp',
    'container inspect': 'inspect',
    'container export': 'export',
    'container commit': 'commit',
    'container attach': 'attach',
    'container top': 'top',
    'container stats': 'stats',
    'container port': 'port',
    'container rename': 'rename',
    'container update': 'update',
    'container wait': 'wait',
    'container diff': 'diff',
    'image ls': 'images',
    'image list': 'images',
    'image rm': 'rmi',
    'image remove': 'rmi',
    'image build': 'build',
    'buildx build': 'build',
    'builder build': 'build',
    'buildx b': 'build',
    'image pull': 'pull',
    'image push': 'push',
    'image tag': 'tag',
    'image save': 'save',
    'image load': 'load',
    'image import': 'import',
    'image history': 'history',
    'system info': 'info',
    'system events': 'events',
    'volume remove': 'volume rm',
    'network remove': 'network rm',
    'volume list': 'volume ls',
    'network list': 'network ls',
  },
  named: [
    [/^(?:(?:image|buildx|builder) )?b(?:uild)? |^compose /, '-f --file --env-file'],
    [/^(?:image )?load\b/, '-i --input'],
  ],
  contexts: /^(?:(?:image|buildx|builder) )?b(?:uild)?$/,
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
export const KUBE: RunnerData = {
  synonyms:
    '-n,--namespace -f,--filename -k,--kustomize -l,--selector -A,--all-namespaces -o,--output -c,--container -w,--watch -R,--recursive',
  named: [
    [
      /^(?:apply|create|delete|replace|diff|patch|label|annotate|set|expose|autoscale|convert|kustomize|wait|get|describe|edit|scale) /,
      '-f --filename -k --kustomize',
    ],
  ],
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
