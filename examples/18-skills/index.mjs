// Skills: found in a folder, called by the model and by the user, and not there if nobody vouches for the folder. Always
// a scripted model. Exits with 1 if the model did not get the text that it should.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
const home = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => {
  for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
});
const skill = join(folder, '.turnwright', 'skills', 'greet');
mkdirSync(skill, { recursive: true });
writeFileSync(
  join(skill, 'SKILL.md'),
  '---\ndescription: Greets somebody\n---\nGreet $ARGUMENTS in three languages.\n',
);

/** One prompt; what the session says of skills, and what the model was told last. */
async function run(prompt, steps, options = {}) {
  const model = scriptedModel(steps);
  let skills = [];
  const all = { cwd: folder, env: { TURNWRIGHT_HOME: home }, provider: model, ...options };
  for await (const message of query({ prompt, options: all })) {
    if (message.type !== 'system') continue;
    if (message.subtype === 'init') skills = message.skills;
    if (message.subtype === 'notice') console.log(`! ${message.message.replaceAll(folder, 'the folder')}`);
  }
  return { skills, told: JSON.stringify(model.requests.at(-1)?.messages) };
}

const calls = [toolCall('Skill', { skill: 'greet', args: 'Ada' }), text('Hello, salut, hallo.')];
const alone = await run('Greet Ada.', calls);
console.log(`Without trust: ${alone.skills.length} skills.`);

const granted = { settingSources: ['project'] };
const byModel = await run('Greet Ada.', calls, granted);
const byUser = await run('/greet Bob', [text('Hello, salut, hallo.')], granted);
console.log(`With trust: ${byModel.skills.join(', ')}.`);

const isRight =
  !alone.told.includes('three languages') &&
  byModel.told.includes('Greet Ada in three languages.') &&
  byUser.told.includes('Greet Bob in three languages.');
process.exitCode = isRight ? 0 : 1;
