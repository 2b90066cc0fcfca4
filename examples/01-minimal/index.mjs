// The smallest program: one prompt about one file, its answer printed and checked. Without a key it names the offline
// model, a planner by fixed rules. Exits with 1 if the answer is wrong.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'notes.txt'), 'one\ntwo\nthree\n');

// The key of another provider does as well; then there is nothing to name.
const model = process.env.ANTHROPIC_API_KEY ? {} : { model: 'offline' };

const session = query({
  prompt: 'count the lines in notes.txt',
  // Three tools that only read, so nobody has to be asked.
  options: { ...model, cwd: folder, tools: ['Read', 'Glob', 'Grep'], maxTurns: 10, persistSession: false },
});

let result;
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'init') console.log(`model: ${message.model}`);
  if (message.type === 'result') result = message;
}
console.log(result.result);

const isRight = result.subtype === 'success' && /\b(3|three)\b/i.test(result.result);
if (!isRight) console.error('Expected a successful answer that says 3 lines.');
process.exitCode = isRight ? 0 : 1;
