// Runs batches of calls through the engine as it is published, in a process of its own: one line of JSON in for each batch,
// one out. Nobody is there to ask.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [dist, cwd] = process.argv.slice(2);
const { query } = await import(pathToFileURL(`${dist}/index.js`).href);
const { scriptedModel, text, toolCall } = await import(pathToFileURL(`${dist}/testing.js`).href);

const TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'NotebookEdit'];

/** What stands in a call before a hook makes another of it: of each something else, or the model would repeat itself. */
const HARMLESS = (at) => ({
  Bash: { command: `true ${at}` },
  Read: { file_path: `${cwd}/a.txt`, offset: at + 1 },
  Write: { file_path: `${cwd}/new1`, content: `${at}` },
  Edit: { file_path: `${cwd}/a.txt`, old_string: `a${at}`, new_string: 'b' },
  Glob: { pattern: `*${at}` },
  Grep: { pattern: `zzz${at}` },
  NotebookEdit: { notebook_path: `${cwd}/book.ipynb`, cell_id: 'c1', new_source: `${at}` },
});

/** A script that makes the calls one after the other, whatever becomes of each. */
const SCRIPT = (calls) => `const ends = [];
for (const [tool, input] of ${JSON.stringify(calls.map(({ tool, input }) => [tool, input]))})
  try { ends.push({ isError: false, text: JSON.stringify(await tools[tool](input)) }) }
  catch (error) { ends.push({ isError: true, text: String(error) }) }
return ends;`;

/** Steps of the model and options, for each way in which calls reach the engine. */
const WAYS = {
  direct: (calls) => ({ steps: calls.map(({ tool, input }) => toolCall(tool, input)) }),
  agent: (calls) => ({
    steps: [
      toolCall('Agent', { description: 'does it', prompt: 'Go.' }),
      ...calls.map(({ tool, input }) => toolCall(tool, input)),
      text('Done.'),
    ],
    options: { tools: [...TOOLS, 'Agent'] },
  }),
  script: (calls) => ({
    steps: [toolCall('RunScript', { code: SCRIPT(calls) })],
    options: { tools: [...TOOLS, 'RunScript'], codeMode: true },
  }),
  background: (calls) => ({
    steps: calls.flatMap(({ tool, input }) =>
      tool === 'Bash'
        ? [
            toolCall(tool, { ...input, run_in_background: true }),
            ({ messages }) => toolCall('TaskOutput', { task_id: lastTask(messages), timeout: 5_000 }),
          ]
        : [toolCall(tool, input)],
    ),
    options: { tools: [...TOOLS, 'TaskOutput'] },
  }),
  hook: (calls) => {
    const inputs = new Map(calls.map(({ input }, at) => [`toolu_${at}`, input]));
    const rewrite = async ({ tool_use_id: id }) => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: inputs.get(id) },
    });
    return {
      steps: calls.map(({ tool }, at) => toolCall(tool, HARMLESS(at)[tool], `toolu_${at}`)),
      options: { hooks: { PreToolUse: [{ hooks: [rewrite] }] } },
    };
  },
};

/** The id of the task that was started last; any word if none was. */
function lastTask(messages) {
  return [...JSON.stringify(messages).matchAll(/in the background as task (\w+)/g)].at(-1)?.[1] ?? 'none';
}

/** What became of each call of a script: it returns that. Of a text that was cut, the whole. */
function ofScript(end) {
  try {
    return JSON.parse(JSON.parse(end.text));
  } catch {
    return end;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { calls, mode, way, allow, deny, ask, confines, folders } = JSON.parse(line);
  const { steps, options: more } = WAYS[way](calls);
  // One after the other: what a call finds is what the last one left. What ends in the background brings a turn of its own.
  const model = scriptedModel((request, at) => {
    const step = steps[at] ?? text('Done.');
    return typeof step === 'function' ? step(request) : step;
  });
  const options = {
    provider: model,
    cwd,
    tools: TOOLS,
    env: { TURNWRIGHT_HOME: '/tmp/engine' },
    // Naming `project` vouches for the folder.
    settingSources: ['project'],
    settings: {
      permissions: {
        allow,
        deny,
        ask,
        blockReadsOutsideWorkingDirectories: confines,
        blockWritesOutsideWorkingDirectories: confines,
      },
    },
    additionalDirectories: folders,
    permissionMode: mode,
    ...(mode === 'bypassPermissions' ? { allowDangerouslySkipPermissions: true } : {}),
    maxTurns: steps.length + 5,
    ...more,
  };
  let fault = null;
  let end = null;
  try {
    for await (const message of query({ prompt: 'Go.', options })) if (message.type === 'result') end = message;
  } catch (error) {
    fault = String(error);
  }
  const results = new Map();
  for (const { messages } of model.requests)
    for (const { content } of messages)
      for (const block of typeof content === 'string' ? [] : content)
        if (block.type === 'tool_result')
          results.set(block.tool_use_id, { isError: block.is_error === true, text: JSON.stringify(block.content) });
  fault ??= end?.subtype === 'success' ? null : JSON.stringify(end);
  const told = [...results.values()];
  process.stdout.write(`${JSON.stringify({ results: way === 'script' ? told.flatMap(ofScript) : told, fault })}\n`);
}
