// Spec 000, section 9.6: an engine reused across prompts, then structured output.
import { createFileStateCache, getCommands, getTools, QueryEngine, useAppStateStore } from 'turnwright';

const config = {
  cwd: process.cwd(),
  tools: await getTools(),
  commands: await getCommands(),
  mcpClients: [],
  agents: [],
  canUseTool: async () => ({ behavior: 'allow' as const }),
  getAppState: () => useAppStateStore.getState(),
  setAppState: (
    f: (prev: ReturnType<typeof useAppStateStore.getState>) => ReturnType<typeof useAppStateStore.getState>,
  ) => useAppStateStore.setState(f(useAppStateStore.getState())),
  readFileCache: createFileStateCache(),
};

async function runMultiTurnSession() {
  const engine = new QueryEngine({ ...config });

  // First turn: ask a question.
  for await (const msg of engine.submitMessage('List the files in the src directory.')) {
    if (msg.type === 'result') console.log('Turn 1 done:', msg.result);
  }

  // Second turn: follow up. The engine retains the conversation history.
  for await (const msg of engine.submitMessage('Which of those files is the largest?')) {
    if (msg.type === 'result') console.log('Turn 2 done:', msg.result);
  }
}

async function runStructured() {
  const engine = new QueryEngine({
    ...config,
    jsonSchema: {
      type: 'object',
      properties: {
        files: { type: 'array', items: { type: 'string' } },
        count: { type: 'integer' },
      },
      required: ['files', 'count'],
    },
  });

  for await (const msg of engine.submitMessage('List all TypeScript files in src/')) {
    if (msg.type === 'result' && !msg.is_error) {
      // msg.result is the JSON string of the structured output.
      const data = JSON.parse(msg.result) as { files: string[]; count: number };
      console.log(`Found ${data.count} TypeScript files`);
    }
  }
}

await runMultiTurnSession();
await runStructured();
