// A model on this machine: no key, no bill. By default a stand-in for Ollama answers, so that the example runs anywhere;
// with a server of your own: OLLAMA_BASE_URL=http://127.0.0.1:11434/v1 node index.mjs qwen3
// Exits with 1 if the answer is none, or costs something.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { startMockProvider, text } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const own = process.env.OLLAMA_BASE_URL;
const standIn = own === undefined ? await startMockProvider({ api: 'openai-chat', steps: [text('Four.')] }) : null;
const session = query({
  prompt: 'What is two and two?',
  options: {
    cwd: folder,
    env: { TURNWRIGHT_HOME: join(folder, 'home'), OLLAMA_BASE_URL: own ?? `${standIn.url}/v1` },
    model: `ollama/${process.argv[2] ?? 'llama3.2'}`,
    // Such a server may take its time until the first word.
    limits: { requestTimeoutMs: 1_800_000 },
  },
});

let result;
let source;
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'init') source = message.apiKeySource;
  if (message.type === 'result') result = message;
}
console.log(`${result.subtype}: ${result.result} ($${result.total_cost_usd})`);
const key = standIn?.requests[0]?.headers.authorization;
await standIn?.close();

const isRight = result.subtype === 'success' && result.total_cost_usd === 0 && source === 'none' && key === undefined;
if (!isRight) console.error('Expected an answer that costs nothing and needs no key.');
process.exitCode = isRight ? 0 : 1;
