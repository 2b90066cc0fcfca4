// Puts one subagent together: what it shares with the session it works for, and what is its own. One rule: it may
// never do, spend or see more than the session allows.
import path from 'node:path';
import { DENIALS, SAFETY, SOURCES } from '../../context/system-prompt.js';
import { type AgentCall, type MessageDraft, NO_COMPACTION, textOf } from '../../engine/state/index.js';
import { ToolError } from '../../protocol/errors.js';
import { GENERAL_PURPOSE } from '../../subagents/built-in-agents.js';
import { promptOf } from '../../subagents/built-in-prompts.js';
import type { AgentType } from '../../subagents/definition.js';
import { inheritTools } from '../../subagents/inherit.js';
import { createFileStateCache } from '../../tools/file-state-cache.js';
import type { AgentRequest, TodoItem, Tools } from '../../tools/tool.js';
import { errorText } from '../../util/text.js';
import type { PreloadedSkill, QueryEngineConfig } from '../config/index.js';
import { type AgentRun, MEMORY_INDEX, noticeDraft, type Runtime, type Session, skillsOf } from '../core/index.js';
import { createHistory, createStamp, type History } from '../messages/index.js';
import { readMemoryIndex } from '../prompt/index.js';
import { homeFolder, type Transcript } from '../store/index.js';
import type { PastAgent } from '../tasks/index.js';
import { type AgentSetup, createAgentParts } from '../tools/index.js';
import { tellMoved } from '../workplace/index.js';

export interface ChildAgent {
  readonly agentId: string;
  readonly type: AgentType;
  /** The call it works for. */
  readonly toolUseId: string;
  readonly run: AgentRun;
  /**
   * Puts away what it had of its own. Resolves with the place of what it made, or null. Never rejects; may be called
   * again.
   */
  close(): Promise<string | null>;
  /** The worktree that it works in. */
  readonly worktree: string | null;
}

/** @throws ToolError if the request cannot be met, and what to ask for instead */
export async function assembleAgent(
  parent: AgentRun,
  request: AgentRequest,
  call: AgentCall,
  past: PastAgent | null = null,
): Promise<ChildAgent> {
  const { session, runtime } = parent;
  const type = findType(runtime.agents.types, past?.type ?? request.agent ?? GENERAL_PURPOSE.name);
  if ((request.isolation ?? type.isolation) === 'worktree' && runtime.gate.mode === 'plan')
    throw new ToolError('Plan mode changes nothing, so no worktree is made. Ask for an agent without isolation.');
  const inherited = await toolsOf(type, parent, call.signal);
  const { model, isModelNamed } = await modelOf(parent, type, request);
  const agentId = past?.agentId ?? `a${session.host.ids.uuid().replaceAll('-', '').slice(-16)}`;
  const config = configOf(session.config);
  const history = createHistory(past?.messages ?? []);
  // Settings that changed meanwhile count for agents that start from now on.
  const { settings } = session.memory;
  const effort = request.effort ?? type.effort ?? (settings ?? session.config).effort;
  const skills = await skillsOfAgent(parent, type);
  const setup: AgentSetup = {
    tools: inherited,
    role: [...subagentRole(promptOf(type)), ...skills.map(({ text }) => text)],
    maxTurns: type.maxTurns ?? session.config.maxTurns,
    effort,
  };
  const own: Session = {
    ...session,
    config,
    stamp: createStamp(session.sessionId, session.host, {
      agentId,
      toolUseId: call.toolUseId,
      type: type.name,
      description: request.description,
    }),
    history,
    memory: {
      compaction: NO_COMPACTION,
      turns: 0,
      isStarted: true,
      wasCleared: false,
      isOrphanAsked: true,
      isTitled: true,
      isSnipped: true,
      environment: null,
      instructions: null,
      ...(settings === undefined ? {} : { settings: { ...settings, ...(effort === undefined ? {} : { effort }) } }),
      deferred: new Map(),
      inbox: [],
    },
    depth: session.depth + 1,
  };
  const { lastUuid = null } = past ?? {};
  const { signal } = call;
  const ownRuntime = runtimeOf(parent, { agentId, type, config, setup, model, history, signal, lastUuid });
  await denyToo(ownRuntime, type);
  const run = { agentId, session: own, runtime: ownRuntime, model, isModelNamed, tokens: parent.tokens, answered: [] };
  const closing: (() => Promise<unknown>)[] = [ownRuntime.hooks.close];
  const bringsHooks = skills.some(({ hooks }) => hooks !== null);
  if (type.hooks !== undefined || bringsHooks) await session.features.addOwnHooks(run, type, skills, runtime.tell);
  const worktree = await openOwnParts(run, type, { request, signal, closing, kept: past?.worktree ?? null });
  const close = async (): Promise<string | null> => {
    const left = (await worktree?.close()) ?? null;
    for (const end of closing.splice(0).reverse()) await end().catch(() => undefined); // the agent is over whatever fails here
    return left;
  };
  return { agentId, type, toolUseId: call.toolUseId, run, close, worktree: worktree?.name ?? null };
}

/** Parts of calls that its definition refuses: `Bash(git push *)`. @throws ToolError if one is no rule: nothing is widened */
async function denyToo({ gate }: Runtime, { name, disallowedTools }: AgentType): Promise<void> {
  const rules = disallowedTools.filter((rule) => rule.includes('('));
  if (rules.length === 0) return;
  try {
    await gate.denyToo(rules);
  } catch (error) {
    throw new ToolError(`The agent ${name} cannot work: its disallowedTools cannot be used. ${errorText(error)}`);
  }
}

interface OwnParts {
  readonly request: AgentRequest;
  readonly signal: AbortSignal;
  /** Takes what ends with the agent. */
  readonly closing: (() => Promise<unknown>)[];
  /** The worktree of an agent that goes on. */
  readonly kept: string | null;
}

/** What few agents have: a memory, a checkout. @throws ToolError if the checkout cannot be made */
async function openOwnParts(
  run: AgentRun,
  type: AgentType,
  { request, signal, closing, kept }: OwnParts,
): Promise<AgentWorktree | null> {
  const { runtime } = run;
  try {
    if (type.memory !== undefined) {
      const { folder, text, recalled } = await readAgentMemory(run, type);
      if (recalled !== null) runtime.tell(recalled);
      runtime.setup = { ...runtime.setup, role: [...(runtime.setup.role ?? []), text] };
      await runtime.gate.approveForPrompt([`Read(/${folder}/**)`], true);
    }
    if ((request.isolation ?? type.isolation) !== 'worktree') return null;
    return await openWorktree(run, signal, kept);
  } catch (error) {
    for (const end of closing.splice(0).reverse()) await end().catch(() => undefined); // what failed first is told
    throw error;
  }
}

interface Own {
  readonly agentId: string;
  readonly type: AgentType;
  readonly config: QueryEngineConfig;
  readonly setup: AgentSetup;
  readonly model: string;
  readonly history: History;
  readonly signal: AbortSignal;
  /** Where its transcript goes on. */
  readonly lastUuid: string | null;
}

function runtimeOf({ session, runtime: shared }: AgentRun, own: Own): Runtime {
  const { agentId, type } = own;
  let drafts: MessageDraft[] = [];
  let onTold: () => void = () => undefined;
  const onDraft = (draft: MessageDraft): void => {
    drafts.push(draft);
    onTold();
  };
  const transcript = openTranscript(shared, agentId, own.lastUuid);
  const hooks = shared.hooks.forAgent({
    agentId,
    agentType: type.name,
    agentTranscriptPath: transcript.path ?? '',
    facts: () => ({
      transcriptPath: shared.sessionFolder === null ? '' : `${shared.sessionFolder}.jsonl`,
      permissionMode: gate.mode,
      cwd: workplace.cwd,
      signal: own.signal,
      prompt: shared.promptFacts(),
      lastText: lastTextOf(own.history),
    }),
    onDraft,
  });
  const workplace = shared.workplace.forAgent({
    onMoved: (old_cwd, new_cwd) => tellMoved(hooks, old_cwd, new_cwd),
  });
  const gate = shared.gate.forAgent({
    agentId,
    mode: type.permissionMode,
    mayLoosen: type.source.scope === 'option',
    hooks,
  });
  const { env, limits, prices, secrets, sessionFolder, vault, limitSpending } = shared;
  const budget = shared.budget?.child() ?? null;
  const { contextWindow } = shared.loop;
  const common = {
    host: session.host,
    env,
    limits,
    prices,
    secrets,
    contextWindow,
    budget,
    limitSpending,
    sessionFolder,
    elicit: null,
    hiddenFiles: gate.hiddenFiles,
    sandbox: shared.sandbox,
    vault,
    tasks: shared.tasks,
    telemetry: shared.telemetry,
    openWeb: shared.openWeb,
    workplace,
  };
  const parts = createAgentParts(own.config, agentId, common);
  return {
    ...shared,
    model: own.model,
    policy: shared.policy?.forAgent({ agentId, agentType: type.name }) ?? null,
    transcript,
    gate,
    hiddenFiles: gate.hiddenFiles,
    hooks,
    workplace,
    setup: own.setup,
    requests: parts.requests,
    compactor: parts.compactor,
    budget,
    spending: parts.spending,
    takeNotices: () => [],
    tell: onDraft,
    onTold(listener) {
      onTold = listener;
      if (drafts.length > 0) listener();
    },
    takeDrafts() {
      const told = drafts;
      drafts = [];
      return told;
    },
    setPrompt: () => undefined,
    loop: {
      ...shared.loop,
      toolContext: parts.toolContext,
      lostPlace: workplace.lost,
      // The call that the agent works for is recorded before anything the agent does.
      async beforeSideEffect(call) {
        await transcript.sync();
        return shared.loop.beforeSideEffect(call);
      },
    },
    close: () => transcript.close(),
  };
}

function openTranscript({ transcript, sessionFolder }: Runtime, agentId: string, lastUuid: string | null): Transcript {
  return transcript.forAgent(agentId, path.join(sessionFolder ?? '', 'subagents'), lastUuid);
}

/** A conversation of its own: its own todos, files seen, prompt; no value to give, and nothing of the host's callbacks. */
function configOf(session: QueryEngineConfig): QueryEngineConfig {
  const {
    customSystemPrompt: _prompt,
    appendSystemPrompt: _append,
    jsonSchema: _schema,
    parseOutput: _parse,
    snipReplay: _snip,
    setSDKStatus: _status,
    ...shared
  } = session;
  let todos: readonly TodoItem[] = [];
  return {
    ...shared,
    includePartialMessages: session.includePartialMessages === true && session.streamSubagents === true,
    readFileCache: createFileStateCache(),
    getAppState: () => ({ ...session.getAppState(), todos }),
    setAppState: (change) =>
      session.setAppState((previous) => {
        const next = change({ ...previous, todos });
        todos = next.todos;
        return { ...next, todos: previous.todos };
      }),
  };
}

/** Why one could not be had is told to the agent, and to who watches the session. */
async function skillsOfAgent(
  { session, runtime }: AgentRun,
  { name, skills }: AgentType,
): Promise<readonly PreloadedSkill[]> {
  const { deny = [], ask = [] } = runtime.gate.rules ?? {};
  const loaded = skills === undefined ? [] : ((await skillsOf(session)?.preload(skills, [...deny, ...ask])) ?? []);
  for (const { problem } of loaded)
    if (problem !== null)
      runtime.tell(
        noticeDraft({ code: 'skill_problem', message: `The agent ${name} works without a skill. ${problem}` }),
      );
  return loaded;
}

function findType(types: readonly AgentType[], name: string): AgentType {
  const found = types.find((type) => type.name === name);
  if (found !== undefined) return found;
  throw new ToolError(`There is no agent "${name}". Agents: ${types.map((type) => type.name).join(', ')}.`);
}

async function toolsOf(type: AgentType, { session, runtime }: AgentRun, signal: AbortSignal): Promise<Tools> {
  const { agents, servers } = runtime;
  const depth = session.depth + 1;
  const mine =
    type.mcpServers === undefined
      ? agents.tools
      : await session.features.serversOfAgent(type.name, type.mcpServers, agents.tools, servers, signal);
  // An agent asks nobody: its task is all it is told, and its report says what it had to guess.
  // Who wrote the program may give an agent what the main agent does not have; a file may not.
  const more = type.source.scope === 'option' && type.tools !== null ? agents.agentTools : [];
  const tools = inheritTools([...mine, ...more], type, depth < agents.maxDepth).filter(
    (tool) =>
      tool.asksUser !== true && tool.exitsPlan !== true && tool.entersPlan !== true && tool.movesSession !== true,
  );
  if (tools.length > 0 || type.tools === null || type.tools.length === 0) return tools;
  throw new ToolError(
    `The agent ${type.name} cannot work: this session has none of its tools (${type.tools.join(', ')}).`,
  );
}

async function modelOf(
  parent: AgentRun,
  type: AgentType,
  request: AgentRequest,
): Promise<Pick<AgentRun, 'model' | 'isModelNamed'>> {
  const { models, policy } = parent.runtime;
  const inherited = { model: parent.model, isModelNamed: parent.isModelNamed };
  const wanted = request.model === 'inherit' ? undefined : (request.model ?? type.model ?? undefined);
  if (policy !== null) return inherited;
  if (wanted === undefined) return type.size === 'small' ? smallModel(parent, inherited) : inherited;
  try {
    return { model: await models.admit(wanted), isModelNamed: true };
  } catch (error) {
    const problem = `The agent ${type.name} cannot use the model "${wanted}". ${errorText(error)}`;
    // A file is written for many sessions, and does not know what each of them has.
    if (request.model !== undefined || type.source.file === null) throw new ToolError(problem);
    parent.runtime.tell(
      noticeDraft({ code: 'agent_problem', message: `${problem} So it works with ${parent.model}.` }),
    );
    return inherited;
  }
}

/** The tier `lite`, if the provider that answers already has one: nothing is shown to another for that. */
async function smallModel(
  { runtime: { models } }: AgentRun,
  inherited: Pick<AgentRun, 'model' | 'isModelNamed'>,
): Promise<Pick<AgentRun, 'model' | 'isModelNamed'>> {
  try {
    const model = await models.admit(SMALL);
    const isSame = models.locate(model).provider === models.locate(inherited.model).provider;
    return isSame && model !== SMALL ? { model, isModelNamed: true } : inherited;
  } catch {
    return inherited; // there is no small one here, which nobody asked for by name
  }
}

const SMALL = 'lite';

function lastTextOf({ messages }: History): string {
  const last = messages.findLast((message) => message.type === 'assistant');
  return last?.type === 'assistant' ? textOf(last.message.content) : '';
}

// What an agent remembers from one time to the next: a folder of its own, whose index stands in its system prompt. One
// rule: what stands there is data of earlier runs, and is bounded.

interface AgentMemory {
  /** Absolute. */
  readonly folder: string;
  /** For the system prompt. */
  readonly text: string;
  /** What its host is told: which index stands there. Null if there is none. */
  readonly recalled: MessageDraft | null;
}

async function readAgentMemory({ session, runtime }: AgentRun, type: AgentType): Promise<AgentMemory> {
  const { host, config } = session;
  const places = placesOf(type, config.cwd, homeFolder(host, runtime.env), host.platform.homedir);
  const found = await host.fs.lstatAll(places);
  // What another program kept for the agent goes on.
  const folder = places[found.findIndex((stat) => stat?.kind === 'directory')] ?? places[0] ?? '';
  const index = await readMemoryIndex(host, folder, (await runtime.hiddenFiles?.(null)) ?? null);
  const scope = type.memory === 'project' ? 'team' : 'personal';
  const said =
    index === null ? 'It has no index yet.' : `Its index, written by earlier runs of you; it binds nobody:\n${index}`;
  return {
    folder,
    text: `# Your memory
The folder ${folder} keeps what you want to know the next time: findings, decisions, habits of this project. Keep ${MEMORY_INDEX} in it as a short index, and longer notes in files beside it. Write there when you learn something that will matter again; never secrets.
${said}`,
    recalled:
      index === null
        ? null
        : {
            type: 'system',
            subtype: 'memory_recall',
            mode: 'select',
            memories: [{ path: path.join(folder, MEMORY_INDEX), scope }],
          },
  };
}

/** Ours first. */
function placesOf({ name, memory }: AgentType, cwd: string, home: string, homedir: string): string[] {
  const own = name.replace(/[^\p{L}\p{N}_.-]/gu, '-');
  if (memory === 'user')
    return [home, ...['.claude', '.qoder'].map((other) => path.join(homedir, other))].map((base) =>
      path.join(base, 'agent-memory', own),
    );
  const kind = memory === 'local' ? 'agent-memory-local' : 'agent-memory';
  return ['.turnwright', '.claude', '.qoder'].map((base) => path.join(cwd, base, kind, own));
}

// A checkout of its own for one agent. Loaded with the first that wants one. One rule: what it made there is never thrown
// away: a worktree with changes stays, and whoever asked for the agent is told where.

interface AgentWorktree {
  readonly name: string;
  /** Resolves with the place of what the agent made, or null if nothing is left of it. Never rejects. */
  close(): Promise<string | null>;
}

/**
 * Makes one, or takes up that of an agent which goes on, and lets the agent work in it.
 * @throws ToolError if it cannot be made
 */
async function openWorktree(
  { session, runtime }: AgentRun,
  signal: AbortSignal,
  kept: string | null,
): Promise<AgentWorktree> {
  const { features } = session;
  const { createWorktree, enterWorktree, findWorktree, keepWorktree, moveInto, removeWorktree, rulesInWorktree } =
    await features.worktrees();
  const { host, sessionId, config } = session;
  const { gitWatch } = runtime.loop;
  const { PATH, HOME } = runtime.env;
  const place = {
    host,
    env: { PATH, HOME },
    folder: await host.fs.realpath(config.cwd),
    home: homeFolder(host, runtime.env),
    sessionId,
    hooks: runtime.hooks,
    gitWatch: gitWatch ?? (async () => (await features.gitWatch()).openGitWatch(config, host, runtime.env)),
    signal,
  };
  const isThere = kept !== null && (await findWorktree(place, kept))?.isThere === true;
  const worktree = isThere ? await enterWorktree(place, kept) : await createWorktree(place);
  const move = await moveInto(host, place.folder, worktree);
  const left = [...new Set([config.cwd, place.folder])];
  // The rules first: nothing is decided by those of another folder. What the session has, its agents have too.
  runtime.gate.setView((rules) => rulesInWorktree(rules, { ...move, left, keepsLeft: true }));
  runtime.sandbox?.alsoBelow?.(move.from, move.to);
  await runtime.workplace.enter(worktree.folder);
  return {
    name: worktree.name,
    async close() {
      // Also after an abort it is put away.
      const last = { ...place, signal: new AbortController().signal };
      try {
        if ((await removeWorktree(last, worktree)).isRemoved) return null;
        await keepWorktree(last, worktree.name);
      } catch (error) {
        runtime.loop.log('worktree_not_removed', { error: errorText(error) });
      }
      const branch = worktree.branch === null ? '' : `, on the branch ${worktree.branch}`;
      return `[What it changed stands in a worktree of its own: ${worktree.path}${branch}. Merge it from there, or leave it.]`;
    },
  };
}

// What a subagent is told instead of the default system prompt.

const SUBAGENT = `# You are a subagent
- Another agent gave you this task; its messages stand for the user's. You see nothing of its conversation, and it sees nothing of yours but your last message.
- Nobody answers questions. If something is unclear, choose the most sensible reading and say what you assumed.
- End with a report: what you found or did, with paths and line numbers, and what is unfinished or unverified. Anything that needs to be known must be in it.`;

/** What a subagent is told: the prompt of its definition, and how it stands to the agent that started it. */
function subagentRole(prompt: string): string[] {
  return [prompt, SUBAGENT, SOURCES, DENIALS, SAFETY];
}
