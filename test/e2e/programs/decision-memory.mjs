// Decides about one line over and over, and prints how many bytes of objects a decision makes for each program of the line.
// Usage: node decision-memory.mjs <index.js> <bytes that are enough>
import { resolve } from 'node:path';
import { getHeapSpaceStatistics } from 'node:v8';

const [, , entry, enough] = process.argv;
const { decidePermission, explainCommand, parseRule } = await import(entry);

/** The parts and the rules of `bench/deciding.mjs`. */
const LINE = [
  'git log --oneline -n 20 | grep fix',
  'npm run build && npm run test -- --watch=false',
  "sed -n '1,20p' src/index.ts > out.txt",
  'for file in src/*.ts; do wc -l "$file"; done',
  'find . -name "*.ts" -exec grep -l TODO {} +',
  'if [ -f package.json ]; then node -e "console.log(1)"; fi',
  'echo "$HOME" $(basename "$(pwd)") `whoami`',
  'cat <<EOF\nsome $(date) text\nEOF\n',
]
  .join('; ')
  .repeat(3);
const parse = (rules) => rules.map((rule) => parseRule(rule));
const context = {
  mode: 'default',
  allow: parse(['Bash(npm run *)', 'Bash(git *)', 'Bash(cat *)', 'Read(//etc/**)', 'Edit(/src/**)']),
  deny: parse(['Bash(rm *)', 'Bash(git push *)', 'Read(.env)', 'Read(/secrets/**)', 'Bash(* --force)']),
  ask: parse(['Bash(npm publish *)']),
  roots: ['/w'],
  home: '/home/u',
};

/** Returns how many programs there are in the line. */
async function decide() {
  const reading = await explainCommand(LINE, { cwd: '/w', home: '/home/u' });
  const files = reading.files.map(({ path, base, access, by, program }) => {
    const target = path === null || base === null ? null : resolve(base, path);
    return { path: target, realPath: target, access, by, program };
  });
  const subject = { kind: 'command', command: LINE, reading, files };
  decidePermission(context, { toolName: 'Bash', readOnly: false, subject });
  return reading.programs.length;
}

function youngBytes() {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_used_size;
}

/** Of a hundred decisions the one in the middle, because a collection is a part of some. */
async function bytesOfOne() {
  const taken = [];
  for (let times = 0; times < 100; times++) {
    const before = youngBytes();
    await decide();
    taken.push(youngBytes() - before);
  }
  return taken.sort((a, b) => a - b)[50];
}

/** V8 compiles meanwhile, and what it has compiled makes fewer objects. On a busy machine that takes longer. */
const MAX_ROUNDS = 60;
const programs = await decide();
let each = Number.POSITIVE_INFINITY;
for (let round = 0; round < MAX_ROUNDS && each > Number(enough); round++) each = (await bytesOfOne()) / programs;
console.log(Math.round(each));
