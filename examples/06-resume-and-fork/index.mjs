// A session that is resumed, forked, and resumed after its file was damaged. A scripted model answers, so that what it
// was sent can be checked. Exits with 1 if a conversation is not the one it should be.
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { scriptedModel, text } from 'turnwright/testing';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-example-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, 'home');

/** One prompt; what the model was sent, what it answered, and what the session told. */
async function ask(prompt, options = {}) {
  const provider = scriptedModel([text(`An answer to: ${prompt}`)]);
  const session = query({ prompt, options: { cwd: folder, env: { TURNWRIGHT_HOME: home }, provider, ...options } });
  const notices = [];
  let answer;
  let sessionId = '';
  for await (const message of session) {
    if (message.type === 'system' && message.subtype === 'notice') notices.push(message.code);
    if (message.type === 'assistant') answer = message.uuid;
    if (message.type === 'result') sessionId = message.session_id;
  }
  const sent = provider.requests[0].messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  return { sent, notices, answer, sessionId };
}

const plan = await ask('Plan a trip');
const { sessionId } = plan;
const train = await ask('By train', { resume: sessionId });
console.log(`session ${sessionId}: ${train.sent.join(' > ')}`);

// The other way from the same beginning: a session of its own, behind the first answer.
const plane = await ask('By plane', { resume: sessionId, forkSession: true, resumeSessionAt: plan.answer });
console.log(`fork ${plane.sessionId}: ${plane.sent.join(' > ')}`);

// A crash in the middle of a write.
const [project] = readdirSync(join(home, 'projects'));
appendFileSync(join(home, 'projects', project, `${sessionId}.jsonl`), '{"parentUuid":"');
const back = await ask('Book it', { resume: sessionId });
console.log(`session ${sessionId}: ${back.sent.join(' > ')} (${back.notices.join(', ')})`);

const expected = [
  [train, ['Plan a trip', 'By train'], sessionId],
  [plane, ['Plan a trip', 'By plane'], plane.sessionId],
  [back, ['Plan a trip', 'By train', 'Book it'], sessionId],
];
const isRight =
  expected.every(([{ sent, sessionId: id }, prompts, wanted]) => `${sent}` === `${prompts}` && id === wanted) &&
  plane.sessionId !== sessionId &&
  `${back.notices}` === 'transcript_damaged';
if (!isRight) console.error('Expected a session of three prompts, a fork of two, and a word about the damage.');
process.exitCode = isRight ? 0 : 1;
