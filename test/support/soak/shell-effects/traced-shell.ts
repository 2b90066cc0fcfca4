// Runs lines of a shell, one after the other, as an unprivileged user in a namespace of their own, traced by strace. Its
// rule: nothing outlives its line, and nothing but the fixture can be written.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { confinement } from './confinement.js';
import type { Fixture } from './fixture.js';

export interface TracedShell {
  /** Lines of the trace from the start of the line to its end; null if it had to be stopped. */
  run(line: string): Promise<readonly string[] | null>;
  /** Settles once nothing that it started runs any more. */
  close(): Promise<void>;
}

/** Port of the server on loopback. */
const PORT = 8080;
/** Where the process of each line is first: its folder is known from here on. */
const BEGIN = '/tw-begin';
const END = '/tw-end';
/** How long nothing may happen. */
const STALL_MS = 6_000;
/** How long a line may go on that does something all the time. */
const MAX_LINE_MS = 20_000;
/** Lines that share a namespace. */
const MAX_LINES = 2_000;

const CALLS = (
  'open,openat,openat2,creat,mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,' +
  'mknod,mknodat,chmod,fchmod,fchmodat,chown,lchown,fchown,fchownat,utime,utimes,utimensat,futimesat,truncate,setxattr,' +
  'lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr,chdir,fchdir,execve,execveat,clone,clone3,fork,vfork,getdents64,ioctl,connect,sendto'
).split(',');

/** Reads lines that end with NUL. What a line left running has ended before the next, with what it made meanwhile. */
const DRIVER = `ulimit -t 10 -f 8192 -u 400 2>/dev/null
KEEP=" 1 2 $$ $PPID $SERVER "
while IFS= read -r -d '' LINE; do
  cd ${BEGIN}
  ( cd "$WORK" && unset WORK SERVER OLDPWD && exec bash --norc --noprofile -c "$LINE" ) </dev/null >/tmp/output 2>&1
  LEFT=x
  while [ "$LEFT" ]; do
    LEFT=
    for P in /proc/[1-9]*; do
      P=\${P#/proc/}
      case $KEEP in *" $P "*) ;; *) kill -9 $P && LEFT=x ;; esac
    done
  done
  cd ${END}
done 2>/dev/null
`;

const SERVER = `require('http').createServer((q, s) => {
  s.setHeader('content-disposition', 'attachment; filename="served.txt"');
  if (q.url.startsWith('/moved')) { s.writeHead(302, { location: '/file.txt' }); s.end(); return; }
  s.end('served ' + q.url + '\\n');
}).listen(${PORT}, '127.0.0.1');`;

/** Null if lines can be run, else why not, in a few words. */
export function whyNotTraced(): string | null {
  if (process.platform !== 'linux') return `this is ${process.platform}`;
  const trial = ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  for (const [program, args] of [
    ['bwrap', [...trial, 'true']],
    ['bwrap', [...trial, 'strace', '-f', '--seccomp-bpf', '-o', '/dev/null', 'true']],
  ] as const) {
    try {
      execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    } catch (error) {
      const { code, stderr } = error as { code?: unknown; stderr?: unknown };
      return code === 'ENOENT'
        ? `${program} is not installed`
        : `${args.at(-2)} cannot run here: ${String(stderr).trim()}`;
    }
  }
  return null;
}

/** @param control an empty folder for what runs the lines, not below the fixture */
export function openTracedShell(fixture: Fixture, control: string): TracedShell {
  mkdirSync(control, { recursive: true });
  writeFileSync(path.join(control, 'driver.sh'), DRIVER);
  writeFileSync(path.join(control, 'server.cjs'), SERVER);
  let running: Running | null = null;
  let count = 0;
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = null;
  };
  return {
    async run(line) {
      // What lines leave in the private `/tmp` is not put back.
      if (++count % MAX_LINES === 0) await stop();
      running ??= await start(fixture, control);
      const lines = await running.run(line);
      // It is still at it: before anything is put back, it must be gone.
      if (lines === null) await stop();
      return lines;
    },
    close: async () => {
      await stop();
      rmSync(control, { recursive: true, force: true });
    },
  };
}

interface Running {
  run(line: string): Promise<readonly string[] | null>;
  /** Settles once no process of it is left. */
  stop(): Promise<void>;
}

async function start(fixture: Fixture, control: string): Promise<Running> {
  const fifo = path.join(control, 'trace');
  rmSync(fifo, { force: true });
  execFileSync('mkfifo', [fifo]);
  // Open for writing too, so that it does not end before strace opens it.
  const fd = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  const trace = new net.Socket({ fd, readable: true, writable: false });
  const args = [
    ...['--info-fd', '3'],
    ...confinement(fixture, [control], { WORK: fixture.workspace }),
    ...tracing(control),
  ];
  const child = spawn('bwrap', args, { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
  child.stdin?.on('error', () => undefined); // it may have been stopped before it has read the line
  trace.setEncoding('utf8');
  const running = follow(child, trace, await firstProcess(child));
  // The first line waits until the server listens.
  await running.run(`for i in {1..200}; do (: < /dev/tcp/127.0.0.1/${PORT}) 2>/dev/null && break; sleep 0.05; done`);
  return running;
}

/** The number of the first process of the namespace, as bubblewrap tells it; null if it ended before. */
async function firstProcess(child: ChildProcess): Promise<number | null> {
  let text = '';
  for await (const chunk of child.stdio[3] as Readable) text += String(chunk);
  return text === '' ? null : Number((JSON.parse(text) as { 'child-pid': unknown })['child-pid']);
}

function sendKill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false; // there is none any more
  }
}

/** With its first process the system ends all of a namespace, and bubblewrap ends once that is done. */
async function endNamespace(child: ChildProcess, first: number | null): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // It may end by itself just now.
  if (first === null || !sendKill(first)) child.kill('SIGKILL');
  await ended;
}

function follow(child: ChildProcess, trace: net.Socket, first: number | null): Running {
  let lines: string[] = [];
  let rest = '';
  let settle: ((lines: readonly string[] | null) => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  let limit: NodeJS.Timeout | undefined;
  const finish = (found: readonly string[] | null): void => {
    clearTimeout(timer);
    clearTimeout(limit);
    settle?.(found);
    settle = null;
  };
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => finish(null), STALL_MS);
  };
  trace.on('data', (chunk: string) => {
    watch();
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      if (line.includes(`chdir("${END}"`)) {
        // The shell tries twice.
        if (lines.length > 0) finish(lines);
        lines = [];
      } else if (line.includes(`chdir("${BEGIN}"`)) lines = [line];
      else lines.push(line);
    }
  });
  child.on('exit', () => finish(null));
  return {
    run: (line) =>
      new Promise((resolve) => {
        settle = resolve;
        if (child.exitCode !== null || child.signalCode !== null) {
          finish(null);
          return;
        }
        watch();
        limit = setTimeout(() => finish(null), MAX_LINE_MS);
        child.stdin?.write(`${line.replaceAll('\0', '')}\0`);
      }),
    stop: async () => {
      clearTimeout(timer);
      clearTimeout(limit);
      await endNamespace(child, first);
      trace.destroy();
    },
  };
}

/** What is run in the namespaces: the server, and strace with the shell that reads the lines. */
function tracing(control: string): string[] {
  return [
    ...['/bin/sh', '-c', `node ${control}/server.cjs & export SERVER=$!; exec strace "$@"`, 'sh'],
    ...[
      '-f',
      '--seccomp-bpf',
      '-y',
      '-s',
      '400',
      '-e',
      `trace=${CALLS.join(',')}`,
      '-e',
      'signal=pipe,term,kill,xcpu,xfsz',
    ],
    ...['-o', `${control}/trace`, 'bash', '--norc', '--noprofile', `${control}/driver.sh`],
  ];
}
