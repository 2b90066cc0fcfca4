// From options to a session's configuration. The only place that knows option names of other SDKs; what an option
// cannot do yet is said here, by an error if ignoring it would be unsafe, else by a notice.

import path from 'node:path';
import { type InstructionSources, managedInstructions } from '../context/instructions/index.js';
import { userFolders } from '../context/settings/index.js';
import { type Command, getCommands } from '../context/slash-commands.js';
import { type Host, isFileError } from '../host/host.js';
import type { PermissionRule } from '../permissions/rule.js';
import { MAYBE_IDLE, OPTION_KINDS, PASSED_OPTIONS } from '../protocol/declared-options.generated.js';
import { ConfigError } from '../protocol/errors.js';
import type { SettingSource } from '../protocol/options.js';
import {
  chooseIfKeyed,
  type ModelAccess,
  type ModelChoice,
  noKeyAtAll,
  preloadProvider,
} from '../providers/choice/index.js';
import { NO_PLACE } from '../session/checkpoints/index.js';
import {
  type AgentFiles,
  checkConfig,
  createAppState,
  type PendingNotice,
  type QueryEngineConfig,
  resolveLimits,
  type SettingsChange,
  type SettingsMoment,
} from '../session/config/index.js';
import type { OpenedCommands } from '../session/input/index.js';
import { openModelAccess } from '../session/models/index.js';
import { type OpenedSettings, type SettingsFinder, vouches } from '../session/settings/index.js';
import { homeFolder } from '../session/store/index.js';
import { createFileStateCache } from '../tools/file-state-cache.js';
import type { Tools } from '../tools/tool.js';
import { isTextList } from '../util/json.js';
import type { AgentOptions } from './agents/index.js';
import { type CommandReach, sessionCommands } from './commands/index.js';
import { checkOptions, FEATURES, ifNeeded, type Looked } from './features.js';
import type { McpServersGiven } from './mcp/index.js';
import { modelOptions } from './models/index.js';
import { type Options, type PlainOptions, plainOptions } from './options/index.js';
import type { OpenedPlugins } from './plugins/index.js';
import type { SandboxPlace } from './sandbox/index.js';
import { keptSessionOptions, type SessionStart } from './sessions/index.js';
import { permissionContext, type Reopening, withSettings } from './settings/index.js';
import { CONFIG_TOOL, chooseTools } from './tools/index.js';

/** Sessions with these may change files without a question, so a way back is kept. */
const ACCEPTING_EDITS: ReadonlySet<unknown> = new Set(['acceptEdits', 'bypassPermissions', 'yolo', 'auto']);
const EDITING = /^(?:Edit|Write|NotebookEdit)(?:\(|$)/;

/**
 * @param reach what commands reach of the session that comes of it; null: they are not there
 * @param onNoKey called if no model is named and there is no key for any: prompts would fail, all else works
 * @throws ConfigError, SessionError
 */
export async function resolveOptions(
  given: Options,
  host: Host,
  onNoKey: (error: ConfigError) => void = () => undefined,
  reach: CommandReach | null = null,
): Promise<QueryEngineConfig> {
  let asGiven = plainOptions(given);
  if (given.skills !== undefined) asGiven = (await FEATURES.skills.door()).withSkillRules(asGiven);
  const { options: bySettings, settings, finder, fields, notices: settingsNotices } = await withSettings(asGiven, host);
  const env = { ...host.env, ...bySettings.env };
  let plugins = await pluginsOf({ given, options: bySettings, env, settings, finder }, host);
  if (plugins !== null) finder.setPluginPlaces(plugins.places);
  const found = plugins === null ? bySettings : withServers(bySettings, plugins);
  if (plugins !== null) asGiven = withServers(asGiven, plugins);
  let namedPlugins = given.plugins ?? [];
  const wanted = found.permissionPrompts === undefined ? found : withoutPrompts(found);
  const options = wanted.enableFileCheckpointing === undefined ? wanted : settleCheckpoints(wanted);
  const isUsual = (name: string) => Object.hasOwn(OPTION_KINDS, name) && !MAYBE_IDLE.includes(name);
  const unusual = Object.keys(options).every(isUsual) ? null : await FEATURES.unusualOptions.door();
  unusual?.refuseUnsafeOptions(options);
  const looked: Looked = { given, options, env, settings, finder };
  // Loaded while the rest is looked at; whoever needs it says what is wrong with it.
  ifNeeded(FEATURES.resume, looked, () => undefined).catch(() => undefined);
  // All are resolved or checked again when they are used; here they fail before anything starts.
  resolveLimits(env, options.limits);
  const passed = {
    ...passedOn(options),
    ...(await ifNeeded(FEATURES.outputFormat, looked, (room) => room.readOutputFormat(options.outputFormat))),
  };
  checkConfig(passed);
  await checkOptions(options, env);
  if (options.permissionPromptToolName !== undefined && options.canUseTool !== undefined)
    throw new ConfigError('permissionPromptToolName and canUseTool both say who is asked. Give one of them.');
  await ifNeeded(FEATURES.fallback, looked, (room) => room.fallbackSettings(options));
  const servers = await serversOf(looked, host);
  const skills = await ifNeeded(FEATURES.skills, looked, (room) =>
    room.openSkillOptions(options, settings, finder, host),
  );
  const {
    tools,
    agentTools,
    canAsk,
    mayPlanLater,
    notices: toolNotices,
  } = await chooseTools(
    options,
    servers,
    env,
    [...(skills?.tools ?? []), ...(await optedIn(asGiven, host, env))],
    [...(settings?.rules.deny ?? []), ...(settings?.rules.ask ?? [])].flatMap(({ content, toolName }) =>
      content === null ? [toolName] : [],
    ),
  );
  const models = await modelOptions(options, host);
  const openAccess = (model: string | undefined) => openModelAccess(host, env, models, model);
  const kept = keptSessionOptions(options, env);
  const files = await ifNeeded(FEATURES.agentFiles, looked, (room) =>
    room.openAgentFiles(finder.extensions.agents, options, host),
  );
  const isOfSettings = asGiven.agent === undefined && options.agent !== undefined;
  const { agents, main, missing } =
    (await ifNeeded(FEATURES.agents, looked, (room) =>
      room.readAgentOptions(options, [...tools, ...(agentTools ?? [])], openAccess, files, isOfSettings),
    )) ?? NO_AGENTS;
  const model = options.model ?? main?.model ?? undefined;
  const choice = options.provider === undefined ? await firstChoice(model, openAccess(model), settings) : undefined;
  const cwd = await resolveFolder(host, options.cwd ?? host.platform.cwd, host.platform.cwd, 'cwd');
  const directories = await resolveDirectories(host, options.additionalDirectories ?? [], cwd);
  if (options.untrustedContent !== undefined)
    (await FEATURES.provenance.door()).readPolicy(options.untrustedContent, cwd, false);
  const rules = await permissionContext(options, main?.permissionMode, { host, cwd, directories }, settings);
  const confined = await sandboxOf(looked, { host, env, cwd, directories }, rules.deny);
  const session = await openSession(looked, host, cwd);
  // A host that names the model of each request may bring its keys.
  if (choice === null && options.resolveModel === undefined) onNoKey(noKeyAtAll(openAccess(model)));
  const store = createAppState({ todos: session.config.resumedState?.todos ?? [] });
  const known: readonly Command[] = [...(await getCommands()), ...(skills?.commands ?? [])];
  const commandFiles = await commandFilesIn(looked, known, plugins, host);
  const named: readonly Command[] = [...known, ...(commandFiles?.commands ?? [])];
  const taken = named.map(({ name }) => name);
  const style = await outputStyleOf(looked, host);
  const listed = reach === null ? [] : sessionCommands({ host, options, cwd, ...reach }, taken);
  const commands: Command[] = [...named, ...listed];
  let others = commands.filter((command) => skills?.commands.includes(command) !== true);
  const reopenAgents = agentsReopener(finder, files, options, host);
  let foundAgents = files;
  let foundSkills = skills?.found ?? null;
  let foundCommands = commandFiles;
  const hasParts =
    [skills, commandFiles, files, plugins, servers, options.hooks ?? null].some((each) => each !== null) ||
    agents.length > 0 ||
    hasHooksOrServers(settings);
  let settingsNow = settings;
  const report = hasParts ? await (await FEATURES.loadedParts.door()).openLoadedParts() : null;
  const notices = [
    ...(unusual?.optionsWithoutEffect(asGiven, canAsk) ?? []),
    ...settingsNotices,
    ...toolNotices,
    ...(skills?.notices ?? []),
    ...(commandFiles?.notices ?? []),
    ...(plugins?.notices ?? []),
    ...style.notices,
    ...(servers?.notices ?? []),
    ...session.notices,
    ...(missing === undefined ? [] : [missingAgent(missing)]),
    ...(unusual?.unknownOptions(options) ?? []),
  ];
  const skillFolders = new Set<string>();
  return {
    cwd,
    tools,
    commands,
    mcpClients: servers?.connections ?? [],
    ...(servers === null ? {} : { mcpServers: servers.definitions }),
    ...serverLists(settings),
    agents,
    ...(agentTools === undefined ? {} : { agentTools }),
    ...(files === null ? {} : { agentFiles: files }),
    ...(style.style === null ? {} : { outputStyle: style.style }),
    ...(plugins === null ? {} : pluginFields(plugins)),
    async reopenAgents(isAsked) {
      const found = await reopenAgents(isAsked);
      foundAgents = found ?? foundAgents;
      return found;
    },
    areSkillsOthers: skillsWatch(skills === null ? '' : skills.stamp, finder, host, skillFolders),
    canUseTool: options.canUseTool,
    ...(options.toolAliases === undefined ? {} : { toolAliases: checkAliases(options.toolAliases) }),
    getAppState: () => store.getState(),
    setAppState: (change) => store.setState(change(store.getState())),
    readFileCache: createFileStateCache(),
    host,
    permissions:
      confined === null ? rules : { ...rules, deny: [...rules.deny, ...confined.deny], sandbox: confined.commands },
    additionalDirectories: directories,
    ...(confined === null ? {} : { sandbox: confined.sandbox }),
    notices,
    mayRunGit: !notices.some(({ code }) => code === 'folder_not_trusted'),
    instructionSources: instructionSources(options, finder, host, env, settings?.effective.values.claudeMdExcludes),
    ...(skills === null ? {} : { skills: skills.library }),
    async reloadSkills(folders = []) {
      for (const folder of folders) skillFolders.add(folder);
      const place = { options, settings, finder, host, servers, folders: [...skillFolders] };
      const { found: now, ...reloaded } = await (await FEATURES.skills.door()).reloadSkills(place, others);
      foundSkills = now;
      return reloaded;
    },
    ...(report === null
      ? {}
      : {
          loaded: () =>
            report({
              ...{ skills: foundSkills, commands: foundCommands, agents: foundAgents, plugins, settings: settingsNow },
              ...{ servers, options, tools, deny: rules.deny },
            }),
        }),
    async reloadPlugins(added) {
      const { reloadPlugins } = await FEATURES.plugins.door();
      const all = [...namedPlugins, ...added];
      const place = { given: all, options: bySettings, finder, host, cwd, others };
      const { opened, reloaded, files: ofPlugins } = await reloadPlugins(place, plugins);
      [plugins, namedPlugins, others] = [opened, all, [...reloaded.commands]];
      foundCommands = withPluginCommands(foundCommands, ofPlugins);
      return reloaded;
    },
    ...(mayPlanLater ? { offersPlanLater: true } : {}),
    ...(vouches(options) ? { isFolderGranted: true } : {}),
    ...session.config,
    // Of servers too, whatever tools the model has.
    ...(options.onElicitation !== undefined ? { handleElicitation: options.onElicitation } : {}),
    ...fields,
    ...systemPrompt(options),
    ...kept,
    ...(Object.keys(models).length === 0 ? {} : { models }),
    async saveUpdates(updates) {
      const isManagedOnly = settings?.effective.managed.allowManagedPermissionRulesOnly === true;
      return (await FEATURES.savedUpdates.door()).saveUpdates({ host, env, cwd }, updates, isManagedOnly);
    },
    flagSettings: {
      change: finder.changeFlag,
      get changes() {
        return finder.flagChanges;
      },
    },
    reopenSettings: reopener(
      finder,
      settings,
      { given: asGiven, host, cwd, directories, sandboxDeny: confined?.deny ?? [] },
      (now) => {
        settingsNow = now;
      },
    ),
    ...(missing === undefined ? passed : withoutAgent(passed)),
  };
}

function hasHooksOrServers(settings: OpenedSettings | null): boolean {
  if (settings === null) return false;
  return settings.commandHooks.length + settings.refusedHooks.length + settings.effective.servers.length > 0;
}

/** Those of before without what plugins had, and what they have now. */
function withPluginCommands(before: OpenedCommands | null, ofPlugins: OpenedCommands): OpenedCommands {
  const own = before?.files.filter(({ scope }) => scope !== 'plugin') ?? [];
  const refused = before?.refused.filter(({ scope }) => scope !== 'plugin') ?? [];
  return { ...ofPlugins, files: [...own, ...ofPlugins.files], refused: [...refused, ...ofPlugins.refused] };
}

function withoutAgent({ agent: _, ...passed }: Partial<QueryEngineConfig>): Partial<QueryEngineConfig> {
  return passed;
}

function missingAgent(name: string): PendingNotice {
  return {
    code: 'settings_problem',
    message: `Settings name the agent ${JSON.stringify(name.slice(0, 80))} for the session itself, and there is none of that name, so the session runs as the default one.`,
    remedy: '"turnwright agents list" shows which there are.',
  };
}

/** Nobody is asked about calls: what would ask is not there. @throws ConfigError */
function withoutPrompts(options: PlainOptions): PlainOptions {
  const { permissionPrompts, canUseTool: _, permissionPromptToolName: __, ...rest } = options;
  if (permissionPrompts === 'host') return options;
  if (permissionPrompts !== 'none')
    throw new ConfigError('`permissionPrompts` is host or none: who is asked about calls.');
  if (options.deferPermissions !== true) return rest;
  throw new ConfigError(
    "permissionPrompts: 'none' denies calls at once, and deferPermissions lets them wait. Give one of them.",
  );
}

/** Most settings say nothing of which servers there may be. */
function serverLists(settings: OpenedSettings | null): Pick<QueryEngineConfig, 'mcpServerLists'> {
  const { deniedMcpServers, allowedMcpServers } = settings?.effective.values ?? {};
  if (deniedMcpServers === undefined && allowedMcpServers === undefined) return {};
  return { mcpServerLists: { denied: deniedMcpServers ?? [], allowed: allowedMcpServers ?? null } };
}

/** @throws ConfigError */
function serversOf(looked: Looked, host: Host): Promise<McpServersGiven | null> {
  const { options, env, settings } = looked;
  const { mcpServers, allowedMcpServerNames, cwd = '' } = options;
  const place = { host, env, cwd: path.resolve(host.platform.cwd, cwd) };
  return ifNeeded(FEATURES.servers, looked, (room) =>
    room.readMcpServers(mcpServers, settings?.effective ?? null, place, allowedMcpServerNames),
  );
}

/** Null if no file changed. */
function reopener(
  finder: SettingsFinder,
  opened: OpenedSettings | null,
  place: Omit<Reopening, 'files' | 'before' | 'after'>,
  onNow: (settings: OpenedSettings | null) => void,
): NonNullable<QueryEngineConfig['reopenSettings']> {
  let current = opened;
  const look = async (moment: SettingsMoment) => {
    const found = await finder.reopen(moment);
    if (found === null) return null;
    const { settingsChange } = await FEATURES.changedSettings.door();
    const { files, settings: after, isFlagChanged } = found;
    const before = current;
    const change = await settingsChange({ ...place, files, before, after });
    current = after;
    onNow(current);
    return {
      ...change,
      async without(refused: SettingsChange['files']) {
        const rest = files.filter(({ file }) => refused.every((other) => other.file !== file));
        const held = files.filter((file) => !rest.includes(file));
        current = await finder.hold(held, before);
        onNow(current);
        if (rest.length === 0 && !isFlagChanged) return null;
        return settingsChange({ ...place, files: rest, before, after: current });
      },
    };
  };
  const hasSettings = () => current !== null || Object.keys(finder.flagChanges).length > 0;
  return (moment) => (moment === 'turn' && !hasSettings() ? null : look(moment));
}

/** @throws ConfigError */
async function sandboxOf(looked: Looked, place: SandboxPlace, deny: readonly PermissionRule[]) {
  const { options, settings } = looked;
  if (options.sandbox === undefined) return null;
  const { readSandboxOption } = await FEATURES.sandbox.door();
  return readSandboxOption(options.sandbox, settings?.effective.managed.sandbox, place, deny);
}

/** What the first prompt has was just read. */
function agentsReopener(
  finder: SettingsFinder,
  opened: AgentFiles | null,
  options: PlainOptions,
  host: Host,
): NonNullable<QueryEngineConfig['reopenAgents']> {
  let current = opened;
  let isFirst = true;
  return async (isAsked = false) => {
    const wasFirst = isFirst && !isAsked;
    isFirst = false;
    if (wasFirst) return null;
    // Before a prompt the look at the settings found them already.
    const { agents: places } = isAsked ? await finder.lookForExtensions() : finder.extensions;
    if (places.length === 0 && current === null) return null;
    const found = await (await FEATURES.agentFiles.door()).reopenAgentFiles(current, places, options, host);
    current = found ?? current;
    return found;
  };
}

/**
 * Tells if a skill came, went or changed since the last look, by what `agentsReopener` found of folders. The first
 * prompt has what was just read.
 * @param read the stamp of that; null: nobody wants any
 * @param added folders that skills were found in later
 */
function skillsWatch(
  read: string | null,
  finder: SettingsFinder,
  host: Host,
  added: ReadonlySet<string>,
): NonNullable<QueryEngineConfig['areSkillsOthers']> {
  let before = read;
  let isFirst = true;
  const look = async () => {
    const places = [
      ...finder.extensions.skills,
      ...[...added].map((folder) => ({ scope: 'project' as const, folder })),
    ];
    if (places.length === 0) return '';
    return (await FEATURES.skillStamp.door()).stampOfSkills(host, places);
  };
  return async () => {
    const wasFirst = isFirst;
    isFirst = false;
    if (wasFirst || before === null) return false;
    const last = before;
    before = await look();
    return last !== before;
  };
}

const NO_AGENTS: AgentOptions = { agents: [], main: undefined };

/** Options that mean the same below, under the session's names. */
function passedOn(options: PlainOptions): Partial<QueryEngineConfig> {
  return {
    ...given(options, PASSED_OPTIONS),
    ...(options.enableFileCheckpointing === true ? { enableFileCheckpointing: true } : {}),
    ...(options.model === undefined ? {} : { userSpecifiedModel: options.model }),
    ...(options.thinking === undefined ? {} : { thinkingConfig: options.thinking }),
  };
}

/** Those of the names that say something. */
function given<T extends object, K extends keyof T>(
  options: T,
  names: readonly K[],
): { [Name in K]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]))) as {
    [Name in K]?: Exclude<T[Name], undefined>;
  };
}

/** @throws ConfigError */
function checkAliases(aliases: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.values(aliases).every((name) => typeof name === 'string' && name.trim() !== '')) return aliases;
  throw new ConfigError('`toolAliases` must be an object of names of tools, by the name that the model calls.');
}

function systemPrompt(options: Options): Partial<QueryEngineConfig> {
  const { systemPrompt: wanted } = options;
  if (wanted === undefined) return {};
  if (typeof wanted === 'string' || !('type' in wanted)) return { customSystemPrompt: checkTexts(wanted) };
  const { snapshot } = wanted;
  if (snapshot !== undefined && typeof snapshot !== 'boolean') throw noSystemPrompt();
  const kept = snapshot === undefined ? {} : { systemPromptSnapshot: snapshot };
  if (wanted.type === 'custom') return { ...kept, customSystemPrompt: checkTexts(wanted.prompt) };
  const { type, append, excludeDynamicSections: isStatic } = wanted;
  const isWrong = append !== undefined && typeof append !== 'string';
  if (type !== 'preset' || isWrong || (isStatic !== undefined && typeof isStatic !== 'boolean')) throw noSystemPrompt();
  return {
    ...kept,
    ...(append === undefined ? {} : { appendSystemPrompt: append }),
    ...(isStatic === true ? { environmentBeside: true } : {}),
  };
}

function checkTexts(prompt: string | readonly string[]): string | readonly string[] {
  if (typeof prompt === 'string' || isTextList(prompt)) return prompt;
  throw noSystemPrompt();
}

function noSystemPrompt(): ConfigError {
  return new ConfigError(
    "`systemPrompt` must be a text, a list of texts, { type: 'preset', preset, append } with a text to append, or { type: 'custom', prompt }.",
  );
}

async function resolveFolder(host: Host, folder: string, base: string, option: string): Promise<string> {
  const absolute = path.resolve(base, folder);
  try {
    const stat = await host.fs.stat(absolute);
    if (stat.kind === 'directory') return absolute;
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new ConfigError(`${option} "${folder}" cannot be used: ${error.message}`, { cause: error });
  }
  throw new ConfigError(`${option} "${folder}" is not a folder.`);
}

function resolveDirectories(host: Host, directories: readonly string[], cwd: string): Promise<string[]> {
  return Promise.all(directories.map((directory) => resolveFolder(host, directory, cwd, 'additionalDirectories')));
}

/** Most sessions are new, and of no id that could be taken. */
async function openSession(looked: Looked, host: Host, cwd: string): Promise<SessionStart> {
  const { options, env } = looked;
  const started = await ifNeeded(FEATURES.resume, looked, (room) => room.startSession(options, host, env, cwd));
  return started ?? { config: { sessionId: host.ids.uuid(), resumedFrom: null }, notices: [] };
}

const PLAIN_STYLE = { style: null, notices: [] };

/** Most sessions answer as they always do. */
async function outputStyleOf({ options, settings, finder }: Looked, host: Host) {
  const name = settings?.effective.values.outputStyle;
  if (name === undefined) return PLAIN_STYLE;
  return (await FEATURES.outputStyle.door()).openOutputStyle(name, finder, options, host);
}

/** Null if there are none, or settings only switch some off. */
function pluginsOf(looked: Looked, host: Host): Promise<OpenedPlugins | null> {
  const { given, options, settings } = looked;
  const { plugins = [] } = given;
  return ifNeeded(FEATURES.plugins, looked, ({ namesPlugins, openPlugins }) =>
    plugins.length === 0 && !namesPlugins(settings) ? null : openPlugins(plugins, options, settings, host),
  );
}

function withServers(options: PlainOptions, { servers }: OpenedPlugins): PlainOptions {
  return { ...options, mcpServers: { ...servers, ...options.mcpServers } };
}

function pluginFields({ plugins, hooks }: OpenedPlugins): Pick<QueryEngineConfig, 'plugins' | 'pluginHooks'> {
  return {
    plugins: plugins.map(({ name, folder, version, id, source, scope }) => ({
      name,
      path: folder,
      version,
      id,
      source,
      scope,
    })),
    ...(hooks.length === 0 ? {} : { pluginHooks: hooks }),
  };
}

/** Most folders have no files of commands. */
function commandFilesIn(
  looked: Looked,
  known: readonly Command[],
  plugins: OpenedPlugins | null,
  host: Host,
): Promise<OpenedCommands | null> {
  const { options, settings, finder } = looked;
  return ifNeeded(FEATURES.commandFiles, looked, (room) =>
    room.commandFilesOf(options, host, {
      places: finder.extensions.commands,
      mayAllow: settings?.effective.managed.allowManagedPermissionRulesOnly !== true,
      mayRunShell: settings?.mayRunShell !== false,
      taken: known.map(({ name }) => name),
      pluginRoot: (name) => plugins?.plugins.find((plugin) => plugin.name === name)?.folder ?? null,
    }),
  );
}

/** Whose instruction files count: as settings, and the administrator's always. */
function instructionSources(
  options: PlainOptions,
  { extensions }: SettingsFinder,
  host: Host,
  env: Host['env'],
  excludes: readonly string[] | undefined,
): InstructionSources {
  const { settingSources } = options;
  const reads = (...sources: readonly SettingSource[]) =>
    settingSources === undefined || sources.some((source) => settingSources.includes(source));
  const { homedir, cwd, os } = host.platform;
  return {
    managed: managedInstructions(os),
    user: reads('user') ? [homeFolder(host, env), ...userFolders(homedir, cwd, env)] : [],
    project: reads('project', 'local'),
    local: reads('local'),
    rules: extensions.rules,
    isGranted: vouches(options),
    ...(excludes === undefined ? {} : { excludes }),
  };
}

/** Tools that a session has only if it names them, in `tools` or, beside all others, in `allowedTools`. */
async function optedIn(options: PlainOptions, host: Host, env: Host['env']): Promise<Tools> {
  const { tools, allowedTools = [] } = options;
  const named = [...(Array.isArray(tools) ? tools : []), ...allowedTools];
  if (!named.includes(CONFIG_TOOL)) return [];
  const cwd = await resolveFolder(host, options.cwd ?? host.platform.cwd, host.platform.cwd, 'cwd');
  return [await (await FEATURES.configTool.door()).configTool(options, host, env, cwd)];
}

/**
 * The model that a session starts with. Loading what asks it begins here, while the rest of the options is looked at.
 * Null if there is no key and no model is named. @throws ConfigError
 */
async function firstChoice(
  model: string | undefined,
  access: ModelAccess,
  settings: OpenedSettings | null,
): Promise<ModelChoice | null> {
  const choice = await chooseIfKeyed(model, access).catch(async (error: unknown) => {
    throw settings === null ? error : (await FEATURES.settingsFailure.door()).modelFailure(error, settings, model);
  });
  if (choice !== null) preloadProvider(choice);
  return choice;
}

/**
 * The options with yes or no in place of `auto`.
 * @throws ConfigError if somebody asks for a way back and there would be none
 */
function settleCheckpoints(options: PlainOptions): PlainOptions {
  const { enableFileCheckpointing: wanted, ...rest } = options;
  if (wanted === undefined) return options;
  if (typeof wanted !== 'boolean' && wanted !== 'auto')
    throw new ConfigError(`enableFileCheckpointing is ${JSON.stringify(wanted)}. It is true, false or auto.`);
  if (wanted === true && options.persistSession === false) throw new ConfigError(NO_PLACE);
  const isOn = wanted === 'auto' ? options.persistSession !== false && mayLoseFiles(options) : wanted;
  return isOn ? { ...rest, enableFileCheckpointing: true } : rest;
}

/** Somebody works with it, or it works on files alone. */
function mayLoseFiles({ canUseTool, permissionMode, allowedTools }: PlainOptions): boolean {
  return (
    canUseTool !== undefined ||
    ACCEPTING_EDITS.has(permissionMode) ||
    allowedTools?.some((rule) => EDITING.test(rule)) === true
  );
}
