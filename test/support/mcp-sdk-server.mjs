// A server made with the published library, version 2: what others write, as far as it can be had here.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const server = new McpServer(
  { name: 'published', version: '1.0.0' },
  { capabilities: { tools: { listChanged: true } } },
);

server.registerTool(
  'add',
  {
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  },
  async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
);

server.registerTool('ask', { description: 'Asks the user.', inputSchema: z.object({}) }, async () => {
  const answer = await server.server.elicitInput({
    message: 'Which?',
    requestedSchema: { type: 'object', properties: { which: { type: 'string' } } },
  });
  return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
});

server.registerTool('roots', { description: 'Lists the roots.', inputSchema: z.object({}) }, async () => ({
  content: [{ type: 'text', text: JSON.stringify(await server.server.listRoots()) }],
}));

server.registerTool('grow', { description: 'Gets one more tool.', inputSchema: z.object({}) }, async () => {
  server.registerTool('more', { description: 'One more.', inputSchema: z.object({}) }, async () => ({
    content: [{ type: 'text', text: 'more' }],
  }));
  return { content: [{ type: 'text', text: 'grown' }] };
});

await server.connect(new StdioServerTransport());
