// An MCP server over stdin and stdout with resources and a prompt, and without tools or a library. Each message is one line
// of JSON.
import { createInterface } from 'node:readline';

const notes = new Map([
  ['note://menu', 'Monday: soup. Tuesday: stew.'],
  ['note://rules', 'Guests eat first.'],
]);
const prompt = {
  name: 'plan',
  description: 'Plans a meal.',
  arguments: [{ name: 'day', description: 'Day of the week', required: true }],
};

function answer(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { resources: { subscribe: true }, prompts: {} },
        serverInfo: { name: 'kitchen', version: '1.0.0' },
        instructions: 'The menu is in note://menu.',
      };
    case 'resources/list':
      return { resources: [...notes.keys()].map((uri) => ({ uri, name: uri.slice(7), mimeType: 'text/plain' })) };
    case 'resources/templates/list':
      return { resourceTemplates: [] };
    case 'resources/read': {
      const text = notes.get(params.uri);
      if (text === undefined) throw new Error(`There is no ${params.uri}.`);
      return { contents: [{ uri: params.uri, mimeType: 'text/plain', text }] };
    }
    case 'resources/subscribe':
      // Soon after somebody read the menu, it says something else.
      if (params.uri !== 'note://menu') return {};
      notes.set(params.uri, 'Monday: fish.');
      send({ method: 'notifications/resources/updated', params: { uri: params.uri } });
      return {};
    case 'prompts/list':
      return { prompts: [prompt] };
    case 'prompts/get': {
      const text = `Plan the meal of ${params.arguments.day} by the menu.`;
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    }
    default:
      throw new Error(`There is no ${method} here.`);
  }
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  try {
    send({ id, result: answer(method, params) });
  } catch (error) {
    send({ id, error: { code: -32601, message: error.message } });
  }
});
