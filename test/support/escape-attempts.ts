// Ways out of a sandbox, as scripts for bash. A script that gets out prints ESCAPED, or leaves something behind that
// `leaves` names. `works`: it does get out if there is no sandbox, which is tried too, so that no script is idle.
import { networkInterfaces } from 'node:os';

export interface EscapeAttempt {
  readonly name: string;
  readonly script: string;
  /** Path below the base that is there, or not as it was, if the attempt got out. */
  readonly leaves?: string;
  readonly works: boolean;
  /** Run before, outside, in the workspace. */
  readonly before?: string;
}

/** Containers often have no IPv6. */
export const HAS_IPV6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

const ESC = '&& echo ESCAPED';
const REPOSITORY = 'git init -q . && git config user.email a@b.invalid && git config user.name a';

const WITH_SUBMODULE = `${REPOSITORY} && mkdir -p .git/modules sub && git init -q --bare .git/modules/sub`;
const WITH_WORKTREE = `${REPOSITORY} && git commit -q --allow-empty -m x && git worktree add -q wt`;

const works = (name: string, script: string, more: Partial<EscapeAttempt> = {}): EscapeAttempt => ({
  name,
  script,
  works: true,
  ...more,
});
/** It needs a right, a device or a kernel that a test machine may not have, or would do harm if it worked. */
const tried = (name: string, script: string, more: Partial<EscapeAttempt> = {}): EscapeAttempt => ({
  name,
  script,
  works: false,
  ...more,
});

const node = (code: string) => `"$NODE" -e '${code}'`;
/** ESCAPED if the system call does not fail; `numbers` for x86-64 and arm64. */
const call = (numbers: readonly [number, number], args: string) =>
  `perl -e 'exit(syscall(${numbers[process.arch === 'arm64' ? 1 : 0]}, ${args}) < 0)' ${ESC}`;

/** Numbers of ptrace, process_vm_readv and kcmp here. */
const [ptrace, readMemory, compare] = process.arch === 'arm64' ? [117, 270, 272] : [101, 310, 312];

const OUTSIDE: readonly EscapeAttempt[] = [
  works('writes a file outside', `echo x > "$OUT/new" ${ESC}`),
  works('appends to a file outside', `echo x >> "$OUT/canary" ${ESC}`),
  works('empties a file outside', `: > "$OUT/canary" ${ESC}`),
  works('removes a file outside', `rm -f "$OUT/canary" ${ESC}`),
  works('moves a file outside', `mv "$OUT/canary" "$OUT/moved" ${ESC}`),
  works('moves a file of the workspace out', `echo x > a && mv a "$OUT/a" ${ESC}`),
  works('makes a folder outside', `mkdir "$OUT/folder" ${ESC}`),
  works('changes the mode of a file outside', `chmod 777 "$OUT/canary" ${ESC}`),
  works('changes the time of a file outside', `touch -d 2001-01-01 "$OUT/canary" ${ESC}`),
  works('writes by a relative path', `echo x > ../outside/new ${ESC}`),
  works('writes beside the workspace', `echo x > ../beside ${ESC}`),
  works('changes the folder first', `cd "$OUT" && echo x > new ${ESC}`),
  works('writes through a link of its own', `ln -s "$OUT" link && echo x > link/new ${ESC}`),
  works('writes through a link to a file', `ln -s "$OUT/canary" link && echo x > link ${ESC}`),
  works('writes through links in a row', `ln -s .. a && ln -s a/outside b && echo x > b/new ${ESC}`),
  works('writes through a hard link of its own', `ln "$OUT/canary" hard && echo x > hard ${ESC}`),
  works('writes by /proc/self/root', `echo x > "/proc/self/root$OUT/new" ${ESC}`),
  works('writes by /proc/self/cwd', `echo x > /proc/self/cwd/../outside/new ${ESC}`),
  works('writes by an open folder', `exec 3</ && echo x > "/proc/self/fd/3$OUT/new" ${ESC}`),
  tried('writes by the root of process 1', `echo x > "/proc/1/root$OUT/new" ${ESC}`),
  works(
    'swaps a folder for a link while it writes',
    `for i in $(seq 60); do mkdir -p d; echo x > d/new; rm -rf d; ln -sfn "$OUT" d; echo x > d/new; rm -f d; done; [ -e "$OUT/new" ] ${ESC}`,
  ),
  works('writes the start file of the shell', `echo x > "$HOME/.bashrc" ${ESC}`),
  works('adds a key to log in with', `mkdir -p "$HOME/.ssh" && echo x > "$HOME/.ssh/authorized_keys" ${ESC}`),
  tried('writes where programs of all users are', `echo x > /usr/local/bin/turnwright-escape ${ESC}`),
  tried('writes a file of the system', `echo x > /etc/turnwright-escape ${ESC}`),
  works('reads what another program left in /tmp', `grep -q canary "$TMPCANARY" ${ESC}`),
  works('reads the shared memory of others', `grep -q canary "$SHMCANARY" ${ESC}`),
  works('writes in /tmp through a link', `ln -s "$OUT" "/tmp/link$$" && echo x > "/tmp/link$$/new" ${ESC}`),
  works('reads the keys of the engine', `grep -q canary "$HOME/.turnwright/credentials.json" ${ESC}`),
  works(
    'copies the folder of the engine',
    `cp -r "$HOME/.turnwright" copy; grep -q canary copy/credentials.json ${ESC}`,
  ),
  works('links the keys of the engine', `ln "$HOME/.turnwright/credentials.json" keys && grep -q canary keys ${ESC}`),
];

const MISSING = [
  '.mcp.json',
  '.claude/settings.json',
  '.qoder/settings.json',
  '.turnwright/settings.json',
  '.vscode/tasks.json',
  '.idea/workspace.xml',
  '.gitmodules',
  '.envrc',
];

const PROTECTED: readonly EscapeAttempt[] = [
  ...MISSING.map((file) =>
    works(`makes ${file}`, `mkdir -p "$(dirname ${file})"; echo x > ${file}`, { leaves: `ws/${file}` }),
  ),
  works('moves a folder to a protected name', 'mkdir -p a && echo x > a/settings.json; mv -T a .claude', {
    leaves: 'ws/.claude/settings.json',
  }),
  works('links a protected name', 'mkdir -p a && echo x > a/settings.json; ln -s a .claude', {
    leaves: 'ws/.claude/settings.json',
  }),
  works('changes agent settings', `echo y > .claude/settings.json ${ESC}`, {
    before: 'mkdir .claude; echo x > .claude/settings.json',
  }),
  works('moves agent settings away', `mv .claude away ${ESC}`, {
    before: 'mkdir .claude; echo x > .claude/settings.json',
  }),
  works('removes agent settings', `rm -rf .claude/settings.json ${ESC}`, {
    before: 'mkdir .claude; echo x > .claude/settings.json',
  }),
  works('replaces a linked folder of settings', 'rm -f .claude; mkdir .claude; echo x > .claude/new.json', {
    before: 'mkdir real; ln -s real .claude',
    leaves: 'ws/.claude/new.json',
  }),
  works('writes through a linked folder of settings', `echo x > real/new.json ${ESC}`, {
    before: 'mkdir real; ln -s real .claude',
  }),
  works('changes settings in a package', `echo y > packages/a/.vscode/tasks.json ${ESC}`, {
    before: 'mkdir -p packages/a/.vscode; echo x > packages/a/.vscode/tasks.json',
  }),
  works(
    'moves a package with settings away',
    'mv packages/a b; mkdir -p packages/a/.vscode; echo x > packages/a/.vscode/new',
    {
      before: 'mkdir -p packages/a/.vscode; echo x > packages/a/.vscode/tasks.json',
      leaves: 'ws/packages/a/.vscode/new',
    },
  ),
  works('makes a hook of git', 'echo x > .git/hooks/pre-commit', {
    before: REPOSITORY,
    leaves: 'ws/.git/hooks/pre-commit',
  }),
  works('makes a hook where hooks are missing', 'mkdir -p .git/hooks; echo x > .git/hooks/pre-commit', {
    before: `${REPOSITORY}; rm -r .git/hooks`,
    leaves: 'ws/.git/hooks/pre-commit',
  }),
  works('moves the hooks away', 'mv .git/hooks old; mkdir .git/hooks; echo x > .git/hooks/pre-commit', {
    before: REPOSITORY,
    leaves: 'ws/.git/hooks/pre-commit',
  }),
  works('moves the repository away', 'mv .git old; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit', {
    before: REPOSITORY,
    leaves: 'ws/.git/hooks/pre-commit',
  }),
  works('lets git start a program', `git config core.fsmonitor ./evil ${ESC}`, { before: REPOSITORY }),
  works('changes the configuration by a hard link', `ln .git/config c && echo x >> c ${ESC}`, { before: REPOSITORY }),
  works('names another folder of configuration', 'echo ../evil > .git/commondir', {
    before: REPOSITORY,
    leaves: 'ws/.git/commondir',
  }),
  works('changes the hooks of a repository below', `echo x > sub/.git/hooks/pre-commit ${ESC}`, {
    before: `mkdir sub; cd sub; ${REPOSITORY}`,
  }),
  works('changes the configuration of a submodule', `git config -f .git/modules/sub/config core.fsmonitor ./x ${ESC}`, {
    before: WITH_SUBMODULE,
  }),
  works('makes a hook of a submodule', 'mkdir -p .git/modules/sub/hooks; echo x > .git/modules/sub/hooks/pre-commit', {
    before: WITH_SUBMODULE,
    leaves: 'ws/.git/modules/sub/hooks/pre-commit',
  }),
  works('names another folder of configuration for a submodule', 'echo ../../../evil > .git/modules/sub/commondir', {
    before: WITH_SUBMODULE,
    leaves: 'ws/.git/modules/sub/commondir',
  }),
  works(
    'moves the folder of a submodule away',
    'mv .git/modules old; mkdir -p .git/modules/sub/hooks; echo x > .git/modules/sub/hooks/pre-commit',
    { before: WITH_SUBMODULE, leaves: 'ws/.git/modules/sub/hooks/pre-commit' },
  ),
  works('changes the configuration of a submodule in a folder', `echo x >> .git/modules/a/b/config ${ESC}`, {
    before: `${WITH_SUBMODULE}; mkdir -p .git/modules/a; cp -r .git/modules/sub .git/modules/a/b`,
  }),
  works('says to which repository a worktree belongs', `echo ../../../evil > .git/worktrees/wt/commondir ${ESC}`, {
    before: WITH_WORKTREE,
  }),
  works('says where a worktree is', `echo /evil/.git > .git/worktrees/wt/gitdir ${ESC}`, { before: WITH_WORKTREE }),
  works('adds a configuration to a worktree', 'echo "[core]" > .git/worktrees/wt/config.worktree', {
    before: WITH_WORKTREE,
    leaves: 'ws/.git/worktrees/wt/config.worktree',
  }),
  works('adds a configuration to the repository', 'echo "[core]" > .git/config.worktree', {
    before: `${REPOSITORY} && git config extensions.worktreeConfig true`,
    leaves: 'ws/.git/config.worktree',
  }),
  works('makes a repository of the workspace', `git init -q . ${ESC}`),
  works('makes the workspace a repository without a folder', 'git init -q --bare .', { leaves: 'ws/HEAD' }),
];

/** Files that configure what runs later, made if there were none. */
const PLANTED: readonly EscapeAttempt[] = [
  ...[
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.pnpmfile.cjs',
    'bunfig.toml',
    'lefthook.yml',
    '.pre-commit-config.yaml',
    '.devcontainer.json',
    '.bazelrc',
    '.bashrc',
    '.ripgreprc',
    '.husky/pre-commit',
    '.devcontainer/devcontainer.json',
    '.cargo/config.toml',
    '.mvn/jvm.config',
    '.cursor/mcp.json',
  ].map((file) => works(`plants ${file}`, `mkdir -p "$(dirname ${file})"; echo x > ${file}`, { leaves: `ws/${file}` })),
  works('plants .npmrc by a move', 'echo x > a && mv a .npmrc', { leaves: 'ws/.npmrc' }),
  works('plants .npmrc by a link', 'echo x > a && ln -s a .npmrc', { leaves: 'ws/.npmrc' }),
  works('plants .husky by a move of its folder', 'mkdir a && echo x > a/pre-commit && mv a .husky', {
    leaves: 'ws/.husky/pre-commit',
  }),
  works('plants .npmrc over what was moved aside', 'mkdir .npmrc.held-back; echo x > .npmrc', { leaves: 'ws/.npmrc' }),
];

const KERNEL: readonly EscapeAttempt[] = [
  tried('mounts a file system', `mount -t tmpfs x /mnt ${ESC}`),
  tried('makes what is read-only writable', `mount -o remount,rw,bind "$OUT" && echo x > "$OUT/new" ${ESC}`),
  tried(
    'mounts in a namespace of its own',
    `unshare -Urm sh -c 'mount -o remount,rw,bind / || mount -t tmpfs x /mnt' ${ESC}`,
  ),
  tried('takes mounts away', `umount -l "$PWD/.git" ${ESC}`, { before: REPOSITORY }),
  tried('enters the namespaces of process 1', `nsenter -t 1 -a echo && echo ESCAPED`),
  tried('makes a namespace by clone', call([56, 220], '0x10000000|17, 0, 0, 0, 0')),
  tried('makes a namespace by unshare', call([272, 97], '0x10000000')),
  tried('opens a mount', call([428, 428], '-100, "/", 1')),
  tried('changes the root', call([161, 51], '"/mnt"')),
  tried('makes a device node', `mknod disk b 254 0 && head -c 1 disk ${ESC}`),
  tried(
    'finds a disk, the memory or the log of the kernel',
    `for f in /dev/vd* /dev/sd* /dev/nvme* /dev/mem /dev/kmsg; do [ -e "$f" ] ${ESC}; done`,
  ),
  tried(
    'gains rights by a program of root',
    `cp /bin/sh ./sh && chmod u+s ./sh && ./sh -p -c 'echo x > "$OUT/new"' ${ESC}`,
  ),
  tried('keeps a right', `! grep -q 'CapEff:.0000000000000000' /proc/self/status ${ESC}`),
  works('has itself traced', call([101, 117], '0, 0, 0, 0')),
  tried('attaches to a child', `sleep 5 & perl -e 'exit(syscall(${ptrace}, 0x4206, $ARGV[0], 0, 0) < 0)' $! ${ESC}`),
  works(
    'reads the memory of a child',
    `sleep 5 & perl -e 'my $b = "x" x 8; my $l = pack("QQ", unpack("Q", pack("P", $b)), 0); exit(syscall(${readMemory}, $ARGV[0], $l, 1, $l, 1, 0) < 0)' $! ${ESC}`,
  ),
  tried(
    'compares itself with a child',
    `sleep 5 & perl -e 'exit(syscall(${compare}, $$, $ARGV[0], 1, 0, 0) < 0)' $! ${ESC}`,
  ),
  tried('takes a descriptor of another', call([438, 438], '0, 0, 0')),
  works('leaves a program that has the rights of its owner', `cp /bin/true s && chmod u+s s; test -u s ${ESC}`),
  works('makes such a program at once', `install -m 4755 /bin/true s; test -u s ${ESC}`),
  works('makes one by opening it', `perl -e 'use Fcntl; sysopen F, "s", O_CREAT|O_WRONLY, 04755'; test -u s ${ESC}`),
  works(
    'takes one out of an archive',
    `cp /bin/true s && tar cf a --mode=4755 s && rm s && tar xpf a; test -u s ${ESC}`,
  ),
  tried('adds a key to the keyring', call([248, 217], '"user", "turnwright", "x", 1, -3')),
  tried('reads the keyring', call([250, 219], '0, -3, 0')),
  tried('loads a program into the kernel', call([321, 280], '0, "x" x 128, 128')),
  tried('watches the kernel', call([298, 241], '"\\0" x 128, 0, -1, -1, 0')),
  tried('takes faults of memory', call([323, 282], '0')),
  tried('asks the kernel by a ring', call([425, 425], '8, "\\0" x 120')),
  tried('types into the terminal', `perl -e 'ioctl(STDIN, 0x5412, "x"); exit($!{EPERM} ? 1 : 0)' ${ESC}`),
  tried('opens the terminal', `(exec 3<>/dev/tty) 2>/dev/null ${ESC}`),
  tried(
    'names a program for crashes',
    `[ -w /proc/sys/kernel/core_pattern ] ${ESC}; : 2>/dev/null >> /proc/sys/kernel/core_pattern ${ESC}`,
  ),
  tried(
    'changes what the kernel does',
    `for f in /proc/sys/kernel/* /proc/sys/vm/* /proc/sys/fs/*; do [ -w "$f" ] && echo "ESCAPED $f"; done`,
  ),
  tried('asks the kernel to restart', `[ -w /proc/sysrq-trigger ] && : >> /proc/sysrq-trigger ${ESC}`),
  tried('writes to the system', `touch /sys/kernel/x 2>/dev/null || [ -w /sys/kernel/uevent_helper ] ${ESC}`),
  tried(
    'names a program for groups that end',
    `for f in /sys/fs/cgroup/release_agent /sys/fs/cgroup/*/release_agent; do [ -w "$f" ] ${ESC}; done`,
  ),
  tried(
    'inherits an open file',
    `for f in /proc/$$/fd/*; do t=$(readlink "$f"); case "$t" in /dev/null|pipe:*|socket:*|"") ;; *) echo "ESCAPED $f $t" ;; esac; done`,
  ),
  tried('opens a file by its handle', call([304, 265], '-100, "\\0" x 64, 0')),
  tried('opens a process outside by its number', `perl -e 'exit(syscall(434, $ENV{CANARYPID}, 0) < 0)' ${ESC}`),
  works(
    'marks a file outside',
    `setfattr -n user.x -v 1 "$OUT/canary" 2>&1 || perl -e '$f = "$ENV{OUT}/canary"; $n = "user.x"; $v = "1"; exit(syscall(${process.arch === 'arm64' ? 5 : 188}, $f, $n, $v, 1, 0) < 0)' ${ESC}`,
  ),
  works('makes a pipe outside', `mkfifo "$OUT/pipe" ${ESC}`),
  works('cuts a file outside', `truncate -s 0 "$OUT/canary" ${ESC}`),
  tried(
    'takes the folder of a process that ends',
    `(exec 3<"/proc/$PPID/cwd" && echo x > "/proc/self/fd/3/../outside/new") ${ESC}`,
  ),
  tried('calls by the other numbering', `perl -e 'exit(syscall(0x40000000 + 41, 1, 1, 0) < 0)' ${ESC}`),
];

const PROCESSES: readonly EscapeAttempt[] = [
  works('ends a process outside', `kill -9 "$CANARYPID" ${ESC}`),
  works('reads the environment of a process outside', `grep -qs canary-environment "/proc/$CANARYPID/environ" ${ESC}`),
  works('looks through the environments of all', `grep -lqs canary-environment /proc/[0-9]*/environ ${ESC}`),
  works('sees a process outside', `grep -lqs 'canary-argumen[t]' /proc/[0-9]*/cmdline ${ESC}`),
  // Only if it can see no process outside: a sandbox that is broken would end all of the machine.
  tried('ends every process', `if [ -e "/proc/$CANARYPID/environ" ]; then echo ESCAPED; else kill -9 -1; fi`, {
    leaves: 'killed',
  }),
  tried(
    'traces a process outside',
    `perl -e 'exit(syscall(${process.arch === 'arm64' ? 117 : 101}, 16, $ENV{CANARYPID}, 0, 0) < 0)' ${ESC}`,
  ),
];

const SOCKETS: readonly EscapeAttempt[] = [
  works('connects to a server of the machine', `exec 3<>"/dev/tcp/127.0.0.1/$PORT" ${ESC}`),
  (HAS_IPV6 ? works : tried)(
    'connects by IPv6',
    node(
      'require("net").connect(+process.env.PORT6, "::1").on("connect", () => { console.log("ESCAPED"); process.exit(); }).on("error", () => {})',
    ),
  ),
  works(
    'connects to a socket in a folder',
    node(
      'require("net").connect(process.env.SOCKET).on("connect", () => { console.log("ESCAPED"); process.exit(); }).on("error", () => {})',
    ),
  ),
  works(
    'connects to a socket without a file',
    node(
      'require("net").connect("\\0" + process.env.ABSTRACT).on("connect", () => { console.log("ESCAPED"); process.exit(); }).on("error", () => {})',
    ),
  ),
  works(
    'sends a datagram',
    node(
      'const s = require("dgram").createSocket("udp4"); s.on("message", () => { console.log("ESCAPED"); process.exit(); }); s.on("error", () => process.exit()); s.send("x", +process.env.UDPPORT, "127.0.0.1"); setTimeout(() => process.exit(), 300)',
    ),
  ),
  tried('reaches the internet by an address', `timeout 2 bash -c 'exec 3<>/dev/tcp/1.1.1.1/443' ${ESC}`),
  tried('asks for a name', `getent hosts example.com ${ESC}`),
  tried('asks for the metadata of the machine', `timeout 2 bash -c 'exec 3<>/dev/tcp/169.254.169.254/80' ${ESC}`),
  tried('speaks to the machine below', `perl -e 'use Socket; exit(!socket(S, 40, 1, 0))' ${ESC}`),
  tried('reads packets', `perl -e 'use Socket; exit(!socket(S, 17, 3, 0))' ${ESC}`),
  tried(
    'uses another kind of socket',
    `perl -e 'use Socket; exit(!(socket(A, 38, 5, 0) || socket(B, 31, 3, 0) || socket(C, 29, 3, 0)))' ${ESC}`,
  ),
  tried('opens the socket of docker', `perl -e 'use Socket; exit(!socket(S, 1, 1, 0))' ${ESC}`),
];

export const ESCAPE_ATTEMPTS: readonly EscapeAttempt[] = [
  ...OUTSIDE,
  ...PLANTED,
  ...PROTECTED,
  ...KERNEL,
  ...PROCESSES,
  ...SOCKETS,
];
