// A server made with the published library that speaks the version without a handshake, and no other: over stdin and stdout
// if it is run as a program; tests of HTTP import `makeServer`.
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** @param onGrow called when the list of tools changed */
export function makeServer(state, onGrow = () => undefined) {
  const server = new McpServer(
    { name: 'modern', version: '1.2.3' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        prompts: {},
        logging: {},
        completions: {},
      },
      instructions: 'Add before you ask.',
    },
  );
  server.registerTool(
    'add',
    { description: 'Adds.', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => text(String(a + b)),
  );
  server.registerTool('ask', { description: 'Asks the user.', inputSchema: z.object({}) }, async (_, context) => {
    const answers = context.mcpReq.inputResponses;
    if (answers?.which === undefined)
      return inputRequired({
        inputRequests: {
          which: inputRequired.elicit({
            message: 'Which?',
            requestedSchema: { type: 'object', properties: { which: { type: 'string' } } },
          }),
          where: inputRequired.listRoots(),
        },
        requestState: 'asked-once',
      });
    return text(JSON.stringify(answers));
  });
  server.registerTool('loop', { description: 'Asks without end.', inputSchema: z.object({}) }, async () =>
    inputRequired({ requestState: 'again' }),
  );
  server.registerTool(
    'steps',
    { description: 'Says how far it is.', inputSchema: z.object({}) },
    async (_, context) => {
      const progressToken = context.mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        await context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2 },
        });
      return text('stepped');
    },
  );
  const region = z.string().meta({ 'x-mcp-header': 'Region' });
  server.registerTool(
    'route',
    { description: 'Is routed by its region.', inputSchema: z.object({ region, text: z.string() }) },
    async ({ region: where }) => text(`routed to ${where}`),
  );
  server.registerTool('grow', { description: 'Gets one more tool.', inputSchema: z.object({}) }, async () => {
    state.hasGrown = true;
    onGrow();
    addMore();
    return text('grown');
  });
  const addMore = () =>
    server.registerTool('more', { description: 'One more.', inputSchema: z.object({}) }, async () => text('more'));
  if (state.hasGrown) addMore();
  server.registerResource('note', 'note://one', {}, async (uri) => ({
    contents: [{ uri: uri.href, text: 'A note.' }],
  }));
  server.registerPrompt('plan', { argsSchema: z.object({ day: z.string() }) }, async ({ day }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Plan ${day}.` } }],
  }));
  return server;
}

if (process.argv[1]?.endsWith('stateless-server.mjs')) {
  const state = {};
  serveStdio(() => makeServer(state), { legacy: 'reject' });
}
