// The settings keys of the published products, and what becomes of each here. Loaded when a source has a key that is none of
// ours. One rule: nothing of a file is passed by in silence; a key that confines acts, or its row says what confines instead.
import { isRecord } from '../../util/json.js';

/**
 * `acts`: under its own name. `as`: under another name of ours. `nothing`: it is about what there is not here and needs not be.
 * `lacks`: it comes with a part that is not there yet.
 */
export interface PublishedKey {
  readonly how: 'acts' | 'as' | 'nothing' | 'lacks';
  /** For people: the name here, or why it has no effect. */
  readonly why: string;
}

/** By what they are about. Words behind a name that end in `.*` mean all below it. */
const NOTHING: Readonly<Record<string, string>> = {
  'it is about accounts of another product; here keys are kept by `turnwright login`':
    'awsCredentialExport awsAuthRefresh gcpAuthRefresh forceLoginMethod forceLoginOrgUUID forceLoginGatewayUrl forceRemoteSettingsRefresh policyHelper',
  'it is about updates of another product':
    'autoUpdatesChannel minimumVersion requiredMinimumVersion requiredMaximumVersion',
  'it is about services of another product, which are not reached from here':
    'channelsEnabled allowedChannelPlugins disableClaudeAiConnectors allowAllClaudeAiMcps disableRemoteControl remoteControlAtStartup agentPushNotifEnabled inputNeededNotifEnabled disableArtifact enableArtifact advisorModel fastMode fastModePerSessionOptIn feedbackSurveyRate skipWebFetchPreflight attribution.sessionUrl voice voiceEnabled general.enableAutoUpdate vpcInstanceName',
  'it is about a desktop program':
    'sshConfigs sshHostAllowlist managedMcpServers browserExternalPageTools disableBrowserExternalNavigation disableMobileSimulatorTools requireCoworkFullVmSandbox disableDeepLinkRegistration wslInheritsWindowsSettings sandbox.allowAppleEvents sandbox.enableWeakerNetworkIsolation sandbox.network.allowMachLookup',
  'it is about an extension of an editor; here editors connect by `turnwright acp`':
    'autoConnectIde autoInstallIdeExtension diffTool externalEditorContext general.preferredEditor',
  'it is about how another terminal looks':
    'spinnerVerbs spinnerTipsEnabled spinnerTipsOverride terminalProgressBarEnabled showTurnDuration tui viewMode teammateMode prUrlTemplate footerLinksRegexes wheelScrollAccelerationEnabled autoScrollEnabled awaySummaryEnabled emojiCompletionEnabled syntaxHighlightingDisabled verbose showClearContextOnPlanAccept showThinkingSummaries permissionExplainerEnabled subagentStatusLine fileSuggestion respectGitignore respondToBashCommands vimInsertModeRemaps companyAnnouncements ui.autoThemeSwitching ui.terminalBackgroundPollingInterval ui.customThemes statusLine.colors',
  'what it switches is not there: agent teams, workflows, bundled skills, other views of agents':
    'teammateDefaultModel disableWorkflows workflowKeywordTriggerEnabled workflowSizeGuideline disableBundledSkills disableAgentView skillListingMaxDescChars skillListingBudgetFraction',
  'it is about answers that a person gave to another program':
    'skipDangerousModePermissionPrompt skippedMarketplaces skippedPlugins pluginSuggestionMarketplaces pluginTrustMessage',
  'here managed settings of a host stand below those of the machine, always': 'parentSettingsBehavior',
  'commands run in the shell of the session': 'defaultShell',
  'the sandbox finds its own programs':
    'sandbox.bwrapPath sandbox.socatPath sandbox.ripgrep tools.sandbox.command tools.sandbox.image',
  'connections inside the sandbox stay encrypted':
    'sandbox.network.tlsTerminate sandbox.credentials.allowPlaintextInject',
  'mode plan changes nothing, in whatever mode it was begun': 'useAutoModeDuringPlan',
};

const LACKS: Readonly<Record<string, string>> = {
  'a setting for screen readers; the flag --screen-reader is there': 'axScreenReader',
  'memory that is kept by itself': 'autoMemoryEnabled autoMemoryDirectory',
  "a place of one's own for plans": 'plansDirectory general.plan.directory',
  'a switch for mode plan; deny the tool EnterPlanMode': 'general.plan.enabled',
  'a switch for requests that no connection took; they are sent again, `retry.maxRetries` times':
    'general.retryFetchErrors',
  'other names of instruction files; AGENTS.md and CLAUDE.md are read': 'context.fileName',
  'servers that start when they are first called; they join without holding the start up': 'mcp.lazyLoad',
  'models in a settings file of another product; write them into `providers`': 'modelConfigs.customModels',
  'a sandbox that reaches every host; name those it needs in `sandbox.network.allowedDomains`':
    'tools.sandboxNetworkAccess tools.sandbox.networkAccess',
  'values that plugins ask for': 'pluginConfigs',
  'headers of telemetry from a command; OTEL_EXPORTER_OTLP_HEADERS holds them': 'otelHeadersHelper',
  'a program that starts all others': 'processWrapper',
  'names of models by their provider; write `provider/name` in `model` and `modelTiers`': 'modelOverrides',
  'parts of worktrees': 'worktree.sparsePaths worktree.baseRef worktree.symlinkDirectories worktree.bgIsolation',
  'a switch for what the prompt says of git': 'includeGitInstructions',
  'a time after which a question is answered by itself': 'askUserQuestionTimeout',
  'texts that managed settings hold; put them into /etc/turnwright/AGENTS.md': 'claudeMd',
  'a judge for each command': 'autoMode.classifyAllShell',
  'a sandbox on some systems alone': 'sandbox.enabledPlatforms',
  'a sandbox that lets every file be written': 'sandbox.filesystem.disabled',
  'servers in a settings file; "turnwright config import" brings them into mcp.json': 'mcpServers',
};

/** What they ask for is so in any case. */
const ALWAYS: Readonly<Record<string, string>> = {
  'a sandbox that cannot be had runs no command': 'sandbox.failIfUnavailable',
  'a folder counts when somebody vouched for it': 'security.folderTrust.enabled',
  'hosts that are not listed are not reached from inside the sandbox': 'sandbox.network.strictAllowlist',
};

/** Keys that act under another name, and what they come to: undefined leaves nothing. An object is read by its own keys. */
interface Alias {
  readonly as: string;
  readonly value?: (value: unknown) => unknown;
}

/** One product writes them in any case, with and without the underscore. */
const MODES: Readonly<Record<string, string>> = {
  manual: 'default',
  default: 'default',
  acceptedits: 'acceptEdits',
  bypasspermissions: 'bypassPermissions',
  yolo: 'yolo',
  dontask: 'dontAsk',
  plan: 'plan',
  auto: 'auto',
};
const EFFORTS: Readonly<Record<string, string>> = { ultracode: 'max' };
const mode = (value: unknown) =>
  typeof value === 'string' ? (MODES[value.toLowerCase().replaceAll('_', '')] ?? value) : value;

const ALIASES: Readonly<Record<string, Alias>> = {
  autoCompactEnabled: { as: 'autoCompact' },
  effortLevel: { as: 'effort', value: (value) => (typeof value === 'string' ? (EFFORTS[value] ?? value) : value) },
  fallbackModel: { as: 'fallback', value: (value) => [value].flat().filter((name) => name !== 'default') },
  fileCheckpointingEnabled: { as: 'enableFileCheckpointing' },
  prefersReducedMotion: { as: 'reducedMotion' },
  alwaysThinkingEnabled: {
    as: 'thinking',
    value: (value) => (value === true ? { type: 'adaptive' } : value === false ? { type: 'disabled' } : value),
  },
  'sandbox.credentials.files': {
    as: 'sandbox.filesystem.denyRead',
    value: (value) => [value].flat().map((each: unknown) => (isRecord(each) ? each['path'] : each)),
  },
  'general.defaultPermissionMode': { as: 'permissions.defaultMode', value: mode },
  'general.vimMode': {
    as: 'editorMode',
    value: (value) => (value === true ? 'vim' : value === false ? 'normal' : value),
  },
  'general.outputStyle': { as: 'outputStyle' },
  'general.fileCheckpointing.enabled': { as: 'enableFileCheckpointing' },
  'general.maxAttempts': {
    as: 'retry.maxRetries',
    value: (value) => (typeof value === 'number' ? Math.max(0, value - 1) : value),
  },
  'ui.theme': {
    as: 'theme',
    value: (value) => (typeof value === 'string' ? (/light$/i.test(value) ? 'light' : 'dark') : value),
  },
  // What confines must not be lost by a letter.
  'security.disableYoloMode': {
    as: 'permissions.disableBypassPermissionsMode',
    value: (value) => (value === false ? undefined : 'disable'),
  },
  'tools.sandboxAllowedPaths': { as: 'sandbox.filesystem.allowWrite' },
  'tools.sandbox.allowedPaths': { as: 'sandbox.filesystem.allowWrite' },
  'tools.sandbox.enabled': { as: 'sandbox.enabled' },
  'tools.sandbox': { as: 'sandbox.enabled', value: (value) => typeof value === 'string' || value },
  'sandbox.credentials.envVars': {
    as: 'hideVariables',
    value: (value) => [value].flat().map((each: unknown) => (isRecord(each) ? each['name'] : each)),
  },
  preferredNotifChannel: {
    as: 'notifications',
    value: (value) => (value === 'terminal_bell' ? 'bell' : value === 'notifications_disabled' ? 'off' : 'auto'),
  },
  'general.enableNotifications': {
    as: 'notifications',
    value: (value) => (value === true ? 'auto' : value === false ? 'off' : value),
  },
};

/** Values of keys that act under their own name, in words of the published products. */
const VALUES: Readonly<Record<string, (value: unknown) => unknown>> = {
  'permissions.defaultMode': mode,
  theme: (value) => {
    if (typeof value !== 'string') return value;
    return value.startsWith('dark-')
      ? 'dark'
      : value.startsWith('light-')
        ? 'light'
        : /^custom:/.test(value)
          ? 'auto'
          : value;
  },
};

const rows = (groups: Readonly<Record<string, string>>, how: PublishedKey['how']): [string, PublishedKey][] =>
  Object.entries(groups).flatMap(([why, keys]) =>
    keys.split(' ').map((key): [string, PublishedKey] => [key, { how, why }]),
  );

/** What becomes of a key that is none of ours; null for one that no product has. @param key with dots */
export function publishedKey(key: string): PublishedKey | null {
  const alias = Object.hasOwn(ALIASES, key) ? ALIASES[key] : undefined;
  if (alias !== undefined) return { how: 'as', why: alias.as };
  return BY_KEY.get(key) ?? null;
}

const BY_KEY: ReadonlyMap<string, PublishedKey> = new Map([
  ...rows(NOTHING, 'nothing'),
  ...rows(LACKS, 'lacks'),
  ...rows(ALWAYS, 'acts'),
]);

/** Every key that has a row of its own, with dots. */
export function publishedKeys(): readonly string[] {
  return [...Object.keys(ALIASES), ...BY_KEY.keys()];
}

/** A group that only a product has, as the keys that stand in it; any other key is itself. @param value all of the source */
export function publishedParts(value: unknown, key: string): readonly string[] {
  const inner = isRecord(value) ? valueAt(value, key.split('.')) : undefined;
  if (!isRecord(inner) || !publishedKeys().some((each) => each.startsWith(`${key}.`))) return [key];
  return Object.keys(inner).flatMap((name) => publishedParts(value, `${key}.${name}`));
}

/** Names of the longest. */
const MAX_ALIAS = 3;

export interface Translated {
  readonly value: unknown;
  /** Keys that act under another name, and which. */
  readonly moved: readonly { readonly key: string; readonly as: string }[];
}

/** Settings of a published product in our words. What is there in our words already stays. */
export function translatePublished(value: unknown): Translated {
  if (!isRecord(value)) return { value, moved: [] };
  const root = copied(value, 0) as Record<string, unknown>;
  const moved: { key: string; as: string }[] = [];
  for (const [key, { as, value: convert = (each: unknown) => each }] of Object.entries(ALIASES)) {
    const from = key.split('.');
    const found = valueAt(root, from);
    if (found === undefined || isRecord(found)) continue;
    remove(root, from);
    const converted = convert(found);
    const there = valueAt(root, as.split('.'));
    if (converted === undefined) continue;
    if (there === undefined) put(root, as.split('.'), converted);
    else if (Array.isArray(there) && Array.isArray(converted)) put(root, as.split('.'), [...there, ...converted]);
    moved.push({ key, as });
  }
  for (const [key, convert] of Object.entries(VALUES)) {
    const found = valueAt(root, key.split('.'));
    if (found !== undefined) put(root, key.split('.'), convert(found));
  }
  return { value: root, moved };
}

/** Objects as deep as an alias goes; what else a host may have put there stays what it is. */
function copied(value: unknown, depth: number): unknown {
  if (!isRecord(value) || depth > MAX_ALIAS) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copied(each, depth + 1)]));
}

function valueAt(root: Record<string, unknown>, keys: readonly string[]): unknown {
  let value: unknown = root;
  for (const key of keys) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Objects that are empty then go too. */
function remove(root: Record<string, unknown>, [key = '', ...rest]: readonly string[]): void {
  const inner = root[key];
  if (rest.length === 0) delete root[key];
  else if (isRecord(inner)) {
    remove(inner, rest);
    if (Object.keys(inner).length === 0) delete root[key];
  }
}

function put(root: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) root[key] = value;
  else {
    if (!isRecord(root[key])) root[key] = {};
    put(root[key] as Record<string, unknown>, rest, value);
  }
}
