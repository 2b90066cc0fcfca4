// What a session of the SDK may have beside its core: every door, then every feature, with when it is needed. One rule: nothing
// else in `sdk/` loads on demand, so whoever asks what options and functions load reads it from top to bottom. What a session
// loads while it lives is in `session/features.ts`.
import type { Host } from '../host/host.js';
import { READ_BY } from '../protocol/declared-options.generated.js';
import { DOORS as SESSION } from '../session/features.js';
import type { OpenedSettings, SettingsFinder } from '../session/settings/index.js';
import { loadOnce } from '../util/load-once.js';
import type { Options, PlainOptions } from './options/index.js';

/** What is known of a session when its features are looked at. */
export interface Looked {
  /** What the host gave. */
  readonly given: Options;
  /** With what settings say. */
  readonly options: PlainOptions;
  readonly env: Host['env'];
  readonly settings: OpenedSettings | null;
  readonly finder: SettingsFinder;
}

interface Feature<Room> {
  /** Absent: the line above the door says when it is opened. */
  isNeeded?(looked: Looked): boolean;
  door(): Promise<Room>;
}

/** What is loaded when it is first needed. Several features come by one door if whoever has one of them mostly has others. */
export const DOORS = {
  // ---- What follows from options and settings.

  /** Options are checked before anything starts. */
  checks: loadOnce(() => import('./on-demand/checks.js')),
  /** There are settings. */
  appliedSettings: loadOnce(() => import('./settings/apply-settings.js')),
  /** Settings change, are written, or lead to a model that cannot be used. */
  settings: loadOnce(() => import('./on-demand/settings.js')),
  /** A rule of permissions says more than a tool's name. */
  rules: loadOnce(() => import('../permissions/rule.js')),
  extensions: loadOnce(() => import('./on-demand/extensions.js')),
  agents: loadOnce(() => import('./agents/agent-options.js')),
  plugins: loadOnce(() => import('./on-demand/plugins.js')),
  servers: loadOnce(() => import('./mcp/mcp-options.js')),
  sandbox: loadOnce(() => import('./sandbox/sandbox-option.js')),
  /** The session goes on with another, or has an id of the host's. */
  resume: loadOnce(() => import('./sessions/resume-options.js')),
  /** That other one may be in a store of the host's. */
  resumeStored: loadOnce(() => import('./sessions/resume-stored.js')),
  /** Somebody answers the model. */
  answeredTools: loadOnce(() => import('./on-demand/answered-tools.js')),
  /** Tools that only sessions have that name them. */
  namedTools: loadOnce(() => import('./on-demand/named-tools.js')),
  logs: loadOnce(() => import('./logs/logged-messages.js')),
  /** The session runs in a child process. */
  child: loadOnce(() => import('./child/child-query.js')),

  // ---- What somebody calls.

  models: loadOnce(() => import('./on-demand/models.js')),
  /** The controls of a query. */
  controls: loadOnce(() => import('./controls/index.js')),
  /** Of these, what shows and changes settings, plugins and keys. */
  configuration: loadOnce(() => import('./controls/configuration.js')),
  /** Of these, what other rooms know: servers, output styles. */
  otherControls: loadOnce(() => import('./controls/on-demand.js')),
  /** A slash command of the engine's own. */
  commands: loadOnce(() => import('./commands/answer-command.js')),
  /** Functions over stored sessions. */
  storedSessions: loadOnce(() => import('./on-demand/stored-sessions.js')),
  /** Of these, what reads one from end to end. */
  wholeSessions: loadOnce(() => import('./on-demand/whole-sessions.js')),
  /** What would be decided about a call. */
  permissionChecks: loadOnce(() => import('./permissions/check-permission.js')),
  /** What a command line does. */
  commandReader: loadOnce(() => import('../permissions/shell/read-command.js')),
  /** Plugins, for programs of another SDK. */
  qoderPlugins: loadOnce(() => import('./dialects/qoder/plugins.js')),
} as const;

export const FEATURES = {
  // ---- Opened as options become a session, if they or settings ask for it.

  /** Options that may have no effect, are refused, or are unknown. */
  unusualOptions: { door: DOORS.checks },
  /** Plugins that the host names, or that settings enable. */
  plugins: {
    isNeeded: ({ given, settings }) => {
      const { plugins, enabledPlugins } = settings?.effective.values ?? {};
      return (given.plugins ?? []).length > 0 || plugins !== undefined || enabledPlugins !== undefined;
    },
    door: DOORS.plugins,
  },
  /** Skills in folders, or the option; also each further look at them. */
  skills: {
    isNeeded: ({ options, finder }) => finder.extensions.skills.length > 0 || options.skills !== undefined,
    door: DOORS.extensions,
  },
  /** An earlier session goes on, or the session has an id that may be taken. */
  resume: {
    isNeeded: ({ options }) =>
      READ_BY['sessions/resume-options'].some((name) => options[name] !== undefined && options[name] !== false),
    door: DOORS.resume,
  },
  /** MCP servers of the option or of settings. */
  servers: {
    isNeeded: ({ options, settings }) =>
      options.mcpServers !== undefined || Boolean(settings?.effective.servers.length),
    door: DOORS.servers,
  },
  /** Agents: of files, then of options; also what lists them, and each further look. */
  agentFiles: {
    isNeeded: ({ finder }) => finder.extensions.agents.length > 0,
    door: DOORS.agents,
  },
  agents: {
    isNeeded: ({ options: { agents = {}, agent, coordinator, maxAgentDepth } }) =>
      agent !== undefined || coordinator !== undefined || maxAgentDepth !== undefined || Object.keys(agents).length > 0,
    door: DOORS.agents,
  },
  /** The answer is a value. */
  outputFormat: {
    isNeeded: ({ options }) => options.outputFormat !== undefined,
    door: DOORS.checks,
  },
  /** The option `sandbox`: commands are confined. */
  sandbox: { door: DOORS.sandbox },
  /** Slash commands in files. */
  commandFiles: {
    isNeeded: ({ finder }) => finder.extensions.commands.length > 0,
    door: DOORS.extensions,
  },
  /** Settings name an output style. */
  outputStyle: { door: DOORS.plugins },

  /** Another model may answer. */
  fallback: {
    isNeeded: ({ options }) => options.fallback !== undefined || options.fallbackModel !== undefined,
    door: DOORS.settings,
  },
  /** A policy on untrusted content, whose rules start from the folder of the session. */
  provenance: { door: DOORS.checks },

  // ---- Called for.

  /** A session names the tool Config. */
  configTool: { door: DOORS.settings },
  /** A session has extensions, and somebody asks what is loaded of them. */
  loadedParts: { door: DOORS.extensions },
  /** Settings are others than before. */
  changedSettings: { door: DOORS.settings },
  /** A model of settings cannot be used. */
  settingsFailure: { door: DOORS.settings },
  /** A look whether skills are others than before. */
  skillStamp: { door: DOORS.extensions },
  /** Somebody answers "always", for later sessions too. */
  savedUpdates: { door: DOORS.settings },
  /** The host calls a control. */
  controls: { door: DOORS.controls },
  /** The host asks which models there are, or what one has used. */
  availableModels: { door: DOORS.models },
  /** The host asks whose keys can be given. */
  byokProviders: { door: DOORS.models },
  /** Options of logs are given. */
  logs: { door: DOORS.logs },
  /** The session runs in a child process. */
  child: { door: DOORS.child },
} as const satisfies Readonly<Record<string, Feature<unknown>>>;

/** Options whose value is checked before anything starts, in the order of this list, by what acts on it. */
const CHECKED: readonly CheckedOption[] = [
  checked('web', isGiven, {
    door: SESSION.web,
    check: ({ checkWeb }, web, env) => checkWeb(web, env),
  }),
  checked('catalogueOverrides', isGiven, {
    door: DOORS.checks,
    check: ({ loadCatalogue }, overrides) => loadCatalogue(overrides),
  }),
  checked('telemetry', isObject, {
    door: SESSION.telemetry,
    check: ({ readTelemetryOptions }, telemetry) => readTelemetryOptions(telemetry),
  }),
  checked('codeMode', isObject, {
    door: SESSION.tools,
    check: ({ readCodeMode }, codeMode) => readCodeMode(codeMode),
  }),
  checked('hooks', isGiven, {
    door: DOORS.checks,
    check: ({ readDeclaredHooks }, hooks) => readDeclaredHooks(hooks),
  }),
];

type CheckedOption = (options: PlainOptions, env: Host['env']) => Promise<void>;

/** @throws ConfigError */
export async function checkOptions(options: PlainOptions, env: Host['env']): Promise<void> {
  for (const check of CHECKED) await check(options, env);
}

function checked<Name extends keyof PlainOptions, Room>(
  name: Name,
  isNeeded: (value: unknown) => boolean,
  { door, check }: { door(): Promise<Room>; check(room: Room, value: ObjectOf<Name>, env: Host['env']): unknown },
): CheckedOption {
  return async (options, env) => {
    if (isNeeded(options[name])) await check(await door(), options[name] as ObjectOf<Name>, env);
  };
}

type ObjectOf<Name extends keyof PlainOptions> = Extract<PlainOptions[Name], object>;

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

/** The value is more than yes or no. */
function isObject(value: unknown): boolean {
  return typeof value === 'object';
}

/**
 * Does something with what stands behind the door of a feature, if options or settings ask for it; else gives null, and
 * nothing is loaded.
 */
export async function ifNeeded<Room, Value>(
  { isNeeded, door }: { isNeeded(looked: Looked): boolean; door(): Promise<Room> },
  looked: Looked,
  act: (room: Room) => Value,
): Promise<Awaited<Value> | null> {
  return isNeeded(looked) ? await act(await door()) : null;
}
