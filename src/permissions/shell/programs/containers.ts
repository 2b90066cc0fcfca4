// Containers and clusters: their subcommands that run programs elsewhere, and files of this machine that they take.
import { literalWord } from '../syntax/shell-word.js';
import type { RunnerData, RunningData } from './runner-data.js';
import type { FoundOperand } from './scan-options.js';

/** What Compose looks for in the folder, and above: its project, and the variables that it puts into it. */
const OF_COMPOSE =
  '.../compose.yaml .../compose.yml .../docker-compose.yaml .../docker-compose.yml .../compose.override.yaml .../compose.override.yml ' +
  '.../docker-compose.override.yaml .../docker-compose.override.yml';

const BAKE = '.env docker-bake.hcl docker-bake.json docker-bake.override.hcl docker-bake.override.json';
const BESIDE = ['-f --file --project-directory', '.env'] as const;

/** @param start what stands in front of the words of Compose */
function ownOfCompose(start: string): NonNullable<RunnerData['own']> {
  const form = `${start}(?!(?:-\\S+ (?:[^-]\\S* )?)*(?:ls|version|help)(?: |$))`;
  return [
    [new RegExp(form), OF_COMPOSE],
    [new RegExp(`${form}(?!.*--env-file)`), '.../.env'],
    [/(?:^| )bake\b/, `${OF_COMPOSE} ${BAKE}`],
  ];
}

/** Compose by a name of its own. */
export const COMPOSE: Pick<RunnerData, 'own' | 'beside'> = { own: ownOfCompose('^'), beside: BESIDE };

export const CONTAINER: RunnerData = {
  own: ownOfCompose('(?:^| )compose '),
  beside: BESIDE,
  tells: '-v,--version',
  groups: {
    compose: '-f,--file -p,--project-name --profile --env-file --project-directory --ansi --parallel --progress',
    container: '',
  },
  groupSynonyms: {
    compose: '-v,--volumes -d,--detach -q,--quiet -a,--all -i,--interactive -t,--tty --rmi --remove-orphans --build',
  },
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
  // The helpers and plugins that stand in it.
  code: '--config --runtime --conmon --hooks-dir --network-cmd-path --module',
  mounts: true,
  copies: /^cp$/,
  writes: '-o --output --iidfile',
  acts: /^(?:context (?:use|create|update)|plugin (?:install|enable)|unshare|(?:container )?(?:run|create) (?:.* )?(?:--privileged|--(?:pid|ipc|userns|uts|cgroupns)[= ]host|--device|--cap-add|--security-opt|--use-api-socket|--runtime|--init-path|--hooks-dir|--conmon|--volume-driver))/,
  values:
    '-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey --url --connection -f --file -p --project-name --profile --env-file --project-directory',
  runs: Object.fromEntries(
    [
      ['run', 1],
      ['exec', 1],
      ['container run', 1],
      ['create', 1],
      ['container create', 1],
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
    '-A,--all-namespaces -w,--watch -R,--recursive --all --force --now --wait --ignore-not-found -i,--stdin -t,--tty --prune --overwrite',
  valued:
    '-n,--namespace -f,--filename -k,--kustomize -l,--selector -o,--output -c,--container --context --cluster --user -s,--server ' +
    '--token --as --kubeconfig -v,--v --request-timeout --cache-dir --certificate-authority --grace-period --timeout --cascade ' +
    '--dry-run --field-selector --sort-by --replicas -p,--patch --type --image',
  operandSpellings: resourcesByName,
  named: [
    [
      /^(?:apply|create|delete|replace|diff|patch|label|annotate|set|expose|autoscale|convert|kustomize|wait|get|describe|edit|scale) /,
      '-f --filename -k --kustomize',
    ],
  ],
  copies: /^cp$/,
  // A cluster's credentials may come from a program that stands in it.
  starts: '--kubeconfig --kuberc',
  reads: '--kubeconfig --kuberc',
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

/** Short and plural names of kinds of resources, by the name that rules are held against. */
const KINDS: ReadonlyMap<string, string> = new Map(
  (
    'pod:po,pods service:svc,services deployment:deploy,deployments namespace:ns,namespaces node:no,nodes configmap:cm,configmaps ' +
    'secret:secrets persistentvolume:pv,persistentvolumes persistentvolumeclaim:pvc,persistentvolumeclaims ' +
    'statefulset:sts,statefulsets daemonset:ds,daemonsets replicaset:rs,replicasets job:jobs cronjob:cj,cronjobs ' +
    'ingress:ing,ingresses serviceaccount:sa,serviceaccounts endpoint:ep,endpoints event:ev,events ' +
    'replicationcontroller:rc,replicationcontrollers resourcequota:quota,resourcequotas limitrange:limits,limitranges ' +
    'horizontalpodautoscaler:hpa,horizontalpodautoscalers poddisruptionbudget:pdb,poddisruptionbudgets ' +
    'networkpolicy:netpol,networkpolicies storageclass:sc,storageclasses customresourcedefinition:crd,crds,customresourcedefinitions ' +
    'role:roles rolebinding:rolebindings clusterrole:clusterroles clusterrolebinding:clusterrolebindings ' +
    'certificatesigningrequest:csr,certificatesigningrequests priorityclass:pc,priorityclasses'
  )
    .split(' ')
    .flatMap((group) => {
      const [main = '', others = ''] = group.split(':');
      return others.split(',').map((other): [string, string] => [other, main]);
    }),
);

/** The kind without its group: `Pods.v1` is `pod`. */
function kindName(text: string): string {
  const name = text.toLowerCase().replace(/\..*$/, '');
  return KINDS.get(name) ?? name;
}

const MAX_RESOURCES = 20;

/** `delete pods/a svc/b` and `delete po,svc a`, each resource by itself, as `delete pod a`. */
function resourcesByName(operands: readonly FoundOperand[]): readonly (readonly FoundOperand[])[] {
  const at = operands.findIndex(({ word }) => word.value === null || /^[\w.,/-]+$/.test(word.value));
  const first = operands[at]?.word.value;
  if (first == null) return [operands];
  const named = (text: string, operand: FoundOperand): FoundOperand => ({ ...operand, word: literalWord(text) });
  // `rollout restart deploy/a`, `create secret generic a`: the kind may stand second.
  const found: (readonly FoundOperand[])[] = [];
  for (const place of [at, at + 1]) {
    const before = operands.slice(0, place);
    for (const operand of place === at ? operands.slice(place) : operands.slice(place, place + 1)) {
      const text = operand.word.value;
      if (text === null || !text.includes('/')) continue;
      const [kind = '', name = ''] = text.split('/');
      found.push([...before, named(kindName(kind), operand), named(name, operand)]);
    }
    const text = operands[place]?.word.value;
    const operand = operands[place];
    if (text == null || operand === undefined || text.includes('/')) continue;
    for (const kind of text.split(','))
      found.push([...before, named(kindName(kind), operand), ...operands.slice(place + 1)]);
  }
  return found.length === 0 ? [operands] : found.slice(0, MAX_RESOURCES);
}
