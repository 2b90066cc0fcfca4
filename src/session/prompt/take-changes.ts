// What changed while the session lasts, taken over between two requests: settings, agents, skills, the model, mode plan. Loaded
// with the first change. One rule: what stays as it was is told.
import type { SettingScope } from '../../context/settings/index.js';
import { toSlashCommand } from '../../context/slash-commands.js';
import { ConfigError } from '../../protocol/errors.js';
import { inheritTools } from '../../subagents/inherit.js';
import { exitPlanModeTool } from '../../tools/plan-mode.js';
import { SKILL_TOOL } from '../../tools/skill.js';
import type { Tools } from '../../tools/tool.js';
import { errorText } from '../../util/text.js';
import {
  type AgentFiles,
  logTo,
  type OfferedChange,
  type PendingNotice,
  type SettingsChange,
  type SettingsMoment,
} from '../config/index.js';
import {
  commandsOf,
  type FeatureParts,
  noticeDraft,
  type Runtime,
  type Session,
  type SessionRuntime,
  type TakenSkill,
} from '../core/index.js';
import { fromHook } from './hear-message.js';
import { configureRequests } from './prepare-prompt.js';

/** Keys that act with the next turn: what may be done. */
const WITH_TURN = [
  'permissions.allow',
  'permissions.deny',
  'permissions.ask',
  'permissions.additionalDirectories',
  'permissions.disableBypassPermissionsMode',
  'permissions.disableAutoMode',
  'permissions.blockReadsOutsideWorkingDirectories',
  'permissions.blockWritesOutsideWorkingDirectories',
  'permissions.denyInsteadOfPrompting',
  'disableAutoMode',
  'allowManagedPermissionRulesOnly',
];

/** Keys that act with the next prompt, with all below them; the others with the next session. */
const WITH_PROMPT = [
  'model',
  'effort',
  'thinking',
  'language',
  'attribution',
  'includeCoAuthoredBy',
  'hooks',
  'disableAllHooks',
  'allowManagedHooksOnly',
];

/** What hooks call the source. */
const SOURCES: Readonly<Record<SettingScope, string>> = {
  managed: 'policy_settings',
  flag: 'flag_settings',
  local: 'local_settings',
  project: 'project_settings',
  user: 'user_settings',
};

/**
 * Takes a change over, but for files that a ConfigChange hook objects to: they count as before until they change again.
 * Nobody objects to managed settings.
 * Contract: never throws but what reading again gives. What is to be told.
 */
export async function takeSettingsChange(
  session: Session,
  runtime: SessionRuntime,
  offered: OfferedChange,
  moment: SettingsMoment,
): Promise<readonly PendingNotice[]> {
  const refused = await askHooks(runtime, offered);
  if (refused === null) return take(session, runtime, offered, moment);
  const { files, objection } = refused;
  const rest = await offered.without(files);
  const keys = offered.keys.filter((key) => rest?.keys.includes(key) !== true);
  await record(session, runtime, { files, keys }, moment, objection);
  const told = notice(`A hook objected, so these settings stay as they were: ${list(keys)}. ${objection}`, files);
  return rest === null ? [told] : [told, ...(await take(session, runtime, rest, moment))];
}

async function take(
  session: Session,
  runtime: SessionRuntime,
  change: SettingsChange,
  moment: SettingsMoment,
): Promise<readonly PendingNotice[]> {
  await record(session, runtime, change, moment, null);
  runtime.gate.replaceBase(change.base);
  const { memory, config } = session;
  memory.commandHooks = change.commandHooks;
  const ofPlugins = change.onlyManagedHooks ? [] : (memory.pluginHooks ?? config.pluginHooks ?? []);
  await runtime.hooks.replace([...change.commandHooks, ...ofPlugins], moment === 'prompt');
  const { model, ...live } = change.live;
  const admitted = await admit(session, runtime, model);
  session.memory.settings = { ...live, ...(admitted.model === undefined ? {} : { model: admitted.model }) };
  if (change.keys.length === 0) return [...change.notices, ...admitted.notices];
  return [
    notice(`Settings changed, ${whenTheyAct(change.keys, moment)}.`, change.files),
    ...change.notices,
    ...admitted.notices,
  ];
}

/** So that who reads the session later knows what it went by from there on. */
async function record(
  { host }: Session,
  { transcript }: SessionRuntime,
  { files, keys }: Pick<SettingsChange, 'files' | 'keys'>,
  moment: SettingsMoment,
  objection: string | null,
): Promise<void> {
  const timestamp = new Date(host.clock.now()).toISOString();
  const why = objection === null ? {} : { objection };
  await transcript.annotate({
    type: 'turnwright-settings',
    moment,
    files: files.map(({ scope, file }) => ({ scope, file })),
    keys,
    ...why,
    timestamp,
  });
}

function whenTheyAct(keys: readonly string[], moment: SettingsMoment): string {
  const isOfPrompt = (key: string) => WITH_PROMPT.some((own) => key === own || key.startsWith(`${own}.`));
  const isNow = (key: string) => WITH_TURN.includes(key) || (moment === 'prompt' && isOfPrompt(key));
  const isNext = (key: string) => moment === 'turn' && isOfPrompt(key);
  const parts: readonly (readonly [string, readonly string[]])[] = [
    [`from this ${moment} on`, keys.filter(isNow)],
    ['from the next prompt on', keys.filter(isNext)],
    ['with the next session', keys.filter((key) => !WITH_TURN.includes(key) && !isOfPrompt(key))],
  ];
  return parts.flatMap(([when, some]) => (some.length === 0 ? [] : [`${when}: ${list(some)}`])).join('; ');
}

/** Null if nobody objects. */
async function askHooks(
  { hooks }: SessionRuntime,
  { files }: SettingsChange,
): Promise<{ readonly files: SettingsChange['files']; readonly objection: string } | null> {
  if (!hooks.has('ConfigChange')) return null;
  const refused: { readonly place: SettingsChange['files'][number]; readonly reason: string }[] = [];
  for (const place of files) {
    const { scope, file } = place;
    const { block } = await hooks.run('ConfigChange', { source: SOURCES[scope], file_path: file });
    if (block !== null && scope !== 'managed') refused.push({ place, reason: block.reason });
  }
  if (refused.length === 0) return null;
  const reasons = new Set(refused.map(({ reason }) => reason));
  return { files: refused.map(({ place }) => place), objection: [...reasons].join(' ') };
}

/** A model that cannot be had leaves the session with the one it has. */
async function admit({ config, memory }: Session, { models }: SessionRuntime, model: string | undefined) {
  if (model === undefined) return { model, notices: [] };
  try {
    return { model: await models.admit(model), notices: [] };
  } catch (error) {
    logTo(config, 'settings_model_failed', { error });
    const message = `The model of the settings cannot be used, so the session stays with its own: ${errorText(error)}`;
    return { model: memory.settings?.model, notices: [{ code: 'settings_problem', message }] as const };
  }
}

function notice(message: string, files: SettingsChange['files']): PendingNotice {
  return { code: 'settings_changed', level: 'info', message, setting: { file: files[0]?.file ?? null, key: null } };
}

function list(keys: readonly string[]): string {
  return keys.join(', ');
}

// Files of agents that changed while a session lives: they count from the prompt on that finds them so.

/** Contract: what cannot be done leaves the agents as they were, and is told. */
export async function takeAgentsChange(runtime: SessionRuntime, agentFiles: AgentFiles): Promise<PendingNotice[]> {
  const before = runtime.agents;
  try {
    const agents = await before.again({ agentFiles });
    const told = new Set(before.notices.map(({ message }) => message));
    // What is offered beside them stays.
    const beside = runtime.setup.tools.filter((tool) => !before.main.tools.some(({ name }) => name === tool.name));
    runtime.agents = agents;
    runtime.setup = { ...agents.main, tools: [...agents.main.tools, ...beside] };
    const names = (types: typeof agents.types) => types.map(({ name }) => name);
    const came = names(agents.types).filter((name) => !names(before.types).includes(name));
    const went = names(before.types).filter((name) => !names(agents.types).includes(name));
    return [changeNotice(came, went), ...agents.notices.filter(({ message }) => !told.has(message))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [
      {
        code: 'agent_problem',
        message: `Files of agents changed, and the session cannot go by them, so it stays with the agents it had: ${errorText(error)}`,
      },
    ];
  }
}

function changeNotice(came: readonly string[], went: readonly string[]): PendingNotice {
  const parts = [
    ...(came.length === 0 ? [] : [`new: ${came.join(', ')}`]),
    ...(went.length === 0 ? [] : [`gone: ${went.join(', ')}`]),
  ];
  const what = parts.length === 0 ? '' : ` (${parts.join('; ')})`;
  return {
    code: 'agent_problem',
    level: 'info',
    message: `Files of agents changed${what}; they count from this prompt on.`,
  };
}

// Takes over skills that were looked for again. One rule: what the model is told of them changes with the next prompt, and
// a call of one reads what is there now.

/**
 * @param folders further ones that may hold skills, from now on; absolute
 * @throws ConfigError if they cannot be read, and in a session that was not opened by options
 */
export async function takeSkills(
  session: Session,
  runtime: SessionRuntime,
  folders: readonly string[] = [],
): Promise<{ readonly skills: readonly TakenSkill[] }> {
  const { config, memory } = session;
  if (config.reloadSkills === undefined)
    throw new ConfigError('This session looks for no skills, so there are none to look for again. Open it by query().');
  const before = JSON.stringify(commandsOf(session, runtime).map(toSlashCommand));
  const { library, commands, tools, notices } = await config.reloadSkills(folders);
  memory.reloaded = { library, commands };
  const type = runtime.agents.types.find(({ name }) => name === config.agent);
  const ofAgent = type === undefined ? tools : inheritTools(tools, type, true);
  runtime.agents = { ...runtime.agents, tools: withSkillTool(runtime.agents.tools, tools) };
  runtime.setup = { ...runtime.setup, tools: withSkillTool(runtime.setup.tools, ofAgent) };
  // What was wrong at the last look, and still is, was told.
  const told = memory.toldOfSkills ?? config.notices?.map(({ message }) => message) ?? [];
  for (const notice of notices) if (!told.includes(notice.message)) runtime.tell(noticeDraft(notice));
  memory.toldOfSkills = notices.map(({ message }) => message);
  const shown = commandsOf(session, runtime).map(toSlashCommand);
  if (JSON.stringify(shown) !== before) runtime.tell({ type: 'system', subtype: 'commands_changed', commands: shown });
  const hintOf = (name: string) => shown.find((command) => command.name === name)?.argumentHint ?? '';
  return {
    skills: library.skills.map(({ name, description, isForModel }) => ({
      ...{ name, description, isForModel },
      argumentHint: hintOf(name),
    })),
  };
}

/** In its old place, so that what stands before it stays the same for a prompt cache. */
function withSkillTool(all: Tools, [tool]: Tools): Tools {
  const at = all.findIndex(({ name }) => name === SKILL_TOOL);
  if (at === -1) return tool === undefined ? all : [...all, tool];
  return all.flatMap((each, index) => (index !== at ? [each] : tool === undefined ? [] : [tool]));
}

/** How long providers keep a prompt, as far as nothing else is known. */
const CACHE_MS = 5 * 60_000;
/** Prices are for so many tokens. */
const MILLION = 1_000_000;

/**
 * Contract: `change` is called once, if no hook refuses.
 * @param named by the caller; null: back to the session's first model
 * @param to the same, by the name that requests use
 * @throws ConfigError if a hook refuses
 */
export async function switchModel(
  session: Session,
  runtime: SessionRuntime,
  { named, to }: { readonly named: string | null; readonly to: string | undefined },
  change: () => void,
): Promise<void> {
  const { hooks } = runtime;
  const own = session.memory.settings?.model ?? runtime.model;
  const fields = {
    from_model: session.modelOverride(own),
    to_model: to ?? own,
    requested_model: named,
    source: 'sdk',
    ...(await cacheFacts(session, runtime, to ?? own)),
  };
  const { permission, block } = await hooks.run('PreModelSwitch', fields);
  const isRefused = permission?.behavior === 'deny' || permission?.behavior === 'ask';
  if (block !== null || isRefused)
    throw new ConfigError(
      `A hook keeps the model at ${fields.from_model}: ${(isRefused ? permission.reason : block?.reason) ?? ''}`.trim(),
    );
  change();
  const { additionalContext } = await hooks.run('PostModelSwitch', fields);
  session.memory.toTell = [...(session.memory.toTell ?? []), ...additionalContext.map(fromHook)];
}

/** The engine fell back to another model, or a policy named it: told, not asked. */
export async function hearSwitched(session: Session, runtime: Runtime, from: string, to: string): Promise<void> {
  const facts = await cacheFacts(session, runtime, to);
  const fields = { from_model: from, to_model: to, requested_model: to, source: 'auto', ...facts };
  const { additionalContext } = await runtime.hooks.run('PostModelSwitch', fields);
  session.memory.toTell = [...(session.memory.toTell ?? []), ...additionalContext.map(fromHook)];
}

/** What the switch costs: the new model reads again, and keeps, all that the old one had in its cache. */
async function cacheFacts({ history, host }: Session, { prices }: Runtime, model: string) {
  const last = history.messages.findLast(({ type }) => type === 'assistant');
  const usage = last?.type === 'assistant' ? last.message.usage : undefined;
  const tokens =
    usage === undefined
      ? 0
      : usage.input_tokens + usage.output_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
  const at = last?.timestamp === undefined ? Number.NaN : Date.parse(last.timestamp);
  const price = (await prices.load()).facts(model)?.price ?? null;
  return {
    context_tokens: tokens,
    prompt_cache_warm: host.clock.now() - at < CACHE_MS,
    cache_ttl: '5m',
    estimated_cache_write_usd: price === null ? 0 : (tokens * price.cacheWrite) / MILLION,
    pricing: price === null ? 'default' : 'catalog',
  };
}

export const planTool: FeatureParts = {
  toolsAreOffered: ({ session, runtime }) => offerPlanTool(session, runtime),
  async turnBegins({ run: { session, runtime } }) {
    await configureRequests(session, runtime);
  },
};

/** Adds the tool to what the session's agent has, if its definition does not keep it out. */
function offerPlanTool({ config }: Session, runtime: Runtime): void {
  const type = runtime.agents.types.find(({ name }) => name === config.agent);
  const added = type === undefined ? [exitPlanModeTool] : inheritTools([exitPlanModeTool], type, true);
  if (added.length > 0) runtime.setup = { ...runtime.setup, tools: [...runtime.setup.tools, ...added] };
}
