// A budget in US dollars that is not overspent: the output limit is lowered, the last of the money goes into a summary,
// then the prompt ends. Always a scripted model, with a price of its own. Exits with 1 if it spent more, or said less.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAppState, createFileStateCache, defineTool, QueryEngine } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const LIMIT_USD = 0.2;

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const countUp = defineTool({
  name: 'CountUp',
  description: 'Counts one step.',
  inputSchema: { type: 'object', properties: { step: { type: 'integer' } }, additionalProperties: false },
  readOnly: true,
  concurrencySafe: false,
  title: () => 'count',
  subject: () => ({ kind: 'none' }),
  run: async ({ step }) => ({ model: `Counted ${step}.`, data: step }),
});

// Would count for ever. A request that allows no tools asks for the last summary.
const model = scriptedModel((request, index) =>
  request.toolChoice === 'none' ? text('Counted some steps; more are open.') : toolCall('CountUp', { step: index }),
);

const store = createAppState();
// `query()` takes `maxBudgetUsd` for models with a known price; the price of another is given to a QueryEngine.
const engine = new QueryEngine({
  cwd: folder,
  tools: [countUp],
  commands: [],
  mcpClients: [],
  agents: [],
  canUseTool: async () => ({ behavior: 'allow' }),
  getAppState: () => store.getState(),
  setAppState: (change) => store.setState(change(store.getState())),
  readFileCache: createFileStateCache(),
  provider: model,
  maxBudgetUsd: LIMIT_USD,
  // US dollars for a million tokens.
  catalogueOverrides: {
    'scripted/scripted': { contextWindow: 200_000, maxOutputTokens: 64_000, price: { input: 3, output: 15 } },
  },
  persistSession: false,
});

let result;
for await (const message of engine.submitMessage('Count for ever.')) if (message.type === 'result') result = message;
await engine.close();
console.log(`${result.subtype} after ${result.num_turns} turns, $${result.total_cost_usd.toFixed(4)} of $${LIMIT_USD}`);
console.log(result.result);

const isRight =
  result.subtype === 'error_max_budget_usd' &&
  result.total_cost_usd > 0 &&
  result.total_cost_usd <= LIMIT_USD &&
  result.result.startsWith('Counted') &&
  model.requests.at(-1).maxTokens <= 1_024;
if (!isRight) console.error('Expected an end by the budget, with a summary, and no more spent than the limit.');
process.exitCode = isRight ? 0 : 1;
