// Rules that deny or ask about commands know the program: what they name is denied in whatever form it is written.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowsRun, mayRestrictRun, parseCommandPattern, restrictsRun } from '../../src/permissions/command-pattern.js';
import { OPTION_NAMES, withAllNames } from '../../src/permissions/shell/programs/option-names.js';
import type { ProgramTable } from '../../src/permissions/shell/programs/program-table.js';
import { PROGRAMS } from '../../src/permissions/shell/programs/programs.js';
import { usualWords } from '../../src/permissions/shell/programs/same-names.js';
import { readCommand } from '../../src/permissions/shell/read-command.js';
import { PLACE } from '../support/shell/judge.js';

function outcome(rule: string, command: string): 'denied' | 'asked' | 'open' {
  const pattern = parseCommandPattern(rule);
  const { programs } = readCommand(command, PLACE);
  if (programs.some((run) => restrictsRun(pattern, run))) return 'denied';
  return programs.some((run) => mayRestrictRun(pattern, run)) ? 'asked' : 'open';
}

describe('a rule that denies', () => {
  it.each<[rule: string, denied: readonly string[], open: readonly string[]]>([
    [
      'rm -rf *',
      [
        'rm -fr x',
        'rm -r -f x',
        'rm x -rf',
        'rm --recursive --force x',
        'rm -Rf x',
        'rm --rec --for x',
        'rm -vrf x',
        'rm -rf',
        'sudo rm -f -r x',
        'ls && rm -fR x',
        "bash -c 'rm -f -r x'",
        '/bin/rm -fr x',
        'find . -exec rm -fr {} +',
        'rm -r x -f y',
        'RM -fr x',
        '"rm" \'-f\' -r x',
      ],
      ['rm -r x', 'rm -f x', 'rm x', 'rm -- -rf', 'rmdir -p x', 'ls -rf', 'rm -i -f x'],
    ],
    ['perl -e *', ['perl5.36.0 -e x', '/usr/bin/perl5 -e x'], ['perl5.36.0 x.pl']],
    ['gcc *', ['gcc-12 x.c', 'x86_64-linux-gnu-gcc x.c', 'x86_64-linux-gnu-gcc-12 x.c'], ['gcc-ar x', 'gccgo x']],
    ['vim *', ['vim.basic x', 'vi x'], ['vimdiff x y']],
    ['grep -r *', ['grep -R x', 'rgrep x', 'grep -nR x', 'rgrep -i x y'], ['grep x y', 'egrep x y']],
    ['gzip -d *', ['gunzip a', 'gunzip -k a'], ['gzip a']],
    ['nc -l *', ['ncat -l 1', 'netcat -lvp 1'], ['nc h 1']],
    ['ssh *', ['slogin h'], ['ssh-keygen']],
    [
      'kill -9 *',
      ['kill -KILL 1', 'kill -SIGKILL 1', 'kill -s 9 1', 'kill -s kill 1', 'kill -n 9 1'],
      ['kill 1', 'kill -15 1'],
    ],
    ['kill -s KILL *', ['kill -9 1', '/bin/kill --signal=9 1'], ['kill -TERM 1']],
    ['pkill -9 *', ['pkill --signal KILL x', 'pkill --signal=SIGKILL x'], ['pkill x']],
    ['chmod +x *', ['chmod a+x f', 'chmod ugo+x f'], ['chmod u+x f', 'chmod -x f']],
    ['cp -r *', ['cp -a x y', 'cp --archive x y'], ['cp x y']],
    ['rsync --delete *', ['rsync -a --delete-after a b', 'rsync --del a b'], ['rsync -a a b']],
    ['apt remove *', ['apt-get purge x', 'apt purge -y x'], ['apt install x']],
    ['apt purge *', ['apt-get remove --purge x'], ['apt remove x']],
    ['npm install -g *', ['npm i x --location=global', 'npm i --location global x'], ['npm i x']],
    ['npm start *', ['npm run start', 'npm -s run-script start -- x'], ['npm run build']],
    ['npm run test *', ['npm test', 'npm t'], ['npm run lint']],
    ['yarn deploy *', ['yarn run deploy', 'yarn run deploy x'], ['yarn run build']],
    ['pnpm run deploy *', ['pnpm deploy', 'pnpm deploy x'], ['pnpm run build']],
    ['bun run x *', ['bun x'], ['bun run y']],
    ['pip install *', ['uv pip install x', 'pip3.11 install x'], ['uv sync']],
    ['git remote remove *', ['git remote rm x'], ['git remote -v']],
    ['docker compose down -v *', ['docker compose down --volumes', 'docker-compose down -v'], ['docker compose down']],
    ['deno run -A *', ['deno run --allow-all x'], ['deno run x']],
    ['redis-cli flushall *', ['redis-cli FLUSHALL', 'redis-cli -h x FlushAll'], ['redis-cli get x']],
    // Other programs that take the same words.
    [
      'docker run *',
      [
        'podman run x',
        'nerdctl run x',
        'sudo podman --log-level debug container run x',
        'finch run x',
        'lima nerdctl run x',
      ],
      ['podman ps', 'podman-compose run x'],
    ],
    ['podman rm *', ['docker container rm x', 'nerdctl rm -f x'], ['docker rmi x']],
    [
      'docker compose down *',
      ['podman compose down', 'podman-compose down -v', 'nerdctl compose down'],
      ['podman down'],
    ],
    ['docker-compose *', ['docker --context a compose up', 'podman-compose up'], ['docker up']],
    [
      'kubectl delete pod *',
      [
        'oc delete po a',
        'k delete pods/a',
        'kubecolor -n x delete pod a',
        'k3s kubectl delete pod a',
        'sudo microk8s kubectl -n x delete po a',
        'minikube kubectl -- delete pod a',
        'kubectl-v1.29 delete pod a',
      ],
      ['oc get pods', 'minikube delete pod a', 'k3s server'],
    ],
    ['oc delete *', ['kubectl -n x delete pod a'], ['kubectl get pod a']],
    [
      'terraform destroy *',
      [
        'tofu -chdir=x destroy',
        'terragrunt destroy',
        'terragrunt run-all destroy',
        'terragrunt run --all -- destroy',
        'terraform apply -auto-approve -destroy',
        'tofu-1.6 apply -destroy',
      ],
      ['tofu apply', 'terragrunt run-all plan'],
    ],
    ['tofu apply -destroy *', ['terraform destroy -auto-approve'], ['terraform apply']],
    [
      'npx *',
      ['pnpx x', 'pnpm dlx x', 'pnpm --silent dlx x', 'yarn dlx x', 'bunx x', 'bun x x', 'npm --silent exec x'],
      ['pnpm exec x', 'bun run build', 'yarn exec x'],
    ],
    ['pnpm dlx *', ['npx x', 'bunx --bun x'], ['pnpm add x']],
    ['uvx *', ['uv --quiet tool run x', 'pipx run x'], ['uv run x', 'uv tool list']],
    ['sudo *', ['doas rm x', 'run0 rm x', 'pkexec rm x', 'sudo-rs -n rm x'], ['su -c x']],
    ['grep -E *', ['egrep x y'], ['fgrep x y']],
    ['egrep *', ['grep --extended-regexp x y', 'ggrep -nE x'], ['grep x y']],
    ['gsed -i *', ['sed --in-place p f'], ['sed p f']],
    ['gmake deploy *', ['make test deploy', 'bmake deploy'], ['make test']],
    [
      'rm -rf *',
      ['gtimeout 3 rm -r -f x', 'genv A=1 rm -fr x', 'ggrep x y | gxargs rm -fr', 'grm -fr x'],
      ['gls -rf x'],
    ],
    ['git push *', ['git-push origin', '/usr/lib/git-core/git-push', 'git-lfs push'], ['git-lfs pull']],
    ['mysql *', ['mariadb -e x'], ['mysqldump x']],
    ['env -i *', ['env --ignore-environment ls', 'genv -i ls'], ['env ls']],
    ['timeout -s KILL *', ['timeout --signal=KILL 3 ls'], ['timeout 3 ls']],
    ['firebase deploy *', ['firebase -P x deploy'], ['firebase serve']],
    [
      'git push --force *',
      [
        'git push origin main --force',
        'git -C x push -f',
        'git push -f',
        'git push -uf origin main',
        'git --no-pager -c color.ui=never push origin -f',
        'git push --forc',
        'git push origin --force main',
        'git push --force-with-lease',
        'git push --force-with-lease=main origin',
        'git push origin +main',
        'git push origin +main:main',
        'git push origin "+$BRANCH"',
        'git push --mirror',
        'hub push -f',
      ],
      [
        'git push',
        'git push origin main',
        'git push origin feature+x',
        'git pull --force',
        'git fetch -f origin',
        'git push -- --force',
      ],
    ],
    ['git push -f *', ['git push --force', 'git push origin -f'], ['git push -n']],
    ['git add *', ['git stage x', 'git -C y stage x'], ['git status', 'git rm x']],
    ['git reset --hard *', ['git reset HEAD~1 --hard', 'git reset --har'], ['git reset --soft', 'git reset HEAD']],
    [
      'git branch -D *',
      ['git branch --delete --force x', 'git branch -d -f x'],
      ['git branch -d x', 'git branch -f x'],
    ],
    [
      'git commit --no-verify *',
      ['git commit -anm x', 'git commit -m x -n'],
      ['git commit -am x', 'git commit -m --no-verify'],
    ],
    [
      'npm install *',
      ['npm i x', 'npm add x', 'npm --prefix y i x', 'npm it', 'npm install-test x', 'corepack npm i x'],
      ['npm test', 'npm ci'],
    ],
    ['mkfs *', ['mkfs.ext4 x', 'mkfs -t xfs x', '/sbin/mkfs.vfat x', 'mke2fs x'], ['fsck.ext4 x']],
    ['nc *', ['nc.openbsd x', 'nc.traditional -l x'], ['ncdu']],
    [
      'git push *',
      ['git send-pack o m', 'git subtree push -P a o b', 'git lfs push o m'],
      ['git subtree pull -P a o b', 'git lfs pull'],
    ],
    [
      'shutdown *',
      ['poweroff', 'reboot', 'halt -f', 'systemctl poweroff', 'systemctl --force reboot', 'init 0', 'telinit 6'],
      ['systemctl status', 'init 3', 'npm init 0'],
    ],
    ['bash -c *', ["sh -c 'x'", "dash -c 'x'", "bash -lc 'x'", "sh -xc 'x'"], ['bash x.sh', 'sh x.sh']],
    [
      'systemctl stop *',
      ['service a stop', '/etc/init.d/a stop', 'invoke-rc.d a stop', 'rc-service a stop', 'systemctl --now stop a'],
      ['service a start', 'service stop', '/etc/init.d/a status', './etc/init.d/a stop'],
    ],
    [
      'service nginx stop',
      ['systemctl stop nginx', 'service nginx stop'],
      ['systemctl stop a', 'systemctl start nginx'],
    ],
    ['service * stop', ['service nginx stop'], ['service nginx start']],
    ['pipx install *', ['uv tool install x'], ['pipx list']],
    ['useradd *', ['adduser x', '/usr/sbin/adduser --system x'], ['deluser x']],
    ['pnpm publish *', ['npm publish', 'yarn npm publish', 'bun publish --tag x'], ['pnpm pack']],
    [
      'npm publish *',
      ['npm pub', 'npm --tag next publish', 'npm -g publish x'],
      ['npm pack', 'npm prune', 'npm run publish'],
    ],
    ['npm install -g *', ['npm i --global x', 'npm -g i x', 'npm --global add x'], ['npm i x']],
    ['npx *', ['npm exec x', 'npm x y', 'npx y'], ['npm run x']],
    ['pnpm add *', ['pnpm i x', 'pnpm -r install x', 'pnpm -C a add x'], ['pnpm install', 'pnpm test']],
    ['yarn add *', ['yarn workspace a add x', 'yarn global add x', 'yarn --cwd a add x'], ['yarn', 'yarn remove x']],
    [
      'pip install *',
      [
        'pip3 install x',
        'pip3.12 install x',
        'python -m pip install x',
        'python3 -Im pip install x',
        'pip -v install x',
      ],
      ['pip list', 'python3 -m venv x', 'pip uninstall x'],
    ],
    ['python -m pip install *', ['pip install x', 'pip3 install x', 'python3 -m pip install x'], ['pip list']],
    [
      'docker run *',
      ['docker container run x', 'docker --log-level debug run x', 'docker -c a container run x'],
      ['docker ps'],
    ],
    ['docker container rm *', ['docker rm x', 'docker container remove x'], ['docker rmi x', 'docker run --rm x']],
    ['docker rmi *', ['docker image rm x', 'docker image remove x'], ['docker rm x']],
    [
      'docker compose down *',
      ['docker-compose down', 'docker compose -f x down -v', 'docker-compose --profile a down'],
      ['docker compose up', 'docker compose logs down'],
    ],
    ['docker-compose down *', ['docker compose down'], ['docker-compose up']],
    [
      'kubectl delete pod *',
      [
        'kubectl delete po a',
        'kubectl delete pods a b',
        'kubectl delete pod/a',
        'kubectl -n x delete pods/a',
        'kubectl delete -n x Pod a',
        'kubectl delete po,svc a',
        'kubectl delete svc,po --all',
        'kubectl delete svc/a pods/b',
        'kubectl delete pods.v1 a --now',
        'kubectl --context=c delete pod a',
      ],
      ['kubectl delete svc pod', 'kubectl get pod a', 'kubectl delete svc/pod'],
    ],
    [
      'kubectl delete *',
      ['kubectl -n x delete pod a', 'kubectl --namespace=x delete po/a'],
      ['kubectl -n delete get pods'],
    ],
    [
      'kubectl get secrets *',
      ['kubectl get secret a -o yaml', 'kubectl get pods,secret', 'kubectl get secret/a'],
      ['kubectl get po'],
    ],
    [
      'sed -i *',
      [
        'sed --in-place s/a/b/ f',
        'sed -i.bak s/a/b/ f',
        'sed -Ei s/a/b/ f',
        'sed -nEi.o p f',
        'sed s/a/b/ f -i',
        'gsed -i p f',
      ],
      ['sed -n p f', 'sed -e i f'],
    ],
    [
      'curl -o *',
      ['curl -sSLo x u', 'curl u --output x', 'curl -ox u', 'curl --output=x u', 'curl --outp x u'],
      ['curl -O u', 'curl -H -o u'],
    ],
    [
      'curl -d *',
      ['curl --data-raw x u', 'curl --json x u', 'curl -sdx u', 'curl --data-binary @x u'],
      ['curl u', 'curl -G u'],
    ],
    ['tar -x *', ['tar xf a', 'tar zxvf a', 'tar --extract -f a', 'gtar -xf a'], ['tar tf a', 'tar cf x a']],
    ['tar xf *', ['tar -x -f a', 'tar -xzf a'], ['tar tf a']],
    ['cargo publish *', ['cargo +nightly publish', 'cargo -q publish'], ['cargo build', 'cargo test publish']],
    ['make deploy *', ['make X=1 deploy', 'make test deploy', 'gmake -j4 deploy', 'make -C x deploy'], ['make test']],
    [
      'terraform apply -auto-approve *',
      ['terraform apply --auto-approve', 'terraform -chdir=x apply x -auto-approve'],
      ['terraform apply'],
    ],
    ['helm uninstall *', ['helm delete x', 'helm -n a del x'], ['helm list']],
    ['apt install *', ['apt-get -y install x', 'sudo apt-get install x'], ['apt list']],
    [
      'chmod 777 *',
      ['chmod -R 777 x', 'chmod -v 777 x', 'chmod 0777 x', 'chmod a+rwx x', 'chmod =rwx x'],
      ['chmod 755 777', 'chmod 755 x', 'chmod 1777 x', 'chmod u+rwx x'],
    ],
    ['chmod -R 777 *', ['chmod 777 -R x', 'chmod --recursive 777 x'], ['chmod 777 x']],
    ['git push * --force', ['git push -f origin main', 'git push origin -f'], ['git push origin main']],
    ['mount -a *', ['mount --all', 'mount -va', 'mount --al -v'], ['mount /x', 'mount -r /x']],
    ['mount --options rw *', ['mount -o rw /x', 'mount -orw /x', 'mount --options=rw /x'], ['mount -o ro /x']],
    ['pkill --full *', ['pkill -f x', 'pkill -xf x', 'pkill -f -n x'], ['pkill x', 'pkill -n x']],
    ['strip -s *', ['strip --strip-all x', 'x86_64-linux-gnu-strip -s x'], ['strip -x y']],
    ['objcopy --strip-debug *', ['objcopy -g a b'], ['objcopy a b']],
    // Of a program without a description the names are known, and nothing else.
    ['userdel -r *', ['userdel --remove x', 'sudo userdel -fr x'], ['userdel x']],
    ['usermod --append --groups sudo *', ['usermod -aG sudo x', 'usermod -a -G sudo x'], ['usermod -a -G adm x']],
    ['sysctl --write *', ['sysctl -w x=1', 'sysctl -qw x=1'], ['sysctl -a']],
    ['swapoff -a *', ['swapoff --all'], ['swapoff /x']],
    ['git gc --quiet *', ['git gc -q'], ['git gc']],
    // Options may stand between the words of a subcommand.
    [
      'docker rmi *',
      ['docker image -f rm x', 'docker image rm -f x', 'podman image --force rm x'],
      ['docker image ls'],
    ],
    [
      'git remote remove *',
      ['git remote -v remove x', 'git remote --verbose rm x', 'git -C a remote -v rm x'],
      ['git remote -v'],
    ],
    // Without a wildcard it is that act and no other.
    ['rm -rf build', ['rm -fr build', 'rm build -r --force'], ['rm -fr build dist', 'rm -rfv build', 'rm -rf dist']],
    [
      'git push -f origin main',
      ['git push origin main --force', 'git -C x push origin -f main'],
      ['git push -f origin next'],
    ],
  ])('%s', (rule, denied, open) => {
    expect(denied.filter((command) => outcome(rule, command) !== 'denied')).toEqual([]);
    expect(open.filter((command) => outcome(rule, command) !== 'open')).toEqual([]);
  });

  it.each([
    // No description has all options, so that one may be short for another.
    ['git add --refresh *', 'git add --refr'],
    ['git push --force *', 'git push origin "$X"'],
    ['git push --force *', 'git push $X origin'],
    ['git push --force *', 'git $X --force'],
    ['rm -rf *', 'rm -r "$X" a'],
    ['rm -rf *', 'rm $X'],
    ['git push -f origin *', 'git push -f "$X"'],
    // It is not known whether the option takes the word.
    ['docker run *', 'docker --zz x run y'],
    ['gcloud compute *', 'gcloud --zz x compute y'],
    ['kubectl delete pod *', 'kubectl delete --zz x pod a'],
    ['python -c *', 'python3 -c x'],
    ['python *', 'pypy3 x.py'],
    // A program that nobody described may start what stands behind it.
    ['rm -rf *', 'mystarter --opt rm -r x -f'],
    ['git push --force *', "mystarter 'git push origin -f'"],
    ['docker run *', 'mystarter podman run x'],
    ['python3 *', 'python3.12 x.py'],
  ])('%s asks about what may be it: %s', (rule, command) => expect(outcome(rule, command)).toBe('asked'));

  it.each([
    ['git push --force *', 'git push origin "feature/$X"'],
    ['git commit --no-verify *', 'git commit -m "$X"'],
    ['rm -rf *', 'rm "src/$X"'],
    ['git push --force *', 'git log $X'],
    ['git push --force *', 'mystarter git push origin'],
  ])('%s does not ask about what is not: %s', (rule, command) => expect(outcome(rule, command)).toBe('open'));

  it('says nothing of rules that allow: those stay as literal as they are', () => {
    const allows = (rule: string, command: string) =>
      readCommand(command, PLACE).programs.every((run) => allowsRun(parseCommandPattern(rule), run));
    for (const command of ['rm -fr x', 'rm -r -f x', 'rm x -rf']) expect(allows('rm -rf *', command)).toBe(false);
    expect(allows('git push --force *', 'git push origin main --force')).toBe(false);
    expect(allows('npm install *', 'npm i x')).toBe(false);
  });
});

/** Options without a value that have several names, by main name. */
function flagsOf({ options, mainNames, longNames, equal = {} }: ProgramTable): (readonly string[])[] {
  const byMain = new Map<string, string[]>();
  // One that stands for several is there with each of them.
  for (const [name, main] of mainNames)
    if (options.get(name) === 'flag' && !Object.hasOwn(equal, main))
      byMain.set(main, [...(byMain.get(main) ?? []), name]);
  // The first signs of a long one that no other begins with.
  const shorter = (name: string) =>
    [4, 6, 8]
      .map((end) => name.slice(0, end))
      .filter((start) => longNames.filter((long) => long.startsWith(start)).length === 1);
  return [...byMain.values()]
    .filter((names) => names.length > 1)
    .map((names) => [...names, ...names.filter((name) => name.startsWith('--')).flatMap(shorter)]);
}

const KNOWN = [...PROGRAMS].flatMap(([name, described]): [string, (readonly string[])[]][] => {
  const table = withAllNames(name, described) ?? described;
  const { subcommands } = table;
  // Options that the name says, as `gunzip` says `-d`, are there without being written.
  if (usualWords(name)?.some((word) => word.startsWith('-')) === true) return [];
  if (subcommands?.tableOf !== undefined)
    return ['push', 'commit', 'clean', 'branch', 'rebase', 'fetch', 'tag'].map((verb) => [
      `${name} ${verb}`,
      flagsOf(subcommands.tableOf?.(verb) as ProgramTable),
    ]);
  // Where options must stand in front there is no other order.
  return table.isStrict === true || table.isSingleDash === true ? [] : [[name, flagsOf(table)]];
});

describe('of every known program with synonyms', () => {
  const programs = KNOWN.filter(([, flags]) => flags.length >= 2);

  it('there are many', () => expect(programs.length).toBeGreaterThan(20));

  it('any order, bundling and spelling of the flags is denied, and none without one of them', () => {
    const run = fc
      .tuple(fc.constantFrom(...programs), fc.infiniteStream(fc.nat(1_000_000)))
      .map(([[program, flags], numbers]) => {
        const next = (): number => numbers.next().value as number;
        const pick = <T>(list: readonly T[]): T => list[next() % list.length] as T;
        const first = next() % flags.length;
        const second = (first + 1 + (next() % (flags.length - 1))) % flags.length;
        const wanted = [flags[first], flags[second]] as [readonly string[], readonly string[]];
        const spell = (groups: readonly (readonly string[])[]): string[] => {
          const names = groups.map((names) => pick(names));
          if (next() % 2 === 0) names.reverse();
          const letters = names.filter((name) => name.length === 2);
          const others = names.filter((name) => name.length !== 2);
          return next() % 2 === 0 && letters.length === 2
            ? [`-${letters.map((name) => name[1]).join('')}`]
            : [...others, ...letters];
        };
        const place = (words: readonly string[]): string => {
          const operands = ['/y1', '/y2'];
          for (const word of words) operands.splice(next() % (operands.length + 1), 0, word);
          return `${program} ${operands.join(' ')}`;
        };
        return {
          rule: `${program} ${spell(wanted).join(' ')} *`,
          denied: place(spell(wanted)),
          open: place(spell([wanted[next() % 2] as readonly string[]])),
        };
      });
    fc.assert(
      fc.property(run, ({ rule, denied, open }) => {
        expect(`${rule}: ${denied}: ${outcome(rule, denied)}`).toBe(`${rule}: ${denied}: denied`);
        expect(`${rule}: ${open}: ${outcome(rule, open)}`).not.toBe(`${rule}: ${open}: denied`);
      }),
      { seed: 42, numRuns: 1_500 },
    );
  });
});

/** A program with a subcommand, if it has those; what stands in front of that; its options with all their names. */
interface Named {
  readonly program: string;
  readonly subcommand: readonly string[];
  readonly front: readonly string[];
  readonly table: ProgramTable;
  readonly groups: readonly (readonly string[])[];
}

const TAKES_NEXT: ReadonlySet<string> = new Set(['value', 'read', 'list', 'write', 'remove', 'acts']);
const GIT_VERBS =
  'push commit clean branch rebase fetch tag checkout reset stash merge pull restore switch rm mv'.split(' ');

function groupsOf({ options, mainNames }: ProgramTable): (readonly string[])[] {
  const byMain = new Map<string, string[]>();
  for (const [name, main] of mainNames)
    if (/^--?[a-zA-Z]/.test(name) && (options.get(name) === 'flag' || TAKES_NEXT.has(options.get(name) ?? '')))
      byMain.set(main, [...(byMain.get(main) ?? []), name]);
  return [...byMain.values()];
}

function namedOf([program, described]: readonly [string, ProgramTable]): readonly Named[] {
  const table = withAllNames(program, described) ?? described;
  const { subcommands } = table;
  if (subcommands === undefined) return [{ program, subcommand: [], front: [], table, groups: groupsOf(table) }];
  const globals = subcommands.globals ?? table;
  const front = groupsOf(globals).flatMap((names) =>
    names.map((name) =>
      globals.options.get(name) === 'flag' ? name : name.startsWith('--') ? `${name}=v` : `${name} v`,
    ),
  );
  const mains = program === 'git' ? GIT_VERBS : [...new Set(Object.values(subcommands.aliases))];
  return mains.map((main) => {
    const own = withAllNames(`${program} ${main}`, subcommands.tableOf?.(main) ?? table, program !== 'git') ?? table;
    const others = Object.keys(subcommands.aliases).filter((name) => subcommands.aliases[name] === main);
    return { program, subcommand: [main, ...others], front, table: own, groups: groupsOf(own) };
  });
}

/** Each program, and each of its subcommands, with all names of its options. */
function* allNamed(): Generator<readonly [program: string, table: ProgramTable]> {
  for (const name of new Set([...PROGRAMS.keys(), ...OPTION_NAMES.keys()])) {
    const described = PROGRAMS.get(name);
    const table = name.includes(' ') ? undefined : withAllNames(name, described);
    if (table === undefined || usualWords(name)?.some((word) => word.startsWith('-')) === true) continue;
    yield [name, table];
    if (name !== 'git') continue;
    const verbs = [...OPTION_NAMES.keys()].filter((key) => key.startsWith('git ')).map((key) => key.slice(4));
    for (const verb of new Set([...GIT_VERBS, ...verbs])) {
      const own = withAllNames(`git ${verb}`, table.subcommands?.tableOf?.(verb));
      if (own !== undefined) yield [`git ${verb}`, own];
    }
  }
}

/** Ways to write an option with its value, bundled with a letter of another one if that is possible. */
function spellings({ options, isSingleDash }: ProgramTable, name: string, letter: string | undefined): string[] {
  const takes = TAKES_NEXT.has(options.get(name) ?? '');
  if (name.length > 2 || isSingleDash === true)
    return takes && name.startsWith('--') ? [`${name}=v`, `${name} v`] : [takes ? `${name} v` : name];
  if (takes) return [`${name} v`, `${name}v`];
  return letter === undefined || letter === name ? [name] : [name, `${letter}${name[1]}`];
}

describe('of all names of options', () => {
  it('each denies the others: short and long, bundled and apart', () => {
    const open: string[] = [];
    let pairs = 0;
    for (const [program, table] of allNamed()) {
      const groups = groupsOf(table).filter((names) => names.length > 1);
      const letter = [...table.options].find(([name, effect]) => effect === 'flag' && /^-[a-zA-Z]$/.test(name))?.[0];
      for (const names of groups)
        for (const name of names)
          for (const other of names) {
            if (name === other) continue;
            pairs++;
            const [written = ''] = spellings(table, name, undefined);
            for (const said of spellings(table, other, letter))
              if (outcome(`${program} ${written} *`, `command ${program} ${said} x`) !== 'denied')
                open.push(`${program} ${written} *: ${said}`);
          }
    }
    expect(open).toEqual([]);
    expect(pairs).toBeGreaterThan(3_000);
  });
});

describe('of every program with a description', () => {
  // Those whose options end at the first operand start something: what that is, is a program of its own.
  const named = [...PROGRAMS]
    .flatMap(namedOf)
    .filter(({ table, groups }) => table.isStrict !== true && groups.length > 0);

  it('there are hundreds', () => expect(new Set(named.map(({ program }) => program)).size).toBeGreaterThan(200));

  it('each way to write what a rule denies is denied or asked about', () => {
    const lines = fc.tuple(fc.constantFrom(...named), fc.infiniteStream(fc.nat(1_000_000))).map(([what, numbers]) => {
      const next = (): number => numbers.next().value as number;
      const pick = <T>(list: readonly T[]): T => list[next() % list.length] as T;
      const { program, subcommand, front, table, groups } = what;
      const wanted = new Set(Array.from({ length: 1 + (next() % 2) }, () => pick(groups)));
      const isLong = (name: string) => name.startsWith('--') && table.isSingleDash !== true;
      const spell = (names: readonly string[], isRule: boolean): string => {
        const name = pick(names);
        if (table.options.get(name) === 'flag') {
          const shorter = table.longNames.filter((long) => long.startsWith(name.slice(0, -1)));
          return !isRule && isLong(name) && name.length > 5 && shorter.length === 1 && next() % 3 === 0
            ? name.slice(0, -1)
            : name;
        }
        if (isLong(name)) return pick([`${name} v1`, `${name}=v1`]);
        return !isRule && name.length === 2 && table.isSingleDash !== true
          ? pick([`${name} v1`, `${name}v1`])
          : `${name} v1`;
      };
      const verb = (isRule: boolean): string =>
        subcommand.length === 0 ? '' : isRule ? (subcommand[0] ?? '') : pick(subcommand);
      const rule = [program, verb(true), ...[...wanted].map((names) => spell(names, true)), '*'].filter(
        (word) => word !== '',
      );
      const words = [...wanted].map((names) => spell(names, false));
      if (next() % 2 === 0) words.reverse();
      const operands = ['/y1', '/y2'];
      for (const word of words) operands.splice(next() % (operands.length + 1), 0, word);
      const before = subcommand.length > 0 && front.length > 0 && next() % 2 === 0 ? pick(front) : '';
      const wrapper = pick(['', '', 'command ', 'sudo ', 'env ', 'nice ', '/usr/bin/']);
      const line = [program, before, verb(false), ...operands].filter((word) => word !== '');
      return { rule: rule.join(' '), command: `${wrapper}${line.join(' ')}` };
    });
    fc.assert(
      fc.property(lines, ({ rule, command }) => {
        expect(`${rule}: ${command}: ${outcome(rule, command)}`).not.toBe(`${rule}: ${command}: open`);
      }),
      { seed: 42, numRuns: 4_000 },
    );
  });
});
