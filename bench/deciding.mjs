// What a decision about a command costs: reading the line and holding it against rules, as the gate does with every call.
// Beside it, the time to look at each character once.

import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { percentile } from './figures.mjs';

const RULES = {
  allow: ['Bash(npm run *)', 'Bash(git *)', 'Bash(cat *)', 'Read(//etc/**)', 'Edit(/src/**)'],
  deny: ['Bash(rm *)', 'Bash(git push *)', 'Read(.env)', 'Read(/secrets/**)', 'Bash(* --force)'],
  ask: ['Bash(npm publish *)'],
};
const PIECES = [
  'git log --oneline -n 20 | grep fix',
  'npm run build && npm run test -- --watch=false',
  "sed -n '1,20p' src/index.ts > out.txt",
  'for file in src/*.ts; do wc -l "$file"; done',
  'find . -name "*.ts" -exec grep -l TODO {} +',
  'cat <<EOF\nsome $(date) text\nEOF',
  'if [ -f package.json ]; then node -e "console.log(1)"; fi',
  'echo "$HOME" $(basename "$(pwd)") `whoami`',
];
/** Decisions of each length. Of the first thousand in a process many take longer, while V8 compiles what decides. */
const RUNS = { short: 10_000, long: 1_500 };

/** @returns the figures of both lengths: CPU time, which a busy machine does not add to */
export async function measureDeciding(bench) {
  const { decidePermission, explainCommand, parseRule } = await import(
    pathToFileURL(join(bench.dist, 'index.js')).href
  );
  const parse = (rules) => rules.map((rule) => parseRule(rule));
  const rules = { allow: parse(RULES.allow), deny: parse(RULES.deny), ask: parse(RULES.ask) };
  const context = { mode: 'default', ...rules, roots: ['/w'], home: '/home/u' };
  const decide = async (command) => {
    const reading = await explainCommand(command, { cwd: '/w', home: '/home/u' });
    if (reading.programs.length === 0) throw new Error(`nothing was read of ${command}`);
    // As the engine has them: absolute.
    const files = reading.files.map(({ access, by, program, path, base }) => {
      const located = path === null || base === null ? null : resolve(base, path);
      return { path: located, realPath: located, access, by, program };
    });
    decidePermission(context, {
      toolName: 'Bash',
      readOnly: false,
      subject: { kind: 'command', command, reading, files },
    });
  };
  return [
    await measure('a decision about 1 kB, CPU p99', { length: 1_000, runs: RUNS.short, bar: 1 }, decide),
    await measure('a decision about 10 kB, CPU p99', { length: 9_900, runs: RUNS.long, bar: 20 }, decide),
  ];
}

async function measure(name, { length, runs, bar }, decide) {
  const commands = Array.from({ length: runs }, (_, at) => commandOf(length, at));
  // The first ones are compiled, not measured.
  for (const command of commands.slice(0, 400)) await decide(command);
  const ours = [];
  for (const command of commands) {
    const from = cpuMs();
    await decide(command);
    ours.push(cpuMs() - from);
  }
  const bare = commands.map((command) => {
    const from = cpuMs();
    let sum = 0;
    for (let at = 0; at < command.length; at++) sum += command.charCodeAt(at);
    return cpuMs() - from + (sum < 0 ? 1 : 0);
  });
  return { measure: name, unit: 'ms', ours: percentile(ours, 0.99), bare: percentile(bare, 0.99), bar: { value: bar } };
}

/** Of all threads, and so with the collector and the compiler. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** A line of typical parts, each time others. */
function commandOf(length, seed) {
  let text = '';
  for (let at = seed; text.length < length; at += 1 + (at % 3)) {
    const piece = PIECES[at % PIECES.length];
    if (text.length + piece.length > length && text !== '') break;
    text += `${text === '' || text.endsWith('\n') ? '' : '; '}${piece}`;
    if (piece.startsWith('cat <<')) text += '\n';
  }
  return text;
}
