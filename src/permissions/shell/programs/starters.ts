// Programs that start others: wrappers, other users and machines. Options not listed make a run unknown.
import { literalWord } from '../syntax/shell-word.js';
import { needSpelled, type Task } from '../task.js';
import { useFile, useHere } from './operands.js';
import type { Programs, ProgramTable } from './program-table.js';
import { readByTable, readOptions } from './read-by-table.js';
import { scanOptions } from './scan-options.js';

export const STARTERS: Programs = {
  // The documented wrappers: an allow rule for what they start is enough.
  timeout: {
    options: {
      value: '-k,--kill-after -s,--signal',
      flag: '-f,--foreground -p,--preserve-status -v,--verbose',
      tells: '--help --version',
    },
    operands: 'command',
    before: 1,
    isStrict: true,
    isWrapper: true,
  },
  nice: {
    options: {
      value: '-n,--adjustment',
      flag: '-0 -1 -2 -3 -4 -5 -6 -7 -8 -9',
      tells: '--help --version',
    },
    operands: 'command',
    isStrict: true,
    isWrapper: true,
  },
  nohup: { options: { tells: '--help --version' }, operands: 'command', isStrict: true, isWrapper: true },
  stdbuf: {
    options: { value: '-i,--input -o,--output -e,--error', tells: '--help --version' },
    operands: 'command',
    isStrict: true,
    isWrapper: true,
  },
  time: {
    options: {
      value: '-f,--format',
      write: '-o,--output',
      flag: '-a,--append -p,--portability -v,--verbose -q,--quiet',
    },
    operands: 'command',
    isStrict: true,
    isWrapper: true,
  },
  // Tells what the machine is; on macOS it also starts a program for another one.
  arch: {
    options: {
      value: '-arch -d',
      acts: '-e',
      flag: '-x86_64 -x86_64h -arm64 -arm64e -i386 -32 -64 -c',
      tells: '--help --version',
    },
    operands: 'command',
    isSingleDash: true,
    isStrict: true,
    isWrapper: true,
    readOnly: 'listed',
  },
  'chronic ifne trickle torify proxychains4 winpty retry timelimit choom xcrun wine gtime': {
    operands: 'command',
    isStrict: true,
  },
  heaptrack: {
    options: { write: '-o,--output' },
    operands: 'command',
    isStrict: true,
    read: (task, table) => {
      // Named after the program and its number.
      useHere(task, 'write', 'itself');
      readByTable(task, table);
    },
  },
  'gosu su-exec setuidgid setlock envdir': { operands: 'command', before: 1, isStrict: true },
  'cross-env cross-env-shell': { operands: 'command', isStrict: true, takesAssignments: true },
  'sudo sudoedit': {
    options: {
      value:
        '-u,--user -g,--group -h,--host -p,--prompt -C,--close-from -T,--command-timeout -U,--other-user -r,--role -t,--type',
      folder: '-D,--chdir -R,--chroot',
      flag:
        '-A,--askpass -b,--background -B,--bell -E,--preserve-env -H,--set-home -k,--reset-timestamp -n,--non-interactive ' +
        '-P,--preserve-groups -S,--stdin -N,--no-update',
      risk: '-e,--edit -i,--login -s,--shell',
      tells: '-l,--list -V,--version --help -K,--remove-timestamp -v,--validate',
    },
    operands: 'command',
    isStrict: true,
    takesAssignments: true,
  },
  doas: {
    options: { value: '-u -a', acts: '-C', flag: '-L -n', risk: '-s' },
    operands: 'command',
    isStrict: true,
    startsShell: true,
  },
  'setsid setpgid': { options: { flag: '-c,--ctty -f,--fork -w,--wait' }, operands: 'command', isStrict: true },
  ionice: {
    options: { value: '-c,--class -n,--classdata -p,--pid -P,--pgid -u,--uid', flag: '-t,--ignore' },
    operands: 'command',
    isStrict: true,
  },
  chrt: {
    options: {
      value: '-T,--sched-runtime -P,--sched-period -D,--sched-deadline -p,--pid',
      flag: '-a,--all-tasks -b,--batch -d,--deadline -f,--fifo -i,--idle -m,--max -o,--other -r,--rr -R,--reset-on-fork -v',
    },
    operands: 'command',
    before: 1,
    isStrict: true,
  },
  taskset: {
    options: { flag: '-a,--all-tasks -c,--cpu-list', value: '-p,--pid' },
    operands: 'command',
    before: 1,
    isStrict: true,
  },
  numactl: {
    options: {
      value: '-i -N -m -C -p --interleave --cpunodebind --membind --physcpubind --preferred',
      flag: '-l,--localalloc -a,--all',
    },
    operands: 'command',
    isStrict: true,
  },
  // A letter of one is not that of the other: what takes the next word here is the program that it starts there.
  strace: {
    options: {
      value: '-a -b -e -E -I -O -p -P -s -S -u -U -X --trace --attach --string-limit --user --columns',
      write: '-o,--output',
      flag: '-A -c -C -d -D -f -F -ff -h -i -k -n -N -q -r -t -T -v -V -w -x -y -z -Z --follow-forks --summary --summary-only',
    },
    operands: 'command',
    isStrict: true,
  },
  ltrace: {
    options: {
      value: '-a -A -D -e -l -n -p -s -u -w -x',
      acts: '-F --config',
      write: '-o,--output',
      flag: '-b -c -C -f -h -i -L -r -S -t -T -V',
    },
    operands: 'command',
    isStrict: true,
  },
  unshare: {
    options: {
      value: '-S,--setuid -G,--setgid --map-user --map-group --propagation --setgroups --map-users --map-groups',
      folder: '-w,--wd -R,--root',
      attached: '-m,--mount -u,--uts -i,--ipc -n,--net -p,--pid -U,--user -C,--cgroup -T,--time --kill-child',
      flag: '-r,--map-root-user -c,--map-current-user -f,--fork --keep-caps --map-auto',
    },
    operands: 'command',
    isStrict: true,
    startsShell: true,
  },
  nsenter: {
    options: {
      value: '-S,--setuid -G,--setgid -t,--target',
      // Without a value in the same word they are those of the process.
      attached: '-r,--root -w,--wd -m,--mount -u,--uts -i,--ipc -n,--net -p,--pid -U,--user -C,--cgroup -T,--time',
      flag: '-F,--no-fork -a,--all -Z,--follow-context --preserve-credentials',
    },
    operands: 'command',
    isStrict: true,
    startsShell: true,
  },
  chroot: {
    options: { value: '--groups --userspec', flag: '--skip-chdir' },
    operands: 'command',
    before: 1,
    beforeAccess: 'read',
    isStrict: true,
    startsShell: true,
  },
  setpriv: { options: { risk: '-d,--dump' }, operands: 'command', isStrict: true },
  runcon: {
    options: { value: '-r,--role -t,--type -u,--user -l,--range', flag: '-c,--compute' },
    operands: 'command',
    before: 1,
    isStrict: true,
  },
  pkexec: {
    options: { value: '--user', flag: '--disable-internal-agent --keep-cwd' },
    operands: 'command',
    isStrict: true,
    startsShell: true,
  },
  systemd_run: { operands: 'command', isStrict: true },
  'systemd-run': {
    options: {
      value: '-H,--host -M,--machine -u,--unit -p,--property --description --slice --uid --gid --nice -E,--setenv',
      flag: '--scope --user --system -r,--remain-after-exit -t,--pty -P,--pipe -q,--quiet -G,--collect --wait --no-block',
      folder: '--working-directory',
    },
    operands: 'command',
    isStrict: true,
  },
  flock: {
    options: {
      value: '-w,--timeout,--wait -E,--conflict-exit-code',
      shell: '-c,--command',
      flag: '-e,-x,--exclusive -s,--shared -n,--nb,--nonblock -o,--close -F,--no-fork -u,--unlock --verbose',
    },
    operands: 'command',
    before: 1,
    beforeAccess: 'write',
    isStrict: true,
  },
  script: {
    options: {
      value: '-E,--echo -m,--logging-format -o,--output-limit',
      shell: '-c,--command',
      write: '-B,--log-io -I,--log-in -O,--log-out -T,--log-timing',
      // These have their file in the same word, or none.
      risk: '-t --timing',
      flag: '-a,--append -e,--return -f --flush --force -q,--quiet',
    },
    operands: 'write',
    startsShell: true,
    read: readRecorder,
  },
  hwatch: {
    options: {
      value: '-n,--interval -d,--differences -o,--output',
      write: '-l,--logfile',
      acts: '-s,--shell -A,--aftercommand',
    },
    operands: 'line',
    isStrict: true,
  },
  'watch viddy': {
    options: {
      value: '-n,--interval -q,--equexit -s,--shotsdir',
      flag: '-b,--beep -c,--color -C,--no-color -d,--differences -e,--errexit -g,--chgexit -p,--precise -r,--no-rerun -t,--no-title -w,--no-wrap -x,--exec',
    },
    operands: 'line',
    isStrict: true,
  },
  entr: { options: { flag: '-a -c -d -n -p -r -z -x', risk: '-s' }, operands: 'command', isStrict: true },
  'catchsegv linux32 linux64 i386 x86_64 fakeroot eatmydata unbuffer dbus-run-session torsocks tsocks faketime ccache distcc caffeinate prlimit cpulimit firejail bwrap proot daemonize setarch rlwrap tini dumb-init dbus-launch ssh-agent gpg-agent':
    { operands: 'command', isStrict: true },
  proxychains: { options: { flag: '-q', read: '-f' }, operands: 'command', isStrict: true },
  'xvfb-run': {
    options: {
      value: '-n,--server-num -s,--server-args -p -w,--wait',
      write: '-e,--error-file -f,--auth-file',
      flag: '-a,--auto-servernum -l',
    },
    operands: 'command',
    isStrict: true,
  },
  valgrind: { options: { write: '--log-file --xml-file' }, operands: 'command', isStrict: true },
  // Keys and each line that is shown may start something.
  fzf: {
    options: {
      acts: '--bind --preview --with-shell --listen --listen-unsafe --tmux',
      write: '--history',
      read: '--walker-root',
      value:
        '-q,--query -f,--filter -d,--delimiter -n,--nth --with-nth --accept-nth --height --min-height --layout --border --prompt --header ' +
        '--pointer --marker --color --preview-window --tiebreak --history-size --expect --scheme --walker --walker-skip',
      flag: '-m,--multi -e,--exact -i -x,--extended -1,--select-1 -0,--exit-0 -s,--sort --reverse --ansi --cycle --read0 --print0 --print-query --sync --no-sort',
      tells: '--version -h,--help',
    },
    operands: 'none',
    here: 'read',
    deep: 'always',
  },
  'gdb lldb': {
    options: {
      acts: '-ex -x --command --eval-command -iex -ix --init-command --init-eval-command -s -o -O -S',
      risk: '--args',
      tells: '-v,--version -h,--help',
    },
    operands: 'read',
    mayStart: true,
    // Whatever stands in its input is a command of its own.
    alwaysActs: true,
    // It asks `iconv` for the names that it knows.
    runsAlways: new Set(['gdb']),
  },
  hyperfine: {
    options: {
      value: '-w -r -m -M --warmup --runs --min-runs --max-runs',
      acts: '-p -c -s -S -n --prepare --cleanup --setup --shell',
    },
    isStrict: true,
    read: readLines,
  },
  'tmux screen at batch atq_ crontab': { options: { read: '-f', tells: '-l -V' }, operands: 'none', alwaysActs: true },
  'nix-shell': { options: { shell: '--run --command', value: '-p -I', code: '-E' }, operands: 'read' },
  // Runners of environments, as documented: a rule for them covers what they run.
  npx: {
    options: {
      value: '-p,--package -w,--workspace',
      shell: '-c,--call',
      flag: '-y,--yes --no -q,--quiet --no-install --workspaces -ws',
    },
    operands: 'command',
    isStrict: true,
    isRunner: true,
  },
  'bunx pnpx': {
    options: { value: '-p,--package', flag: '--bun --silent --verbose' },
    operands: 'command',
    isStrict: true,
    isRunner: true,
  },
  uvx: {
    options: {
      value: '--from --with -p,--python --index',
      flag: '-q,--quiet -v --isolated --no-cache',
      folder: '--directory',
    },
    operands: 'command',
    isStrict: true,
    isRunner: true,
  },
  // They give what stands in a file of variables to what they start, or to the project.
  'foreman honcho forego goreman hivemind overmind': {
    options: {
      read: '-e,--env -f,--procfile',
      folder: '-d,--root',
      value: '-m,--formation -c,--concurrency -p,--port',
    },
    operands: 'paths',
    here: 'runs',
    own: '.env Procfile',
    mayStart: true,
  },
  'dotenv dotenvx env-cmd': {
    options: { read: '-e,--environments -f,--file,--env-file' },
    operands: 'none',
    own: '.env .env.local .env.keys .env-cmdrc .env-cmdrc.json',
    mayStart: true,
  },
  'flask quart': {
    options: { read: '-e,--env-file', value: '-A,--app' },
    operands: 'paths',
    here: 'runs',
    own: '.../.env .../.flaskenv',
    mayStart: true,
  },
  act: {
    options: {
      read: '--env-file --secret-file --var-file --input-file -e,--eventpath -W,--workflows',
      folder: '-C,--directory',
      value: '-j,--job -P,--platform -s,--secret --env --var --input --matrix --container-options',
    },
    operands: 'none',
    here: 'runs',
    own: '.env .secrets .vars .input',
    mayStart: true,
  },
  'dbmate diesel sqlx sea-orm-cli': {
    options: { read: '-e,--env-file --config-file' },
    operands: 'paths',
    here: 'runs',
    own: '.../.env',
    mayStart: true,
  },
  // Other machines.
  'ssh slogin mosh': {
    options: {
      value: '-B -b -c -D -e -J -L -l -m -O -p -Q -R -S -W -w',
      uses: '-i',
      acts: '-o -F -E -I',
      flag: '-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -v -X -x -Y -y',
      tells: '-V',
    },
    operands: 'line',
    before: 1,
    isStrict: true,
    isElsewhere: true,
    isRunner: true,
  },
};

/** Without a name for it what is recorded is called `typescript`. */
function readRecorder(task: Task, table: ProgramTable): void {
  const { operands, options } = readByTable(task, table);
  const isNamed = options.some(({ main }) => /^--log-(?:io|in|out)$/.test(main));
  if (operands.length === 0 && !isNamed) useFile(task, literalWord('typescript'), 'write');
}

/** Each operand is a line for a shell. */
function readLines(task: Task, table: ProgramTable): void {
  const scanned = scanOptions(task.words, table, 1, Number.POSITIVE_INFINITY);
  readOptions(task, table, scanned);
  for (const { word, at } of scanned.operands) {
    needSpelled(task, at);
    task.startLine(word.value, at);
  }
}
