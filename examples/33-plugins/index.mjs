// A plugin from a marketplace: the command line installs it out of a folder, a session has its skill and its command, and
// reloadPlugins() takes it away again while the session runs. Exits with 1 if one of these did not come through.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const program = fileURLToPath(new URL('cli/main.js', import.meta.resolve('turnwright')));
const plugin = (...words) =>
  execFileSync(process.execPath, [program, 'plugin', ...words], { encoding: 'utf8', stdio: 'pipe' });

plugin('marketplace', 'add', fileURLToPath(new URL('market', import.meta.url)));
const installed = JSON.parse(plugin('install', 'notes@example-tools', '--json'));
console.log(`${installed.id} ${installed.version}, sha256 ${installed.sha256.slice(0, 12)}`);

const script = [toolCall('Skill', { skill: 'notes:dated' }), text('I write notes with dates now.')];
const scripted = process.env.ANTHROPIC_API_KEY ? {} : { provider: scriptedModel(script) };
const session = query({
  prompt: 'Which skill is there for notes? Load it.',
  options: { tools: [], allowedTools: ['Skill'], ...scripted },
});

let seen = null;
let answer = '';
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'init') seen = message;
  if (message.type !== 'result') continue;
  answer = message.result;
  plugin('uninstall', 'notes');
  const { plugins, commands } = await session.reloadPlugins();
  console.log(`after the uninstall: ${plugins.length} plugins`);
  if (plugins.length > 0 || commands.some(({ name }) => name === 'notes:today')) process.exitCode = 1;
}

console.log(answer);
for (const { kind, name, source } of seen?.loaded ?? []) console.log(`${kind} ${name}: ${source}`);
if (!seen?.skills.includes('notes:dated') || !seen.slash_commands.includes('notes:today')) process.exitCode = 1;
