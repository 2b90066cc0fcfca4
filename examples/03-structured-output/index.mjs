// An answer as data that fits a JSON Schema. Without a key a scripted model answers, first with a value that does not
// fit. Exits with 1 if the value is missing or wrong.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { scriptedModel, toolCall } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'inventory.txt'), 'apples 3\npears 5\n');

const schema = {
  type: 'object',
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, count: { type: 'integer' } },
        required: ['name', 'count'],
        additionalProperties: false,
      },
    },
    total: { type: 'integer' },
  },
  required: ['items', 'total'],
  additionalProperties: false,
};

const items = [
  { name: 'apples', count: 3 },
  { name: 'pears', count: 5 },
];
const script = [
  toolCall('Read', { file_path: 'inventory.txt' }),
  toolCall('StructuredOutput', { items, total: 'eight' }), // refused: the model is told why
  toolCall('StructuredOutput', { items, total: 8 }),
];
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel(script) };

const session = query({
  prompt: 'Read inventory.txt. Which items are there, how many of each, and how many in all?',
  options: {
    cwd: folder,
    tools: ['Read'],
    outputFormat: { type: 'json_schema', schema },
    maxTurns: 10,
    persistSession: false,
    ...scripted,
  },
});

let result;
for await (const message of session) if (message.type === 'result') result = message;
console.log(result.result);

const value = result.structured_output;
const isRight =
  result.subtype === 'success' &&
  value?.total === 8 &&
  value.items.length === 2 &&
  value.items.some((item) => /apple/i.test(item.name) && item.count === 3);
if (!isRight) console.error('Expected a value with two items and a total of 8.');
process.exitCode = isRight ? 0 : 1;
