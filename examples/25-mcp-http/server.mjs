// An MCP server by HTTP with one tool, and the authorization server that it trusts, in one. No library, for loopback alone.
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const TOOL = {
  name: 'open_tickets',
  description: 'The open tickets of the house.',
  inputSchema: { type: 'object', properties: {} },
};

/** @returns its address, and how to end it */
export async function startServer() {
  const clients = new Set();
  const codes = new Map();
  const tokens = new Set();
  let origin = '';

  const routes = {
    '/.well-known/oauth-protected-resource/mcp': () => ({ resource: `${origin}/mcp`, authorization_servers: [origin] }),
    '/.well-known/oauth-authorization-server': () => ({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    }),
    '/register': ({ body }) => {
      const client_id = randomUUID();
      clients.add(client_id);
      return { ...JSON.parse(body), client_id };
    },
    '/token': ({ body }) => {
      const form = new URLSearchParams(body);
      const challenge = codes.get(form.get('code'));
      codes.delete(form.get('code'));
      const verifier = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (challenge !== verifier || !clients.has(form.get('client_id'))) return null;
      const access_token = randomUUID();
      tokens.add(access_token);
      return { access_token, token_type: 'Bearer', expires_in: 3600 };
    },
    '/mcp': ({ body, headers }) => {
      if (!tokens.has(headers.authorization?.replace('Bearer ', ''))) return null;
      const { id, method, params } = JSON.parse(body);
      if (id === undefined) return {};
      const results = {
        initialize: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'tickets', version: '1.0.0' },
        },
        'tools/list': { tools: [TOOL] },
        'tools/call': { content: [{ type: 'text', text: 'Tickets of the house: T-1, the door sticks.' }] },
      };
      return { jsonrpc: '2.0', id, result: results[method] ?? {} };
    },
  };

  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url, origin);
    if (pathname === '/authorize') {
      // A real one asks the user here.
      const code = randomUUID();
      codes.set(code, searchParams.get('code_challenge'));
      const back = new URL(searchParams.get('redirect_uri'));
      back.search = new URLSearchParams({ code, state: searchParams.get('state') }).toString();
      return response.writeHead(302, { location: back.href }).end();
    }
    if (pathname === '/mcp' && request.method !== 'POST') return response.writeHead(405).end();
    const answer = routes[pathname]?.({ body, headers: request.headers });
    if (answer === undefined) return response.writeHead(404).end();
    if (answer === null) return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    if (Object.keys(answer).length === 0) return response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  return { url: `${origin}/mcp`, close: () => server.close() };
}
