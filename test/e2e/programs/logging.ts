// Spec 002: the logging pattern, then the handling of every result subtype, with only the imports changed.
import {
  getMessageContentBlocks,
  getPermissionDenials,
  getSystemInitData,
  isResultMessage,
  query,
  type SDKResultMessage,
} from 'turnwright';

async function run(): Promise<SDKResultMessage> {
  const messageStream = query({ prompt: 'Run `touch made.txt`' });
  let last: SDKResultMessage | undefined;
  for await (const message of messageStream) {
    switch (message.type) {
      case 'system': {
        const { model, tools, session_id } = getSystemInitData(message);
        if (message.subtype === 'init')
          console.log(`Session ${session_id}: model=${model}, tools=${tools?.join(', ')}`);
        break;
      }
      case 'assistant': {
        const blocks = getMessageContentBlocks(message);
        for (const block of blocks ?? []) {
          if (block.type === 'tool_use') {
            console.log(`→ ${block.name}`, block.input);
          }
        }
        break;
      }
      case 'result': {
        const denials = getPermissionDenials(message);
        console.log(`Done in ${message.duration_ms}ms, cost $${message.total_cost_usd.toFixed(4)}`);
        if (message.is_error) {
          console.error(`Error: ${message.subtype}`);
        }
        if (denials.length > 0) {
          console.warn(`Blocked ${denials.length} tool call(s):`, denials.map((d) => d.tool_name).join(', '));
        }
        break;
      }
    }
    if (isResultMessage(message)) last = message;
  }
  if (last === undefined) throw new Error('no result');
  return last;
}

function handle(result: SDKResultMessage) {
  switch (result.subtype) {
    case 'success':
      return { output: result.result, cost: result.total_cost_usd };

    case 'error_max_turns':
      throw new Error(`Agent exceeded maxTurns (${result.num_turns} turns used)`);

    case 'error_max_budget_usd':
      throw new Error(`Agent exceeded budget: $${result.total_cost_usd.toFixed(4)} spent`);

    case 'error_max_structured_output_retries':
      throw new Error('Agent failed to produce valid structured output after retries');

    case 'error_during_execution':
      throw new Error('Agent encountered an unhandled error during execution');
  }
}

console.log(JSON.stringify(handle(await run())));
