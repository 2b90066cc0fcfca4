// Our engine through its SDK, everything on: all tools, permission rules, transcript, partial messages. A session is
// one `query()` with streamed prompts.
import { drive, plan } from './driver.mjs';

const { query } = await import(plan.sdk);

const seen = async () => ({});
const hooks = Object.fromEntries(['PreToolUse', 'PostToolUse', 'Stop'].map((event) => [event, [{ hooks: [seen] }]]));

await drive(async () => {
  const prompts = createPrompts();
  const messages = query({
    prompt: prompts,
    options: {
      model: 'mock-model',
      includePartialMessages: true,
      permissionMode: 'default',
      allowedTools: ['Read'],
      ...(plan.hooks === true ? { hooks } : {}),
    },
  });
  return {
    ask(prompt) {
      prompts.push({ type: 'user', message: { role: 'user', content: prompt }, parent_tool_use_id: null });
      return untilResult(messages);
    },
    async close() {
      prompts.push(null);
      await messages.return();
    },
  };
});

async function untilResult(messages) {
  let deltas = 0;
  for (;;) {
    const { value, done } = await messages.next();
    if (done) throw new Error('The session ended without a result.');
    if (value.type === 'stream_event' && value.event.type === 'content_block_delta') deltas++;
    if (value.type !== 'result') continue;
    if (value.is_error) throw new Error(`The prompt failed: ${value.subtype}`);
    return deltas;
  }
}

/** Prompts as the SDK takes them; null ends them. */
function createPrompts() {
  const waiting = [];
  let wake = () => undefined;
  return {
    push(prompt) {
      waiting.push(prompt);
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (waiting.length > 0) {
          const prompt = waiting.shift();
          if (prompt === null) return;
          yield prompt;
        }
        await new Promise((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
