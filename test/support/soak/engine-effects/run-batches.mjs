// Runs batches of calls through the engine as it is published, in a process of its own: one line of JSON in for each batch,
// one out. Nobody is there to ask.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [dist, cwd] = process.argv.slice(2);
const { query } = await import(pathToFileURL(`${dist}/index.js`).href);
const { scriptedModel, text, toolCall } = await import(pathToFileURL(`${dist}/testing.js`).href);

for await (const line of createInterface({ input: process.stdin })) {
  const { calls, mode, allow, deny } = JSON.parse(line);
  // One after the other: what a call finds is what the last one left.
  const model = scriptedModel([...calls.map(({ tool, input }) => toolCall(tool, input)), text('Done.')]);
  const options = {
    provider: model,
    cwd,
    tools: ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'NotebookEdit'],
    env: { TURNWRIGHT_HOME: '/tmp/engine' },
    // Naming `project` vouches for the folder.
    settingSources: ['project'],
    settings: { permissions: { allow, deny } },
    permissionMode: mode,
    ...(mode === 'bypassPermissions' ? { allowDangerouslySkipPermissions: true } : {}),
    maxTurns: calls.length + 5,
  };
  let fault = null;
  let end = null;
  try {
    for await (const message of query({ prompt: 'Go.', options })) if (message.type === 'result') end = message;
  } catch (error) {
    fault = String(error);
  }
  const results = [];
  for (const { content } of model.requests.at(-1)?.messages ?? [])
    for (const block of typeof content === 'string' ? [] : content)
      if (block.type === 'tool_result')
        results.push({ isError: block.is_error === true, text: JSON.stringify(block.content) });
  fault ??= end?.subtype === 'success' ? null : JSON.stringify(end);
  process.stdout.write(`${JSON.stringify({ results, fault })}\n`);
}
