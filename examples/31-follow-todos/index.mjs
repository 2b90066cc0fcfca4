// Follows the todos of a session while it works: the store tells each change. Without a key a scripted model answers. Exits with
// 1 if a change was missed.
import { createFileStateCache, getCommands, getTools, QueryEngine, useAppStateStore } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const todo = (content, status) => ({ content, status, activeForm: `${content} …` });
const scripted = process.env.ANTHROPIC_API_KEY
  ? {}
  : {
      provider: scriptedModel([
        toolCall('TodoWrite', { todos: [todo('Look', 'in_progress'), todo('Report', 'pending')] }),
        toolCall('TodoWrite', { todos: [todo('Look', 'completed'), todo('Report', 'in_progress')] }),
        toolCall('TodoWrite', { todos: [todo('Look', 'completed'), todo('Report', 'completed')] }),
        text('Done.'),
      ]),
    };

const MARKS = { pending: '[ ]', in_progress: '[~]', completed: '[x]' };
const seen = [];
let last = useAppStateStore.getState().todos;
const stop = useAppStateStore.subscribe(({ todos }) => {
  // The host's own keys change the store too.
  if (todos === last) return;
  last = todos;
  seen.push(todos.filter(({ status }) => status === 'completed').length);
  console.log(todos.map(({ content, status }) => `${MARKS[status]} ${content}`).join('  '));
});

const engine = new QueryEngine({
  cwd: process.cwd(),
  tools: await getTools(),
  commands: await getCommands(),
  mcpClients: [],
  agents: [],
  canUseTool: async () => ({ behavior: 'allow' }),
  getAppState: () => useAppStateStore.getState(),
  setAppState: (change) => useAppStateStore.setState(change(useAppStateStore.getState())),
  readFileCache: createFileStateCache(),
  ...scripted,
});
const prompt = 'Plan two steps as todos: look around, and report. Then do them, and keep the todos up to date.';
for await (const message of engine.submitMessage(prompt)) {
  if (message.type === 'result') console.log(message.result);
}
await engine.close();
stop();

// What is heard after `stop` is nobody's.
useAppStateStore.setState({ todos: [] });
const isRight = seen.length >= 3 && seen.at(-1) === last.length && last.length >= 2;
if (!isRight) console.error(`Expected each change of the todos, and got ${seen.length}.`);
process.exitCode = isRight ? 0 : 1;
