// The first stages of a prompt: the session is put together, a change of settings is taken over, hooks are heard, the input
// becomes a message, and the system prompt is assembled.

import type { ChangingFacts } from '../../context/environment.js';
import { createLookAround, type InstructionSources } from '../../context/instructions/index.js';
import type { CommandContext } from '../../context/slash-commands.js';
import {
  createDefaultPrompt,
  fetchSystemPromptParts,
  type SystemPromptParts,
  type SystemPromptSection,
  systemPromptSections,
} from '../../context/system-prompt.js';
import { blocksOf } from '../../engine/history/index.js';
import { outputTool } from '../../engine/output/index.js';
import { maxThinkingTokens, type RequestSettings } from '../../engine/request/index.js';
import type { UserBlock, UserMessageParam } from '../../protocol/content.js';
import { SessionError } from '../../protocol/errors.js';
import type { SDKMessageOrigin } from '../../protocol/messages.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { errorText, shorten } from '../../util/text.js';
import { logTo, type PendingNotice, type QueryEngineConfig, type SettingsMoment } from '../config/index.js';
import {
  commandsOf,
  type Prepared,
  type ReadyPrompt,
  type Runtime,
  type Session,
  type SessionRuntime,
  skillsOf,
  type ToldEnvironment,
} from '../core/index.js';
import type { PromptFacts } from '../hooks/index.js';
import { type ProcessedInput, type PromptInput, processUserInput } from '../input/index.js';
import type { Provenance } from '../permission/index.js';
import {
  attachFiles,
  droppedBlocks,
  expansionHook,
  fromHook,
  hideFound,
  hideTyped,
  NOTHING_ATTACHED,
  NOTHING_HEARD,
  prefetchTexts,
  submitHook,
  takeTitle,
  withParts,
} from './hear-message.js';
import { readMemoryIndex } from './memory-index.js';
import { keptInstructions, lookAtRepository, tellBeside } from './told-beside.js';

const NO_SOURCES: InstructionSources = {};

export interface PromptOptions {
  /** Id of the user message in the transcript. */
  readonly uuid?: string;
  /** True: not typed by the user. */
  readonly isMeta?: boolean;
  /** True: the engine's own, about background tasks that ended. */
  readonly isTaskNews?: boolean;
  /** True: a slash is no command, and `@path` no file. */
  readonly isVerbatim?: boolean;
  /** Who said it; absent: a user. */
  readonly origin?: SDKMessageOrigin;
  /** What is to be told of it. */
  readonly notices?: readonly PendingNotice[];
  /** Replies that it may have, at most. */
  readonly maxTurns?: number;
}

/** Output limit of one reply, tokens; the loop lowers it for a model that can give less. */
const MAX_OUTPUT_TOKENS = 32_000;

/** How long an aborted prompt waits for what a session needs: servers may take their time to list their tools. */
const ABORT_GRACE_MS = 2_000;

/** Contract: never throws; what goes wrong becomes the prompt's result. */
export async function preparePrompt(
  session: Session,
  prompt: PromptInput,
  given: PromptOptions,
  signal: AbortSignal,
  commandContext: (runtime: SessionRuntime, signal: AbortSignal) => CommandContext,
): Promise<Prepared> {
  let runtime: SessionRuntime | null = null;
  const options = withOwnId(given, session);
  // Beside everything else that the first prompt waits for.
  const repository = lookAtRepository(session, signal);
  try {
    const opened = await openRuntime(session, signal);
    if (opened === null) return { kind: 'failed', runtime, error: 'Aborted' };
    runtime = opened;
    const settingsNotices = await beginPrompt(session, runtime, signal, options.uuid);
    runtime.telemetry?.promptSaid(prompt);
    const { config, host } = session;
    await session.features.at('inputArrives', { session, runtime, prompt, signal });
    const input = await processUserInput(
      prompt,
      commandsOf(session, runtime),
      () => commandContext(opened, signal),
      admitter(runtime),
      signal,
      host,
      config.verbatimPrompts === true || options.isVerbatim === true,
    );
    if (input.expanded !== null) await startTypedHooks(session, runtime, input.expanded.name);
    if (runtime.provenance !== null && input.expanded !== null) noteServer(runtime.provenance, input.expanded.name);
    if (input.shouldQuery || input.compaction !== null) await runtime.transcript.open();
    const ownModel = input.model ?? session.memory.settings?.model ?? runtime.model;
    const model = input.model ?? session.modelOverride(ownModel);
    const before = input.shouldQuery
      ? await beforeQuery(session, runtime, input, options, model, signal)
      : NOTHING_BEFORE;
    const said = await hideTyped(opening(session, runtime, input), runtime);
    const message = toMessage(withParts(said, await hideFound(before.parts, runtime)), options, session);
    before.told?.(message.message);
    return {
      kind: 'ready',
      runtime,
      input: before.stopped === null ? input : { ...input, shouldQuery: false },
      message,
      texts: [],
      model,
      ownModel,
      notices: [
        ...settingsNotices,
        ...droppedBlocks(input.dropped),
        ...input.notices,
        ...before.notices,
        ...(options.notices ?? []),
      ],
      stoppedByHook: before.stopped,
    };
  } catch (error) {
    logTo(session.config, 'prompt_setup_failed', { error });
    return { kind: 'failed', runtime, error: errorText(error) };
  } finally {
    repository?.end();
  }
}

/** Few skills bring hooks along. */
async function startTypedHooks(session: Session, runtime: SessionRuntime, command: string): Promise<void> {
  const hooks = skillsOf(session)?.hooksOfTyped(command) ?? null;
  if (hooks !== null) await session.features.startSkillHooks({ session, runtime }, hooks);
}

/** What a prompt of a server says is its own. */
function noteServer(provenance: Provenance, command: string): void {
  const [, server] = /^mcp__(.+?)__/.exec(command) ?? [];
  if (server !== undefined) provenance.add({ kind: 'server', name: server });
}

/** Instruction files of a folder that nobody vouches for are there from the first request on. */
function noteInstructions({ loadedInstructions }: Session['memory'], provenance: Provenance): void {
  for (const { file, type } of loadedInstructions?.files ?? [])
    if (type === 'Project' || type === 'Local') provenance.noteFile(file);
}

/** True for a prompt that may be a command of an MCP server. */
export function namesServerPrompt(prompt: PromptInput): boolean {
  return typeof prompt === 'string' && prompt.trimStart().startsWith('/mcp__');
}

/** If the host names the model of each request, the one that a command names is never asked. */
function admitter({ policy, models }: Runtime): (model: string) => Promise<string> {
  return policy === null ? models.admit : async (name) => name;
}

/** What every prompt begins with. @throws SessionError if none may start */
export async function beginPrompt(
  session: Session,
  runtime: SessionRuntime,
  signal: AbortSignal,
  promptId?: string,
): Promise<readonly PendingNotice[]> {
  const { config, memory, features } = session;
  runtime.setPrompt(signal, promptFacts(session, runtime, promptId));
  runtime.telemetry?.beginPrompt(session.modelOverride(runtime.model));
  if (config.cannotStart !== undefined) throw new SessionError('session_invalid', config.cannotStart);
  const begun = (await features.at('promptBegins', { session, runtime })) ?? [];
  const settings = (await lookAtSettings(session, 'prompt')) ?? [];
  const agents = await config.reopenAgents?.();
  const notices = [
    ...begun.flat(),
    ...settings,
    ...(agents == null ? [] : await features.takeAgentsChange(runtime, agents)),
    ...((await config.areSkillsOthers?.()) === true ? await takeOtherSkills(session, runtime) : []),
  ];
  if (config.resumedFrom != null && memory.areSkillsResumed !== true) {
    memory.areSkillsResumed = true;
    if (usesSkills(session)) await features.resumeSkillHooks(session, runtime);
  }
  if (memory.isSnipped || config.snipReplay === undefined) return notices;
  return [...notices, ...(await features.snipResumed(session))];
}

/** A first look, which loads nothing: what of it is the text of a skill is read by who knows. */
function usesSkills({ history }: Session): boolean {
  return history.params.some((message) =>
    blocksOf(message).some((block) =>
      block.type === 'tool_use'
        ? block.name === 'Skill'
        : block.type === 'text' && String(block.text).startsWith('The skill "'),
    ),
  );
}

/** Skills change seldom. */
async function takeOtherSkills(session: Session, runtime: SessionRuntime): Promise<readonly PendingNotice[]> {
  try {
    await session.features.takeSkills(session, runtime);
    return [];
  } catch (error) {
    return [{ code: 'skill_problem', message: `Skills stay as they were: ${errorText(error)}` }];
  }
}

function promptFacts(session: Session, { setup, model }: SessionRuntime, promptId: string | undefined): PromptFacts {
  const { effort } = session.memory.settings ?? setup;
  return {
    model: session.modelOverride(session.memory.settings?.model ?? model),
    ...(promptId === undefined ? {} : { prompt_id: promptId }),
    ...(effort === undefined ? {} : { effort: { level: effort } }),
  };
}

/**
 * The session put together; null if that takes too long after an abort. An abort alone does not end it: once there
 * is a transcript, the prompt is kept.
 */
export async function openRuntime(
  { runtime, assembled, host }: Session,
  signal: AbortSignal,
): Promise<SessionRuntime | null> {
  const before = assembled();
  if (before !== null) return before;
  const opening = runtime();
  const first = await raceAbort(opening, signal);
  if (first !== ABORTED) return first;
  const late = new AbortController();
  const cancelTimer = host.clock.after(ABORT_GRACE_MS, () => late.abort());
  const second = await raceAbort(opening, late.signal).finally(cancelTimer);
  return second === ABORTED ? null : second;
}

interface Before {
  /** Go along with the prompt: attachments, and what hooks add. */
  readonly parts: readonly (string | UserBlock)[];
  readonly notices: readonly PendingNotice[];
  readonly stopped: string | null;
  /** Called with the message that takes them along. */
  readonly told: ((by: UserMessageParam) => void) | null;
}

const NOTHING_BEFORE: Before = { parts: [], notices: [], stopped: null, told: null };

async function beforeQuery(
  session: Session,
  runtime: SessionRuntime,
  input: ProcessedInput,
  options: PromptOptions,
  model: string,
  signal: AbortSignal,
): Promise<Before> {
  const prefetched = prefetchTexts(session, input.message, signal);
  const notes = memoryFolder(runtime);
  // Whoever named the folder wants it read.
  const reads =
    notes?.startsWith('/') === true && session.config.permissions !== undefined ? [`Read(/${notes}/**)`] : [];
  await runtime.gate.approveForPrompt([...input.allowedTools, ...reads]);
  const isStarting = !session.memory.isStarted;
  const started = await startSession(session, runtime, model);
  if (runtime.hooks.has('FileChanged')) await (await runtime.watchedFiles()).look();
  const expanded = input.expanded === null ? NOTHING_HEARD : await expansionHook(runtime, input.expanded);
  if (expanded.stopped !== null) return { ...NOTHING_BEFORE, stopped: expanded.stopped };
  const heard = options.isTaskNews === true ? NOTHING_HEARD : await submitHook(session, runtime, input.message);
  if (heard.stopped !== null) return { ...NOTHING_BEFORE, stopped: heard.stopped };
  const { instructions, now, machine } = await configureRequests(session, runtime);
  if (isStarting) await tellInstructions(session, runtime);
  if (runtime.provenance?.isForeign === true) noteInstructions(session.memory, runtime.provenance);
  const attached = options.isVerbatim === true ? NOTHING_ATTACHED : await attachFiles(session, runtime, input.message);
  const arriving = { session, runtime, message: input.message, signal };
  const named = (await session.features.at('messageArrives', arriving)) ?? [];
  const { maxTurns } = options;
  const news = await tellBeside({ session, runtime, now, instructions, machine, attached: attached.files, maxTurns });
  const parts = [
    ...attached.blocks,
    ...named.flatMap(({ blocks }) => blocks),
    ...news.texts,
    ...started,
    ...expanded.context,
    ...heard.context,
    ...(await prefetched),
  ];
  const notices = [
    ...(isStarting ? instructionProblems(session) : []),
    ...attached.notices,
    ...named.flatMap((each) => each.notices),
    ...approvalsWithoutEffect(session, input),
  ];
  return { parts, notices, stopped: null, told: news.texts.length === 0 ? null : (by) => news.told?.(by) };
}

/** Without rules `canUseTool` decides every call, so nothing can be approved beforehand. */
function approvalsWithoutEffect({ config }: Session, { allowedTools }: ProcessedInput): readonly PendingNotice[] {
  if (allowedTools.length === 0 || config.permissions !== undefined) return [];
  const message = `The command approves ${allowedTools.join(', ').slice(0, 200)}, which has no effect: this session has no permissions, so canUseTool is asked about every call.`;
  return [{ code: 'option_without_effect', message }];
}

/** SessionStart fires before the first prompt, and again after `/clear`. */
export async function startSession(session: Session, runtime: Runtime, model: string): Promise<readonly string[]> {
  if (session.memory.isStarted) return [];
  session.memory.isStarted = true;
  const { setup } = session.config;
  const prepared =
    setup === undefined || session.memory.wasCleared || !runtime.hooks.has('Setup')
      ? []
      : (await runtime.hooks.run('Setup', { trigger: setup })).additionalContext.map(fromHook);
  if (!runtime.hooks.has('SessionStart')) return prepared;
  const { resumedFrom, isFork } = session.config;
  const first = resumedFrom == null ? 'startup' : isFork === true ? 'fork' : 'resume';
  const source = session.memory.wasCleared ? 'clear' : first;
  const { agent, title } = session.config;
  const said = await runtime.hooks.run('SessionStart', {
    source,
    model,
    ...(agent === undefined ? {} : { agent_type: agent }),
    ...(title === undefined ? {} : { session_title: title }),
  });
  if (said.sessionTitle !== null) takeTitle(session, said.sessionTitle);
  return [
    ...prepared,
    ...(said.initialUserMessage === null ? [] : [said.initialUserMessage]),
    ...said.additionalContext.map(fromHook),
  ];
}

/** InstructionsLoaded: once for each file whose text the model gets. */
export async function tellInstructions({ memory }: Session, { hooks }: Runtime): Promise<void> {
  if (!hooks.has('InstructionsLoaded')) return;
  for (const { file, type, reason, parent, globs } of memory.loadedInstructions?.files ?? [])
    await hooks.run('InstructionsLoaded', {
      file_path: file,
      memory_type: type,
      load_reason: reason,
      ...(globs === undefined ? {} : { globs }),
      ...(parent === undefined ? {} : { parent_file_path: parent }),
    });
}

/** What somebody should look at; all the rest stands in `/memory`. */
function instructionProblems({ memory }: Session): readonly PendingNotice[] {
  const problems = (memory.loadedInstructions?.leftOut ?? []).filter(({ isProblem }) => isProblem);
  if (problems.length === 0) return [];
  const listed = problems.slice(0, 5).map(({ source, why }) => `${source}: ${why}`);
  const more = problems.length > listed.length ? `; and ${problems.length - listed.length} more` : '';
  const message = `Instruction files were left out. ${listed.join('; ')}${more}.`;
  return [{ code: 'instructions_left_out', message, remedy: '/memory lists what was loaded and what was not.' }];
}

/**
 * Tells the agent's requests what they share: system prompt, tools, limits.
 * @returns what instruction files say, and what of the environment is so, now
 */
export async function configureRequests(
  session: Session,
  runtime: Runtime,
): Promise<{
  readonly instructions: Readonly<Record<string, string>>;
  readonly now: ChangingFacts;
  /** What it is like, as the system prompt says it. */
  readonly machine: readonly string[];
}> {
  const { config, memory, features } = session;
  await features.at('toolsAreOffered', { session, runtime });
  if (config.systemPromptSnapshot === false) {
    memory.environment = null;
    memory.instructions = null;
  }
  const { parts, sections: made } = await systemPrompt(session, runtime, keptInstructions);
  if (config.systemPromptSnapshot === true && session.depth === 0) memory.recordedPrompt ??= made;
  const sections = memory.recordedPrompt ?? made;
  session.memory.environment = withFolders(session.memory.environment ?? { facts: parts.now, since: null }, parts.now);
  session.memory.loadedInstructions = parts.instructions;
  runtime.requests.configure(requestSettings(session, runtime, sections));
  return { instructions: parts.userContext, now: parts.now, machine: Object.values(parts.systemContext) };
}

/** Few sessions have tools of servers. */
export function mayDeferTools({ memory, config }: Session, { setup, env }: Runtime): boolean {
  // Then a script has them all.
  if (typeof config.codeMode === 'object' && config.codeMode.only === true) return false;
  if (memory.deferral != null || config.toolSearch === 'always' || env['ENABLE_TOOL_SEARCH']) return true;
  return setup.tools.some(({ deferrable }) => deferrable === 'server');
}

/** What is kept of a session says nothing of folders: they are those of the run. */
function withFolders(told: ToldEnvironment, { additionalDirectories }: ChangingFacts): ToldEnvironment {
  if (told.facts.additionalDirectories !== undefined || additionalDirectories === undefined) return told;
  return { ...told, facts: { ...told.facts, additionalDirectories } };
}

/** Folders beside the working directory: of the configuration, and those that came since. */
function workspaceFolders({ config }: Session, { changedRoots }: Runtime): readonly string[] {
  const folders = config.additionalDirectories ?? [];
  const { added, removed } = changedRoots();
  return added.length + removed.length === 0
    ? folders
    : [...folders.filter((each) => !removed.includes(each)), ...added];
}

/**
 * The system prompt in its parts.
 * @param instructions which texts of instruction files it has
 */
export async function systemPrompt(
  session: Session,
  runtime: Runtime,
  instructions: typeof keptInstructions,
): Promise<{ readonly parts: SystemPromptParts; readonly sections: readonly SystemPromptSection[] }> {
  const { config, host, memory } = session;
  const { tools, role, section } = runtime.setup;
  const servers = runtime.servers.now;
  const { language, attribution } = memory.settings ?? config;
  memory.defaultPrompt ??= createDefaultPrompt();
  memory.lookAround ??= createLookAround();
  const isHidden = (await runtime.hiddenFiles?.(null)) ?? null;
  const parts = await fetchSystemPromptParts({
    host,
    cwd: runtime.workplace.cwd,
    folder: runtime.workplace.folder,
    additionalDirectories: workspaceFolders(session, runtime),
    toolNames: tools.map((tool) => tool.name),
    keptFacts: memory.environment?.facts ?? null,
    snapshot: memory.repository ?? null,
    instructions: config.readInstructionFiles === false ? null : (config.instructionSources ?? NO_SOURCES),
    isHidden: isHidden ?? undefined,
    isFollowed: config.isNonInteractiveSession === false,
    style: config.outputStyle,
    defaultPrompt: memory.defaultPrompt,
    lookAround: memory.lookAround,
  });
  const { customSystemPrompt: custom } = config;
  const memoryPath = session.depth > 0 ? undefined : memoryFolder(runtime);
  if (memoryPath !== undefined && memory.memoryIndex === undefined)
    memory.memoryIndex = await readMemoryIndex(host, memoryPath, isHidden);
  const sections = systemPromptSections(
    {
      ...parts,
      ...(config.environmentBeside === true ? { systemContext: {} } : {}),
      userContext: instructions(session, parts.userContext),
    },
    {
      custom: custom === undefined ? undefined : typeof custom === 'string' ? [custom] : custom,
      role,
      section,
      append: config.appendSystemPrompt,
      servers: servers === null ? undefined : servers.instructionsFor(tools),
      memoryPath,
      memoryIndex: memory.memoryIndex,
      attribution,
      language,
      style: config.outputStyle,
    },
  );
  return { parts, sections };
}

/** The folder of notes that outlive sessions; few hosts name one. */
function memoryFolder({ env }: Pick<Runtime, 'env'>): string | undefined {
  const named = env['TURNWRIGHT_MEMORY_PATH'] ?? env['CLAUDE_COWORK_MEMORY_PATH_OVERRIDE'];
  return named === '' ? undefined : named;
}

/** What the agent's requests share, with that system prompt. */
export function requestSettings(
  session: Session,
  runtime: Runtime,
  sections: readonly SystemPromptSection[],
): RequestSettings {
  const { config, memory } = session;
  const { effort } = memory.settings ?? runtime.setup;
  const { thinkingConfig } = memory.settings ?? config;
  const output = config.jsonSchema === undefined ? undefined : outputTool(config.jsonSchema);
  return {
    system: sections.map(({ text }) => text),
    tools: runtime.setup.tools,
    deferral: memory.scripts?.deferral ?? memory.deferral,
    maxTokens: MAX_OUTPUT_TOKENS,
    thinking: thinkingConfig ?? thinkingByTokens(config),
    maxThinkingTokens:
      (thinkingConfig === undefined ? config.maxThinkingTokens : undefined) ?? maxThinkingTokens(runtime.env),
    thinkingForm: (model) => runtime.provider.thinkingForm?.(model) ?? null,
    effort,
    outputSchema: config.jsonSchema,
    outputTool: output?.tool,
    nativeSchema: (model, schema) => runtime.provider.outputSchema?.(model, output?.schema ?? schema) ?? null,
  };
}

/** As an older option says it: a number of tokens for models that take one, and whether the others think at all. */
function thinkingByTokens({ maxThinkingTokens: tokens }: QueryEngineConfig): QueryEngineConfig['thinkingConfig'] {
  if (tokens === undefined) return undefined;
  return { type: tokens === 0 ? 'disabled' : 'enabled' };
}

/** True if the session came to mode plan and has no way out of it yet. */
export function lacksPlanTool({ config, depth }: Session, { gate, setup }: Pick<Runtime, 'gate' | 'setup'>): boolean {
  if (gate.mode !== 'plan' || config.offersPlanLater !== true || depth > 0) return false;
  return !setup.tools.some((tool) => tool.exitsPlan === true);
}

/** The first prompt of a conversation begins with what the definition of the session's agent says. */
function opening({ history, config }: Session, runtime: Runtime, { message, shouldQuery }: ProcessedInput) {
  const { initialPrompt } = runtime.agents.main;
  const isFirst = history.messages.length === 0 && config.resumedFrom == null;
  if (initialPrompt === undefined || !isFirst || !shouldQuery) return message;
  const { content } = message;
  if (typeof content === 'string') return { role: 'user', content: `${initialPrompt}\n\n${content}` } as const;
  return { role: 'user', content: [{ type: 'text', text: initialPrompt }, ...content] } as const;
}

/**
 * The id that a host gave its message, if no other message has it: two of one id would make the transcript a circle, which
 * no reader comes to the end of. Told if it is another then.
 */
export function withOwnId<Given extends Pick<PromptOptions, 'uuid' | 'notices'>>(
  given: Given,
  { history, givenIds, host }: Session,
): Given & { readonly uuid: string } {
  const { uuid, notices = [] } = given;
  if (uuid === undefined) return { ...given, uuid: host.ids.uuid() };
  const isFree = !givenIds.has(uuid) && history.messages.every((message) => message.uuid !== uuid);
  givenIds.add(uuid);
  if (isFree) return { ...given, uuid };
  const own = host.ids.uuid();
  const message = `A message came with the id "${shorten(uuid, 60)}", which another message of this session has. It got the id ${own}.`;
  const remedy = 'Give each message an id of its own, or none.';
  return { ...given, uuid: own, notices: [...notices, { code: 'message_id_replaced', message, remedy }] };
}

export function toMessage(
  message: UserMessageParam,
  options: PromptOptions & { readonly uuid: string },
  { host }: Session,
): NonNullable<ReadyPrompt['message']> {
  return {
    type: 'user',
    uuid: options.uuid,
    message,
    timestamp: new Date(host.clock.now()).toISOString(),
    ...(options.isMeta ? { isMeta: true } : {}),
    ...(options.origin === undefined ? {} : { origin: options.origin }),
  };
}

/** Takes a change over. What is to be told; null if there is nothing to look at. Contract: never rejects. */
export function lookAtSettings(session: Session, moment: SettingsMoment): Promise<readonly PendingNotice[]> | null {
  const looking = session.config.reopenSettings?.(moment) ?? null;
  if (looking === null) return null;
  return looking
    .then(async (change) => {
      if (change === null) return [];
      return session.features.takeSettingsChange(session, await session.runtime(), change, moment);
    })
    .catch((error: unknown) => [
      { code: 'settings_problem', message: `Settings changed and stay as they were: ${errorText(error)}` },
    ]);
}
