// A repository and a home on the real disk, with skills in them.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Host } from '../../src/host/host.js';
import type { SDKMessage } from '../../src/protocol/messages.js';
import type { SDKNoticeMessage } from '../../src/protocol/system-messages.js';
import type { ModelRequest } from '../../src/providers/contract/provider.js';
import type { Options } from '../../src/sdk/options/options.js';
import { query } from '../../src/sdk/query.js';
import { collect } from '../../src/testing/model/collect.js';
import { toolCall } from '../../src/testing/model/script.js';
import { type ScriptedStep, scriptedModel } from '../../src/testing/model/scripted-model.js';
import { temporaryFolder } from './engine.js';
import { lastingHost } from './lasting-host.js';

export interface SkillsPlace {
  readonly host: Host;
  /** A repository, and where sessions work. */
  readonly cwd: string;
  readonly homedir: string;
  /** `$TURNWRIGHT_HOME`. */
  readonly home: string;
  /** Files by path from the folder above all three: `repo/…`, `user/…`. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** What every session here needs. */
  readonly options: Options;
}

export async function skillsPlace(): Promise<SkillsPlace> {
  const top = await temporaryFolder();
  const [cwd, homedir] = [path.join(top, 'repo'), path.join(top, 'user')];
  const home = path.join(homedir, '.turnwright');
  const write: SkillsPlace['write'] = async (files) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(top, name)), { recursive: true });
      await writeFile(path.join(top, name), content);
    }
  };
  await write({ 'repo/.git/HEAD': 'ref: refs/heads/main\n', 'user/.bashrc': '' });
  const node = lastingHost({ env: { PATH: process.env['PATH'], TURNWRIGHT_HOME: home } });
  const host: Host = { ...node, platform: { ...node.platform, homedir, cwd } };
  const options: Options = { host, cwd, model: 'claude-sonnet-4-5', limits: { retryBaseMs: 0, retryMaxMs: 0 } };
  return { host, cwd, homedir, home, write, options };
}

/** A SKILL.md. */
export function skillFile(head: Readonly<Record<string, string>>, body = 'Do it well.'): string {
  return `---\n${Object.entries({ description: 'Does it', ...head })
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n')}\n---\n${body}\n`;
}

/** The names that the tool Skill tells the model; null if it is not offered. */
export function offeredSkills(request: ModelRequest | undefined): readonly string[] | null {
  const tool = request?.tools.find(({ name }) => name === 'Skill');
  if (tool === undefined) return null;
  return [...(tool.description.split('\nSkills:\n')[1] ?? '').matchAll(/^- ([\w-]+)/gm)].map(([, name]) => name ?? '');
}

/** What came back for the calls of the last round. */
export function lastResults({
  messages,
}: ModelRequest): readonly { readonly text: string; readonly isError: boolean }[] {
  const content = messages.at(-1)?.content ?? [];
  if (typeof content === 'string') return [];
  return content.flatMap((block) =>
    block.type === 'tool_result' ? [{ text: JSON.stringify(block.content), isError: block.is_error === true }] : [],
  );
}

/** One session of these prompts, each in a process of its own as far as the session can tell. */
export async function talk(
  place: SkillsPlace,
  prompts: string | readonly string[],
  steps: readonly ScriptedStep[],
  options: Options = {},
) {
  const model = scriptedModel([...steps]);
  const all: Options = { ...place.options, provider: model, ...options };
  const messages: SDKMessage[] = [];
  let sessionId: string | undefined;
  for (const prompt of typeof prompts === 'string' ? [prompts] : prompts) {
    const own = await collect(
      query({ prompt, options: sessionId === undefined ? all : { ...all, resume: sessionId } }),
    );
    sessionId = own[0]?.session_id;
    messages.push(...own);
  }
  model.assertDone();
  const results = model.requests.map(lastResults);
  return { model, messages, results, sessionId: sessionId ?? '', notices: noticesOf(messages) };
}

const noticesOf = (messages: readonly SDKMessage[]) =>
  messages.filter((each): each is SDKNoticeMessage => each.type === 'system' && each.subtype === 'notice');
export const callSkill = (skill: string, args?: string) =>
  toolCall('Skill', { skill, ...(args === undefined ? {} : { args }) });
