// An MCP server over stdin and stdout: one tool, no library. Each message is one line of JSON.
import { createInterface } from 'node:readline';

const tickets = [
  { id: 'T-1', title: 'The door sticks', isOpen: true },
  { id: 'T-2', title: 'The lamp is dark', isOpen: false },
];

const tool = {
  name: 'open_tickets',
  description: 'Lists the tickets that are open.',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
};

function answer(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'tickets', version: '1.0.0' },
      };
    case 'tools/list':
      return { tools: [tool] };
    case 'tools/call': {
      const open = tickets.filter(({ isOpen }) => isOpen).map(({ id, title }) => `${id} ${title}`);
      const owner = process.env.TICKETS_OF ?? 'nobody';
      return { content: [{ type: 'text', text: `Tickets of ${owner}: ${open.join(', ')}` }] };
    }
    default:
      return undefined;
  }
}

// What it has to say beside the protocol goes to stderr.
console.error('The server of tickets is ready.');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  const result = answer(method, params);
  const body = result === undefined ? { error: { code: -32601, message: `There is no ${method} here.` } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
