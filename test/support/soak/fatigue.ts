// How often somebody is asked: simulated sessions of work in several projects, at the real gate, with a person who takes
// what is offered and keeps it as far as that says: for the session or for the project. One rule: what was answered with
// "always" is not asked again.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { GateCall } from '../../../src/engine/state/loop-state.js';
import { resolveSubject } from '../../../src/engine/subject/resolve-subject.js';
import { createNodeHost } from '../../../src/host/node-host.js';
import type { PermissionContext } from '../../../src/permissions/permission-call.js';
import { type PermissionRule, ruleFromValue } from '../../../src/permissions/rule.js';
import type { CanUseTool } from '../../../src/protocol/permissions.js';
import { NO_HOOKS } from '../../../src/session/hooks/live-hooks.js';
import { createPermissionGate } from '../../../src/session/permission/permission-gate.js';
import { getTools } from '../../../src/tools/builtin.js';
import type { AnyTool, ToolSubject } from '../../../src/tools/tool.js';
import { FAR, KINDS, type Kind, LOOKS, NEAR } from './fatigue-work.js';
import { createRandom, type Random } from './random.js';

export interface Fatigue {
  sessions: number;
  calls: number;
  questions: number;
  /** Questions about what was answered with "always" before. */
  repeated: number;
  /** Questions that told no reason. */
  unexplained: number;
  /** Calls that were denied without a question, by number; there are no rules that deny. */
  denied: number;
}

interface Call {
  readonly tool: string;
  readonly input: Record<string, unknown>;
}

const CALLS = 100;

/** Takes all that is offered. */
const takesAll: CanUseTool = async (_tool, _input, { suggestions = [] }) =>
  suggestions.length === 0 ? { behavior: 'allow' } : { behavior: 'allow', updatedPermissions: suggestions };

/**
 * @param sandboxed commands run inside a sandbox that lets out to the registry and the server of the repository
 * @param person who is asked: the callback that a face gives
 */
export async function countQuestions(
  sessions: number,
  seed: number,
  sandboxed: boolean,
  person: CanUseTool = takesAll,
): Promise<Fatigue> {
  const random = createRandom(seed);
  const projects = KINDS.map((kind): Project => ({ kind, allow: [] }));
  const totals: Fatigue = { sessions, calls: 0, questions: 0, repeated: 0, unexplained: 0, denied: 0 };
  const top = await realpath(await mkdtemp(path.join(tmpdir(), 'turnwright-fatigue-')));
  try {
    for (const folder of ['app/src', 'app/test', 'app/docs', 'app/.git', 'other'])
      await mkdir(path.join(top, folder), { recursive: true });
    await writeFile(path.join(top, 'app', 'src', 'a.ts'), 'x');
    for (let session = 0; session < sessions; session++)
      await runSession(
        path.join(top, 'app'),
        projects[session % projects.length] as Project,
        random,
        sandboxed,
        totals,
        person,
      );
  } finally {
    await rm(top, { recursive: true, force: true });
  }
  return totals;
}

/** A project, and the rules that were kept for it. */
interface Project {
  readonly kind: Kind;
  allow: readonly PermissionRule[];
}

async function runSession(
  root: string,
  project: Project,
  random: Random,
  sandboxed: boolean,
  totals: Fatigue,
  person: CanUseTool,
) {
  const tools = await getTools();
  const always = new Set<string>();
  let asked: Call | null = null;
  const canUseTool: CanUseTool = async (tool, input, options) => {
    const { decisionReason = '' } = options;
    const key = JSON.stringify([tool, input]);
    asked = { tool, input };
    totals.questions++;
    if (always.has(key)) totals.repeated++;
    if (decisionReason === '') totals.unexplained++;
    const answer = await person(tool, input, options);
    const kept = answer.behavior === 'allow' ? (answer.updatedPermissions ?? []) : [];
    if (kept.length > 0) always.add(key);
    for (const update of kept)
      if (update.type === 'addRules' && update.destination === 'localSettings')
        project.allow = [...project.allow, ...update.rules.map((rule) => ruleFromValue(rule, { base: root }))];
    return answer;
  };
  const context: PermissionContext = {
    mode: 'default',
    deny: [],
    ask: [],
    allow: project.allow,
    roots: [root],
    home: '/home/somebody',
    ...(sandboxed ? { sandbox: { autoAllowBash: true, allowUnsandboxed: true, excluded: [] } } : {}),
  };
  const gate = createPermissionGate({ context, canUseTool, defers: false, hooks: NO_HOOKS });
  for (const call of session(root, project.kind, random, sandboxed)) {
    totals.calls++;
    const { behavior } = await gate.decide(await gateCall(call, tools, root, totals.calls));
    if (behavior !== 'allow' && asked === null) totals.denied++;
    asked = null;
  }
}

/** The calls of one session: looking around, changing files, running what the project runs, some of it again and again. */
function session(root: string, kind: Kind, random: Random, sandboxed: boolean): readonly Call[] {
  const calls: Call[] = [];
  const file = (): string => path.join(root, random.pick(['src', 'test', 'docs']), random.pick(kind.files));
  const bash = (command: string, more: object = {}): void =>
    void calls.push({ tool: 'Bash', input: { command, ...more } });
  while (calls.length < CALLS) {
    const what = random.next();
    if (what < 0.25) calls.push({ tool: 'Read', input: { file_path: file() } });
    else if (what < 0.35) calls.push({ tool: 'Grep', input: { pattern: 'x', path: root } });
    else if (what < 0.4) calls.push({ tool: 'Glob', input: { pattern: '**/*', path: root } });
    else if (what < 0.55) calls.push({ tool: 'Edit', input: { file_path: file(), old_string: 'a', new_string: 'b' } });
    else if (what < 0.58) calls.push({ tool: 'Write', input: { file_path: file(), content: 'x' } });
    else if (what < 0.6) calls.push({ tool: 'TodoWrite', input: { todos: [] } });
    else if (what < 0.61) calls.push({ tool: 'Read', input: { file_path: path.join(root, '..', 'other', 'b.ts') } });
    else if (what < 0.78) bash(random.pick(LOOKS));
    else if (what < 0.97) bash(random.pick(kind.commands));
    else {
      const command = random.pick([...FAR, ...NEAR, ...kind.registry]);
      bash(command);
      // Inside it fails, so the model asks to leave.
      if (sandboxed && FAR.includes(command)) bash(command, { dangerouslyDisableSandbox: true });
    }
  }
  return calls.slice(0, CALLS);
}

async function gateCall(
  { tool: name, input }: Call,
  tools: readonly AnyTool[],
  cwd: string,
  at: number,
): Promise<GateCall> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const { subject, title } = tool as {
    subject(input: unknown, cwd: string): ToolSubject;
    title(input: unknown): string;
  };
  return {
    toolName: name,
    toolUseId: `toolu_${at}`,
    readOnly: tool.readOnly,
    subject: await resolveSubject(subject(input, cwd), { host: createNodeHost(), cwd }),
    input,
    title: title(input),
    asksUser: false,
    hook: null,
    signal: new AbortController().signal,
  };
}
