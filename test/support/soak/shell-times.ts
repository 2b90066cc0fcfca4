// What it costs to read a command of a given length and to hold twenty rules against it: time of the processor, garbage
// collection and all, because a machine that does other things too takes its time from any of them.
import { readFileSync } from 'node:fs';
import {
  allowsRun,
  mayRestrictRun,
  parseCommandPattern,
  restrictsRun,
} from '../../../src/permissions/command-pattern.js';
import { readCommand } from '../../../src/permissions/shell/read-command.js';
import { createRandom } from './random.js';

const RULES = [
  ...[
    'npm:*',
    'npm run *',
    'git *',
    'git push * --force*',
    'rm -rf:*',
    '* --version',
    'docker exec *',
    'curl http://x*',
  ],
  ...[
    'make test',
    'cargo:*',
    'go test:*',
    'python3:*',
    'sudo *',
    'kubectl get *',
    'ls*',
    'cat:*',
    'a * b * c',
    'npx:*',
  ],
].map((rule) => parseCommandPattern(rule));
const CORPUS = new URL('../../permissions/shell/corpus/benign.json', import.meta.url);
const RUNS = 500;

/** Commands of everyday, put together up to the length. */
export function timeReading(length: number, seed: number): { readonly p50Ms: number; readonly p99Ms: number } {
  const random = createRandom(seed);
  const groups = JSON.parse(readFileSync(CORPUS, 'utf8')) as { commands: string[] }[];
  const commands = groups.flatMap((group) => group.commands).filter((command) => !command.includes('#'));
  const times: number[] = [];
  for (let run = 0; run < RUNS + 100; run++) {
    let text = '';
    while (text.length < length) text += `${random.pick(commands)}\n`;
    const start = process.cpuUsage();
    for (const program of readCommand(text, { cwd: '/w', home: '/home/u' }).programs) {
      for (const rule of RULES) {
        allowsRun(rule, program);
        restrictsRun(rule, program);
        mayRestrictRun(rule, program);
      }
    }
    // The first ones are slow until the code is compiled.
    const { user, system } = process.cpuUsage(start);
    if (run >= 100) times.push((user + system) / 1_000);
  }
  times.sort((a, b) => a - b);
  return { p50Ms: times[Math.floor(RUNS * 0.5)] ?? 0, p99Ms: times[Math.floor(RUNS * 0.99)] ?? 0 };
}
