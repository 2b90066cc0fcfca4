// A session that dies where it is told to: in the middle of the n-th write to its transcript, or by a signal from
// outside. Each message is acknowledged on stdout before the next is asked for.
import { appendFileSync, openSync, writeSync } from 'node:fs';
import { createNodeHost, createSdkMcpServer, type Host, query, tool } from 'turnwright';
import { z } from 'zod';

const { CRASH_AT_WRITE = '0', CRASH_SHARE = '0', SESSION_ID = '', IS_RESUMED = '', PROMPTS = '[]' } = process.env;

/** The machine, but for the one write that it does not survive. */
function dyingHost(atWrite: number, share: number): Host {
  const host = createNodeHost();
  let writes = 0;
  return createNodeHost({
    fs: {
      ...host.fs,
      async openAppend(path) {
        const handle = await host.fs.openAppend(path);
        return {
          ...handle,
          append(text) {
            writes += 1;
            if (writes !== atWrite) return handle.append(text);
            const bytes = Buffer.from(text);
            writeSync(openSync(path, 'a'), bytes.subarray(0, Math.floor(bytes.length * share)));
            process.kill(process.pid, 'SIGKILL');
            return new Promise(() => undefined);
          },
        };
      },
    },
  });
}

const mark = tool('mark', 'Leaves a mark.', { name: z.string() }, async ({ name }) => {
  appendFileSync('marks.txt', `${name}\n`);
  return { content: [{ type: 'text' as const, text: `marked ${name} ${'x'.repeat(200)}` }] };
});

async function* prompts() {
  for (const content of JSON.parse(PROMPTS) as string[])
    yield { type: 'user' as const, message: { role: 'user' as const, content }, parent_tool_use_id: null };
}

const session = query({
  prompt: prompts(),
  options: {
    host: dyingHost(Number(CRASH_AT_WRITE), Number(CRASH_SHARE)),
    mcpServers: { probe: createSdkMcpServer({ name: 'probe', tools: [mark] }) },
    allowedTools: ['mcp__probe__mark'],
    tools: [],
    ...(IS_RESUMED === '' ? { sessionId: SESSION_ID } : { resume: SESSION_ID }),
  },
});
try {
  for await (const message of session) {
    const { type, uuid } = message;
    const line = type === 'result' ? { type, subtype: message.subtype } : { type, uuid };
    writeSync(1, `${JSON.stringify(line)}\n`);
  }
} catch (error) {
  writeSync(1, `${JSON.stringify({ type: 'error', message: (error as Error).message })}\n`);
}
