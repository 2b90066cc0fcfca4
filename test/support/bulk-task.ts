// One task over 200 files, done by single calls and by a script: what it costs in tokens, and what is denied. The model is a
// script too, so both do the same.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTokenEstimator } from '../../src/engine/tokens/index.js';
import { parseRule } from '../../src/permissions/rule.js';
import { collect, lastResult } from '../../src/testing/model/collect.js';
import { reply, text, toolCall } from '../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { getTools } from '../../src/tools/builtin.js';
import { resultOf } from './agents.js';
import { temporaryFolder, testEngine } from './engine.js';

const FILES = 200;
/** Calls of one reply, as a model makes them that is told to put independent calls together. */
const CALLS = 10;
const KEPT = /^secret-/;

export interface BulkRun {
  /** All input and output of the task. */
  readonly tokens: number;
  readonly requests: number;
  /** Inputs of the calls that were denied. */
  readonly denied: readonly unknown[];
  readonly answer: string;
}

const nameOf = (at: number) => (at % 50 === 7 ? `secret-${at}.txt` : `note-${at}.txt`);

async function folderOfNotes(): Promise<string> {
  const folder = await temporaryFolder();
  await Promise.all(
    Array.from({ length: FILES }, (_, at) => {
      const lines = Array.from(
        { length: 20 },
        (_line, n) => `Line ${n} of note ${at}: nothing that anybody asked about.`,
      );
      return writeFile(path.join(folder, nameOf(at)), `${lines.join('\n')}\n${at % 17 === 3 ? 'FIXME later\n' : ''}`);
    }),
  );
  return folder;
}

/** Who has a FIXME? Some files must not be read. */
export async function runBulkTask(by: 'calls' | 'script'): Promise<BulkRun> {
  const folder = await folderOfNotes();
  const paths = Array.from({ length: FILES }, (_, at) => path.join(folder, nameOf(at)));
  const model = scriptedModel(by === 'calls' ? singleCalls(paths) : oneScript(folder));
  const { engine } = await testEngine(model, {
    cwd: folder,
    tools: await getTools(),
    codeMode: by === 'script',
    contextWindow: 1_000_000,
    permissions: { mode: 'default', roots: [folder], deny: [parseRule('Read(secret-*.txt)')], ask: [], allow: [] },
  });
  const messages = await collect(engine.submitMessage('Which notes have a FIXME?'));
  model.assertDone();
  const estimator = createTokenEstimator(1);
  const input = model.requests.reduce((sum, request) => sum + estimator.request(request), 0);
  const last = model.requests.at(-1)?.messages ?? [];
  const output = last
    .filter(({ role }) => role === 'assistant')
    .reduce((sum, message) => sum + estimator.message(message), 0);
  const { permission_denials: denials } = lastResult(messages);
  return {
    tokens: input + output,
    requests: model.requests.length,
    denied: denials.map(({ tool_input: given }) => path.basename(String((given as { file_path?: unknown }).file_path))),
    answer: by === 'script' ? resultOf(messages, 'toolu_script').text : findingsOf(JSON.stringify(last)),
  };
}

function singleCalls(paths: readonly string[]): readonly ScriptedStep[] {
  const rounds: ScriptedStep[] = [];
  for (let at = 0; at < paths.length; at += CALLS)
    rounds.push(
      reply(...paths.slice(at, at + CALLS).map((file_path, n) => toolCall('Read', { file_path }, `toolu_${at + n}`))),
    );
  return [...rounds, text('These.')];
}

function oneScript(folder: string): readonly ScriptedStep[] {
  const code = `const names = Array.from({ length: ${FILES} }, (_, n) => (n % 50 === 7 ? 'secret-' : 'note-') + n + '.txt');
const files = names.map((name) => ${JSON.stringify(folder)} + '/' + name);
const found = await Promise.all(files.map(async (file_path) => {
  try {
    const { text } = await tools.Read({ file_path });
    return text.includes('FIXME') ? [file_path.split('/').at(-1)] : [];
  } catch (error) {
    return error.name === 'DeniedError' ? [] : ['failed ' + file_path + error.message];
  }
}));
return found.flat().sort();`;
  return [toolCall('RunScript', { code }, 'toolu_script'), text('These.')];
}

/** What single calls showed, as the script says it. */
function findingsOf(conversation: string): string {
  const hits = conversation.match(/FIXME/g)?.length ?? 0;
  return String(hits);
}

/** The notes that have it and may be read. */
export function expectedNotes(): readonly string[] {
  return Array.from({ length: FILES }, (_, at) => at)
    .filter((at) => at % 17 === 3 && !KEPT.test(nameOf(at)))
    .map(nameOf)
    .sort();
}
