// Commands that do not want to end, or leave something behind: each runs as a call of Bash, and what it did to the machine and
// to this process is measured.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bashTool } from '../../src/tools/bash.js';
import { findProcesses } from './process-scan.js';
import { createToolContext } from './tool-context.js';

export interface HostileCommand {
  readonly command: string;
  /** `soon`: its foreground ends by itself; `never`: only its timeout ends it. */
  readonly ends: 'soon' | 'never';
  /** Too long for a short run. */
  readonly isLong?: boolean;
}

const soon = (command: string): HostileCommand => ({ command, ends: 'soon' });
const never = (command: string): HostileCommand => ({ command, ends: 'never' });

export const HOSTILE: readonly HostileCommand[] = [
  // Sixty-three processes, no more.
  never('bomb() { if [ $1 -gt 0 ]; then bomb $(($1 - 1)) & bomb $(($1 - 1)) & fi; sleep 60; }; bomb 5'),
  soon('setsid sleep 60 & echo ok'),
  soon('nohup sleep 60 > /dev/null 2>&1 & echo ok'),
  never("trap '' TERM INT HUP; while :; do sleep 0.05; done"),
  never('setsid -w bash -c "trap \'\' TERM; while :; do sleep 0.05; done"'),
  { command: "head -c 1073741824 /dev/zero | tr '\\0' x", ends: 'soon', isLong: true },
  never('yes'),
  never('exec >&- 2>&-; sleep 60'),
  soon('exec 1>&-; sleep 0.1'),
  soon('cat'),
  soon('read x; echo "$?"'),
  soon('echo hi > /dev/tty'),
  soon('read x < /dev/tty'),
  soon('sleep 60 & disown; echo ok'),
  soon('(sleep 60 | cat) & echo ok'),
  never('kill -STOP $$'),
  soon('yes >&2 & sleep 0.2; echo ok'),
  never('mkfifo p; cat p'),
  soon('tail -f /dev/null & echo ok'),
  never('trap "setsid -f sleep 60" TERM; while :; do sleep 0.05; done'),
  soon('coproc sleep 60; echo ok'),
  soon('(sleep 60 & sleep 60 & sleep 60 &) ; kill -9 $$'),
  soon('bash -c \'setsid -f bash -c "setsid -f sleep 60; sleep 60"; exit 0\''),
  never('script -qc "sleep 60" /dev/null'),
  never('while :; do :; done'),
];

/** Until what never ends is stopped. */
const HOSTILE_TIMEOUT_MS = 600;

export interface HostileResult extends HostileCommand {
  /** From the end of its foreground, or from its timeout, to that of the call, milliseconds. */
  readonly lateMs: number;
  readonly survivors: number;
  /** Most memory of this process beside that of before, bytes. */
  readonly memory: number;
}

export async function runHostile(hostile: HostileCommand): Promise<HostileResult> {
  const word = `hostile-${randomUUID()}`;
  const plain = createToolContext();
  const marker = path.join(plain.cwd, `${word}.end`);
  const context = { ...plain, childEnv: { ...plain.childEnv, HOSTILE: word } };
  const before = process.memoryUsage.rss();
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  const started = Date.now();
  const ended = await bashTool
    .run(
      {
        command: hostile.ends === 'soon' ? `${hostile.command}\ndate +%s%3N > '${marker}'` : hostile.command,
        timeout: hostile.ends === 'soon' ? 60_000 : HOSTILE_TIMEOUT_MS,
      },
      context,
    )
    .then(() => Date.now())
    .finally(() => clearInterval(looking));
  const foreground = existsSync(marker) ? Number(readFileSync(marker, 'utf8')) : started;
  await delay(50);
  return {
    ...hostile,
    lateMs: ended - (hostile.ends === 'soon' ? foreground : started + HOSTILE_TIMEOUT_MS),
    survivors: findProcesses(word).length,
    memory: most - before,
  };
}
