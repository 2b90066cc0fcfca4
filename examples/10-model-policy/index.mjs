// Which model answers: a chain of fallbacks over two providers, a callback for each request, a model object of the AI SDK.
// All models are on this machine. Exits with 1 if another model was asked than expected.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { startMockProvider, text } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

// The first provider is overloaded for ever, the second answers whatever it is asked.
const busy = await startMockProvider({ steps: () => ({ status: 529 }) });
const chat = await startMockProvider({ api: 'openai-chat', steps: () => text('From the second.') });

const common = {
  cwd: folder,
  env: { TURNWRIGHT_HOME: join(folder, 'home') },
  limits: { maxRetries: 1, retryBaseMs: 1 },
  providers: {
    here: { api: 'anthropic', baseUrl: busy.url, apiKey: 'key-of-here' },
    there: { api: 'openai-chat', baseUrl: `${chat.url}/v1`, apiKey: 'key-of-there' },
  },
};

/** Asks once; gives the answer, and each change of the model. */
async function ask(options) {
  const changes = [];
  let answer = '';
  for await (const message of query({ prompt: 'Hello.', options: { ...common, ...options } })) {
    if (message.subtype === 'model_changed') changes.push(`${message.from} > ${message.to} (${message.trigger})`);
    if (message.type === 'result') answer = message.result;
  }
  return { answer, changes };
}

/** What a package such as @ai-sdk/google gives, in a few lines. */
const modelObject = {
  specificationVersion: 'v3',
  provider: 'example.chat',
  modelId: 'example-1',
  async doStream() {
    const usage = { inputTokens: { total: 10 }, outputTokens: { total: 3 } };
    const parts = [
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'From an object.' },
      { type: 'text-end', id: '0' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
    ];
    return { stream: ReadableStream.from(parts) };
  },
};

const seen = {
  chain: await ask({ model: 'here/large', fallback: { models: ['there/large'], on: ['overloaded'] } }),
  pinned: await ask({ model: 'here/large', fallback: { models: ['there/large'], pin: true } }),
  callback: await ask({
    model: 'here/large',
    resolveModel: ({ purpose }) => ({ model: `there/for-${purpose}`, parameters: { reasoningEffort: 'low' } }),
  }),
  object: await ask({ model: modelObject }),
};
console.log(JSON.stringify(seen, null, 2));
await Promise.all([busy.close(), chat.close()]);

const isRight =
  seen.chain.answer === 'From the second.' &&
  `${seen.chain.changes}` === 'large > there/large (overloaded)' &&
  seen.pinned.answer !== 'From the second.' &&
  seen.pinned.changes.length === 0 &&
  `${seen.callback.changes}` === 'large > there/for-main (resolve_model)' &&
  seen.object.answer === 'From an object.';
if (!isRight)
  console.error('Expected the chain, the callback and the object to answer, and the pinned model alone not to.');
process.exitCode = isRight ? 0 : 1;
