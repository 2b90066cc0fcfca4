// A server of the program's own whose tool takes its time: it says how far it is, writes to the log, asks the user in the
// middle of the work, and stops when the call is given up. Without a key a scripted model answers. Exits with 1 if one
// of these did not come through.
import { setTimeout as delay } from 'node:timers/promises';
import { createSdkMcpServer, query, tool } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const pages = 5;
const done = [];

const print = tool(
  'print',
  'Prints a document, page by page.',
  { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  async ({ name }, { signal, _meta, sendNotification, sendRequest }) => {
    for (let page = 1; page <= pages; page += 1) {
      // Its call was given up: by the user, or because the session ends.
      if (signal.aborted) return { isError: true, content: [{ type: 'text', text: 'It was stopped.' }] };
      await delay(10, undefined, { signal });
      done.push(page);
      await sendNotification({
        method: 'notifications/progress',
        params: { progressToken: _meta.progressToken, progress: page, total: pages, message: `page ${page}` },
      });
      if (page !== 3) continue;
      await sendNotification({
        method: 'notifications/message',
        params: { level: 'error', data: 'The paper is out.' },
      });
      const { action } = await sendRequest({
        method: 'elicitation/create',
        params: { message: 'Put paper in, then go on.', requestedSchema: { type: 'object', properties: {} } },
      });
      if (action !== 'accept') return { isError: true, content: [{ type: 'text', text: 'There was no paper.' }] };
    }
    return { content: [{ type: 'text', text: `${name}: ${pages} pages printed.` }] };
  },
);

const script = [toolCall('mcp__printer__print', { name: 'report' }), text('The report is printed: 5 pages.')];
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel(script) };

const questions = [];
const session = query({
  prompt: 'Print the report.',
  options: {
    tools: [],
    mcpServers: { printer: createSdkMcpServer({ name: 'printer', tools: [print] }) },
    allowedTools: ['mcp__printer__print'],
    // In place of a person who puts paper in.
    onElicitation: async ({ message }) => {
      questions.push(message);
      return { action: 'accept', content: {} };
    },
    maxTurns: 4,
    persistSession: false,
    ...scripted,
  },
});

let result;
const heard = [];
let log = '';
for await (const message of session) {
  if (message.type === 'tool_progress' && message.progress !== undefined) {
    heard.push(message.progress);
    console.log(`${message.message} of ${message.total}`);
  }
  if (message.type === 'system' && message.subtype === 'notice') log += message.message;
  if (message.type === 'result') result = message;
}
console.log(log);
console.log(result.result);

const isRight =
  result.subtype === 'success' &&
  heard.length > 0 &&
  questions.length === 1 &&
  log.includes('The paper is out.') &&
  done.length === pages &&
  result.result.includes('5');
if (!isRight) console.error('Expected progress, a log entry, a question and five printed pages.');
process.exitCode = isRight ? 0 : 1;
