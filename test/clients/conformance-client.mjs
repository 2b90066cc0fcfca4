// A client for the official conformance tests: a session of this package that is connected to the server whose address is
// the last argument, signs in where it has to, and calls its tools. The tests say what was wrong with it.
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const url = process.argv.at(-1);
const { client_id: clientId, client_secret: clientSecret } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const REDIRECT = 'http://localhost:3000/callback';
/** A call may need more rights than the first sign-in gave. */
const MAX_SIGN_INS = 4;

const called = new Set();
const model = scriptedModel(({ tools }) => {
  const next = tools.find(({ name }) => name.startsWith('mcp__s__') && !called.has(name));
  if (next === undefined) return text('done');
  called.add(next.name);
  return toolCall(next.name, { a: 5, b: 3 }, `call_${called.size}`);
});

const prompts = [];
let wake = () => undefined;
async function* input() {
  for (;;) {
    while (prompts.length === 0) await new Promise((resolve) => (wake = resolve));
    const content = prompts.shift();
    if (content === null) return;
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  }
}
const say = (content) => {
  prompts.push(content);
  wake();
};

const kept = new Map();
const session = query({
  prompt: input(),
  options: {
    provider: model,
    tools: [],
    mcpServers: {
      s: {
        type: 'http',
        url,
        oauth: {
          clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
          ...(clientId === undefined ? {} : { clientId }),
          ...(clientSecret === undefined ? {} : { clientSecret }),
        },
      },
    },
    mcpTokenStore: {
      read: async (server) => kept.get(server) ?? null,
      write: async (server, credentials) => void kept.set(server, credentials),
    },
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    toolSearch: 'never',
    settingSources: [],
    persistSession: false,
    // What a form leaves out is filled in with what the server says.
    onElicitation: async () => ({ action: 'accept', content: {} }),
  },
});

async function status() {
  for (;;) {
    const [server] = await session.mcpServerStatus();
    if (server.status !== 'pending') return server.status;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function signIn() {
  const { authUrl } = await session.mcpAuthenticate('s', REDIRECT);
  if (authUrl === undefined || authUrl === null) return false;
  const answer = await fetch(authUrl, { redirect: 'manual' });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`The sign-in was not sent back: HTTP ${answer.status}`);
  await session.mcpSubmitOAuthCallbackUrl('s', location);
  return true;
}

let signIns = 0;
if ((await status()) === 'needs-auth') {
  signIns += 1;
  await signIn();
}
say('go');
for await (const message of session) {
  if (message.type === 'user') {
    const said = JSON.stringify(message.message.content);
    // More rights are asked for, and the call is made again.
    if (said.includes('"is_error":true') && /sign|rights/i.test(said) && signIns < MAX_SIGN_INS) {
      signIns += 1;
      if (await signIn().catch(() => false)) called.clear();
    }
  }
  if (message.type === 'result') say(null);
}
