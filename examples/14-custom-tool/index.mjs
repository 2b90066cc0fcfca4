// A tool of the program's own: the model calls a function of this process. The same session answers a question of the
// model from code. Without a key a scripted model answers. Exits with 1 if the function did not run as it should.
import { createSdkMcpServer, query, tool } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const stock = new Map([
  ['apples', 12],
  ['pears', 0],
]);
const asked = [];

const inStock = tool(
  'in_stock',
  'Says how many pieces of a fruit are in stock.',
  { type: 'object', properties: { fruit: { type: 'string' } }, required: ['fruit'] },
  async ({ fruit }) => {
    asked.push(fruit);
    const pieces = stock.get(fruit);
    if (pieces === undefined)
      return { isError: true, content: [{ type: 'text', text: `There is no fruit ${fruit}.` }] };
    return { content: [{ type: 'text', text: String(pieces) }], structuredContent: { fruit, pieces } };
  },
  { annotations: { readOnlyHint: true } },
);

const questions = [
  {
    question: 'Which fruit do you mean?',
    header: 'Fruit',
    options: [
      { label: 'apples', description: 'red ones' },
      { label: 'pears', description: 'green ones' },
    ],
    multiSelect: false,
  },
];
const script = [
  toolCall('AskUserQuestion', { questions }),
  toolCall('mcp__shop__in_stock', { fruit: 'apples' }),
  text('There are 12 apples.'),
];
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel(script) };

const session = query({
  prompt: 'How many pieces of my favourite fruit are in stock? Ask me which one it is, then look with in_stock.',
  options: {
    tools: ['AskUserQuestion'],
    mcpServers: { shop: createSdkMcpServer({ name: 'shop', tools: [inStock] }) },
    // A hint that a tool only reads does not allow it; this does.
    allowedTools: ['mcp__shop__in_stock'],
    // In place of a person. A form has one property a question; here any of them is answered the same.
    onElicitation: async ({ requestedSchema }) => ({
      action: 'accept',
      content: Object.fromEntries(Object.keys(requestedSchema.properties).map((name) => [name, 'apples'])),
    }),
    maxTurns: 6,
    persistSession: false,
    ...scripted,
  },
});

let result;
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'init') console.log(`tools: ${message.tools.join(', ')}`);
  if (message.type === 'result') result = message;
}
console.log(result.result);

const isRight = result.subtype === 'success' && asked.includes('apples') && result.result.includes('12');
if (!isRight) console.error('Expected an answer that says 12, from a call of in_stock for apples.');
process.exitCode = isRight ? 0 : 1;
