// Spec 000, section 9.6, first program, with only the imports changed.
import { createAppState, createFileStateCache, getCommands, getTools, QueryEngine, useAppStateStore } from 'turnwright';

async function runHeadlessQuery(prompt: string): Promise<string> {
  // Build a minimal config for a headless, single-turn query.
  const engine = new QueryEngine({
    cwd: process.cwd(),
    tools: await getTools(),
    commands: await getCommands(),
    mcpClients: [],
    agents: [],
    canUseTool: async () => ({ behavior: 'allow' }),
    getAppState: () => useAppStateStore.getState(),
    setAppState: (f) => useAppStateStore.setState(f(useAppStateStore.getState())),
    readFileCache: createFileStateCache(),
    maxTurns: 10,
    verbose: false,
  });

  let finalResult = '';

  for await (const message of engine.submitMessage(prompt)) {
    if (message.type === 'result') {
      if (message.is_error) {
        throw new Error(`QueryEngine error: ${message.subtype} — ${message.result}`);
      }
      finalResult = message.result;
      console.log(`Cost: $${message.total_cost_usd.toFixed(6)}`);
      console.log(`Input tokens: ${message.usage.input_tokens}`);
      console.log(`Output tokens: ${message.usage.output_tokens}`);
      console.log(`Turns: ${message.num_turns}`);
      if (message.permission_denials.length > 0) {
        console.warn(
          'Blocked tools:',
          message.permission_denials.map((d) => d.tool_name),
        );
      }
    } else if (message.type === 'assistant') {
      // Print text blocks as they arrive for a streaming feel.
      for (const block of message.message.content) {
        if (block.type === 'text') process.stdout.write(block.text);
      }
    }
  }

  return finalResult;
}

// The document imports createAppState and does not use it.
void createAppState;
console.log(`Result: ${await runHeadlessQuery(process.argv[2] ?? 'Read a.txt')}`);
