// A program of the Qoder Agent SDK; only the import names another package. The offline model answers, a planner by fixed rules.
// Exits with 1 if something is not as it is there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { qodercliAuth, query } from 'turnwright/qoder';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'notes.txt'), 'one\ntwo\nthree\n');

const options = {
  auth: qodercliAuth(),
  cwd: folder,
  env: { ...process.env, QODER_CONFIG_DIR: join(folder, 'home') },
  model: 'offline',
  tools: ['Read', 'Glob', 'Grep'],
};

let result;
for await (const message of query({ prompt: 'count the lines in notes.txt', options })) {
  if (message.type === 'result') result = message;
}
console.log(result.result);

const abortController = new AbortController();
const kinds = [];
for await (const message of query({
  prompt: 'count the lines in notes.txt',
  options: { ...options, abortController },
})) {
  kinds.push(message.type);
  abortController.abort();
}
console.log(`aborted after: ${kinds.join(', ')}`);

const isRight = result.subtype === 'success' && /\b(3|three)\b/i.test(result.result) && !kinds.includes('result');
if (!isRight) console.error('Expected an answer that says 3 lines, and an abort that ends without a word.');
process.exitCode = isRight ? 0 : 1;
