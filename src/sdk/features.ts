// What a session of the SDK may have beside its core: every feature, with when it is needed and the door to what does it. One
// rule: `query.ts` and `resolve-options.ts` load nothing that is not in this list, so whoever asks what options load reads it
// from top to bottom. What a session loads while it lives is in `session/features.ts`.
import type { Host } from '../host/host.js';
import { READ_BY } from '../protocol/declared-options.generated.js';
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

/** Several features come by one door if whoever has one of them mostly has others. */
const extensions = loadOnce(() => import('./on-demand/extensions.js'));
const agents = loadOnce(() => import('./agents/agent-options.js'));
const plugins = loadOnce(() => import('./on-demand/plugins.js'));
const models = loadOnce(() => import('./on-demand/models.js'));
const settings = loadOnce(() => import('./on-demand/settings.js'));
const checks = loadOnce(() => import('./on-demand/checks.js'));

export const FEATURES = {
  // ---- Opened as options become a session, if they or settings ask for it.

  /** Options that may have no effect, are refused, or are unknown. */
  unusualOptions: { door: checks },
  /** Plugins that the host names, or that settings enable. */
  plugins: {
    isNeeded: ({ given, settings }) => {
      const { plugins, enabledPlugins } = settings?.effective.values ?? {};
      return (given.plugins ?? []).length > 0 || plugins !== undefined || enabledPlugins !== undefined;
    },
    door: plugins,
  },
  /** Skills in folders, or the option; also each further look at them. */
  skills: {
    isNeeded: ({ options, finder }) => finder.extensions.skills.length > 0 || options.skills !== undefined,
    door: extensions,
  },
  /** An earlier session goes on, or the session has an id that may be taken. */
  resume: {
    isNeeded: ({ options }) =>
      READ_BY['sessions/resume-options'].some((name) => options[name] !== undefined && options[name] !== false),
    door: loadOnce(() => import('./sessions/resume-options.js')),
  },
  /** MCP servers of the option or of settings. */
  servers: {
    isNeeded: ({ options, settings }) =>
      options.mcpServers !== undefined || Boolean(settings?.effective.servers.length),
    door: loadOnce(() => import('./mcp/mcp-options.js')),
  },
  /** Agents: of files, then of options; also what lists them, and each further look. */
  agentFiles: {
    isNeeded: ({ finder }) => finder.extensions.agents.length > 0,
    door: agents,
  },
  agents: {
    isNeeded: ({ options: { agents = {}, agent, coordinator, maxAgentDepth } }) =>
      agent !== undefined || coordinator !== undefined || maxAgentDepth !== undefined || Object.keys(agents).length > 0,
    door: agents,
  },
  /** The answer is a value. */
  outputFormat: {
    isNeeded: ({ options }) => options.outputFormat !== undefined,
    door: checks,
  },
  /** The option `sandbox`: commands are confined. */
  sandbox: { door: loadOnce(() => import('./sandbox/sandbox-option.js')) },
  /** Slash commands in files. */
  commandFiles: {
    isNeeded: ({ finder }) => finder.extensions.commands.length > 0,
    door: extensions,
  },
  /** Settings name an output style. */
  outputStyle: { door: plugins },

  /** Another model may answer. */
  fallback: {
    isNeeded: ({ options }) => options.fallback !== undefined || options.fallbackModel !== undefined,
    door: settings,
  },
  /** A policy on untrusted content, whose rules start from the folder of the session. */
  provenance: { door: checks },

  // ---- Called for.

  /** A session names the tool Config. */
  configTool: { door: settings },
  /** A session has extensions, and somebody asks what is loaded of them. */
  loadedParts: { door: extensions },
  /** Settings are others than before. */
  changedSettings: { door: settings },
  /** A model of settings cannot be used. */
  settingsFailure: { door: settings },
  /** A look whether skills are others than before. */
  skillStamp: { door: extensions },
  /** Somebody answers "always", for later sessions too. */
  savedUpdates: { door: settings },
  /** The host calls a control. */
  controls: { door: loadOnce(() => import('./controls/index.js')) },
  /** The host asks which models there are, or what one has used. */
  availableModels: { door: models },
  /** The host asks whose keys can be given. */
  byokProviders: { door: models },
  /** Options of logs are given. */
  logs: { door: loadOnce(() => import('./logs/logged-messages.js')) },
  /** The session runs in a child process. */
  child: { door: loadOnce(() => import('./child/child-query.js')) },
} as const satisfies Readonly<Record<string, Feature<unknown>>>;

/** Options whose value is checked before anything starts, in the order of this list, by what acts on it. */
const CHECKED: readonly CheckedOption[] = [
  checked('web', isGiven, {
    door: () => import('../session/web/index.js'),
    check: ({ checkWeb }, web, env) => checkWeb(web, env),
  }),
  checked('catalogueOverrides', isGiven, {
    door: checks,
    check: ({ loadCatalogue }, overrides) => loadCatalogue(overrides),
  }),
  checked('telemetry', isObject, {
    door: () => import('../session/telemetry/session-telemetry.js'),
    check: ({ readTelemetryOptions }, telemetry) => readTelemetryOptions(telemetry),
  }),
  checked('codeMode', isObject, {
    door: () => import('../session/tools/offer-scripts.js'),
    check: ({ readCodeMode }, codeMode) => readCodeMode(codeMode),
  }),
  checked('hooks', isGiven, {
    door: checks,
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
