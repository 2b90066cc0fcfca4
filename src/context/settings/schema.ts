// Which settings there are: the one description that files are checked against, that the type `Settings` is generated
// from (`npm run settings`) and that `dist/schemas/settings.json` publishes. Data; it imports only lists that the protocol
// has, and the keys that are the same as an option.
import { FALLBACK_TRIGGERS } from '../../protocol/fallback.js';
import { HOOK_EVENTS } from '../../protocol/hooks.js';
import { EFFORT_LEVELS, TOOL_SEARCH_MODES } from '../../protocol/options.js';
import { PERMISSION_MODES } from '../../protocol/permissions.js';
import { SEARCH_PROVIDERS } from '../../protocol/web-options.js';
import { OPTION_SETTINGS } from './option-settings.generated.js';

/** What of JSON Schema the description uses. `x-` keywords are ours. */
export interface SettingSchema {
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: SettingSchema;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  /** Absent: no other keys are known. */
  readonly additionalProperties?: SettingSchema;
  /** The only other keys there are. Absent: any. */
  readonly propertyNames?: { readonly enum: readonly string[] };
  readonly required?: readonly string[];
  readonly anyOf?: readonly SettingSchema[];
  /**
   * How the values of two files come together. `concat`: lists are put one behind the other. `replace`: one value takes
   * the place of the other. Default: objects key by key, everything else `replace`.
   */
  readonly 'x-merge'?: 'concat' | 'replace';
  /** What a value counts as that is not understood, or whose name is misspelt. Absent: it is left out. */
  readonly 'x-unclear'?: string | boolean | readonly [];
  /** True: counts in managed settings alone. */
  readonly 'x-managed'?: boolean;
}

const TEXT = { type: 'string', minLength: 1 } as const;
const YES_NO = { type: 'boolean' } as const;
const WHOLE = { type: 'integer', minimum: 0 } as const;
const COUNT = { type: 'integer', minimum: 1 } as const;
const TEXTS = { type: 'array', items: TEXT } as const;
/** Of every file together. */
const ALL_TEXTS = { ...TEXTS, 'x-merge': 'concat' } as const;
/** MCP servers by one of: their name, their address, their command. */
const SERVER_RULES = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      serverName: { ...TEXT, description: 'The name of a server.' },
      serverUrl: { ...TEXT, description: 'Its address; `*` stands for any text.' },
      serverCommand: { ...TEXTS, description: 'Its program with all arguments.' },
    },
  },
} as const;
const RULES = {
  ...ALL_TEXTS,
  description: 'Permission rules: a tool such as `Read`, `mcp__server__tool`, or a part of one.',
} as const;
/** Longer than any trailer, characters. */
const TRAILER = { type: 'string', maxLength: 2_000 } as const;

const PERMISSIONS = {
  type: 'object',
  description: 'What may run.',
  properties: {
    allow: { ...RULES, description: 'Runs unasked. A rule of `deny` or `ask` beats it, whatever file that stands in.' },
    deny: { ...RULES, description: 'Never runs.' },
    ask: { ...RULES, description: 'Is always asked about.' },
    examples: {
      type: 'array',
      'x-merge': 'concat',
      items: {
        type: 'object',
        properties: {
          rule: { ...TEXT, description: 'A rule of one of the lists.' },
          match: { ...TEXTS, description: 'Commands, paths, addresses or names that it speaks of.' },
          not_match: { ...TEXTS, description: 'Some that it does not speak of.' },
        },
        required: ['rule'],
      },
      description: 'What rules are meant to do: held against them when the settings are read.',
    },
    defaultMode: {
      enum: PERMISSION_MODES,
      description: 'The permission mode a session begins with, where no option names one.',
    },
    autoMode: {
      type: 'object',
      'x-merge': 'replace',
      description: 'A model that judges, in mode `auto`, what the rules leave undecided. A project does not name one.',
      properties: {
        judge: { ...TEXT, description: 'The model.' },
        timeoutMs: { ...COUNT, description: 'How long it may take, milliseconds. Default 30,000.' },
      },
      required: ['judge'],
    },
    untrustedContent: {
      type: 'object',
      'x-merge': 'replace',
      description:
        'What may follow once the conversation holds pages, answers of servers, files of others or messages of commits. A project does not say so.',
      properties: {
        policy: {
          enum: ['ask', 'deny', 'tell'],
          'x-unclear': 'ask',
          description:
            'What becomes of calls that could carry something out of the workspace: asked about, denied, or decided as always and told of.',
        },
        files: {
          enum: ['untrusted', 'outside', 'all'],
          description:
            'Which files count. `untrusted`, the default: those outside the workspace, and all of a folder that nobody vouches for.',
        },
        allow: { ...TEXTS, description: 'Rules: calls that are decided as always.' },
        deny: { ...TEXTS, description: 'Rules: calls that do not run.' },
        trust: { ...TEXTS, description: 'Rules: what such calls bring in is trusted.' },
        distrust: { ...TEXTS, description: 'Rules: what such calls bring in is not.' },
      },
      required: ['policy'],
    },
    deferredExpiryMs: {
      ...COUNT,
      description: 'How long a deferred call waits for a decision, milliseconds; then it is denied.',
    },
    additionalDirectories: { ...ALL_TEXTS, description: 'Folders that belong to the workspace too.' },
    disableBypassPermissionsMode: {
      enum: ['disable'],
      'x-unclear': 'disable',
      description: '`disable`: no session skips all questions. Said anywhere, it holds.',
    },
    disableAutoMode: {
      enum: ['disable'],
      'x-unclear': 'disable',
      description: '`disable`: mode `auto` decides as `default` does. Said anywhere, it holds.',
    },
    blockReadsOutsideWorkingDirectories: {
      ...YES_NO,
      'x-unclear': true,
      description: 'True: nothing outside the workspace is read, in any mode. Said anywhere, it holds.',
    },
    blockWritesOutsideWorkingDirectories: {
      ...YES_NO,
      'x-unclear': true,
      description: 'True: nothing outside the workspace is written, in any mode. Said anywhere, it holds.',
    },
    denyInsteadOfPrompting: {
      ...YES_NO,
      'x-unclear': true,
      description: 'True: what would be asked about is denied. Said anywhere, it holds.',
    },
  },
} as const;

/** What a judge of mode `auto` is told, in words. */
const AUTO_MODE = {
  type: 'object',
  description: 'What the judge of mode `auto` goes by beside its own rules, each in words.',
  properties: {
    hard_deny: { ...ALL_TEXTS, description: 'What no call may do, whatever the user asked for.' },
    soft_deny: { ...ALL_TEXTS, description: 'What a call may do only if the user plainly asked for it.' },
    allow: { ...ALL_TEXTS, description: 'What a call may do.' },
    environment: { ...ALL_TEXTS, description: 'What belongs to the user: repositories, hosts, accounts.' },
  },
} as const;

const SANDBOX = {
  type: 'object',
  description: 'The sandbox for commands.',
  properties: {
    // What confines, or holds others to it, must not be lost by a letter.
    enabled: { ...YES_NO, 'x-unclear': true },
    autoAllowBashIfSandboxed: { ...YES_NO, 'x-unclear': false },
    excludedCommands: ALL_TEXTS,
    allowUnsandboxedCommands: { ...YES_NO, 'x-unclear': false },
    network: {
      type: 'object',
      properties: {
        allowLocalBinding: YES_NO,
        allowUnixSockets: ALL_TEXTS,
        allowAllUnixSockets: YES_NO,
        httpProxyPort: COUNT,
        socksProxyPort: COUNT,
        allowedDomains: ALL_TEXTS,
        deniedDomains: ALL_TEXTS,
        allowManagedDomainsOnly: { ...YES_NO, 'x-unclear': true },
      },
    },
    filesystem: {
      type: 'object',
      properties: {
        allowWrite: ALL_TEXTS,
        denyWrite: ALL_TEXTS,
        denyRead: ALL_TEXTS,
        allowRead: ALL_TEXTS,
        allowManagedReadPathsOnly: { ...YES_NO, 'x-unclear': true },
      },
    },
    ignoreViolations: { type: 'object', properties: { file: ALL_TEXTS, network: ALL_TEXTS } },
    enableWeakerNestedSandbox: YES_NO,
  },
} as const;

/** A choice that was made and is not understood: it counts as the strictest that there is. */
export const UNCLEAR = 'unclear';

/** What hooks of all kinds have. */
const ANY_HOOK = {
  timeout: { type: 'number', exclusiveMinimum: 0, description: 'Seconds. Default 60; of a prompt 30.' },
  onFailure: {
    enum: ['continue', 'block'],
    // A guard must not be lost by a letter; what refuses depends on the event.
    'x-unclear': UNCLEAR,
    description: '`block`: a hook that fails refuses. Default `continue`.',
  },
  async: { ...YES_NO, description: 'True: it is not waited for; what it has to say comes with a later prompt.' },
  asyncTimeout: {
    type: 'number',
    exclusiveMinimum: 0,
    description: 'Seconds that it may go on unwaited for. Default: its timeout.',
  },
  statusMessage: { ...TEXT, maxLength: 200, description: 'Told while it runs.' },
} as const;

const COMMAND_HOOK = {
  type: 'object',
  properties: {
    type: { enum: ['command'] },
    command: {
      ...TEXT,
      maxLength: 20_000,
      description: 'A line for a shell. It reads what happened as JSON on stdin.',
    },
    ...ANY_HOOK,
  },
  required: ['type', 'command'],
} as const;

const HTTP_HOOK = {
  type: 'object',
  properties: {
    type: { enum: ['http'] },
    url: { ...TEXT, maxLength: 4_000, description: 'What happened is sent there as JSON, by POST.' },
    headers: {
      type: 'object',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as settings have it
      description: 'Sent along. `$NAME` and `${NAME}` stand for variables that allowedEnvVars lists.',
      additionalProperties: { type: 'string', maxLength: 8_000 },
    },
    allowedEnvVars: { ...TEXTS, description: 'Variables that headers may hold.' },
    ...ANY_HOOK,
  },
  required: ['type', 'url'],
} as const;

const PROMPT_HOOK = {
  type: 'object',
  properties: {
    type: { enum: ['prompt'] },
    prompt: {
      ...TEXT,
      maxLength: 20_000,
      description: 'What a model is asked. `$ARGUMENTS` stands for what happened, as JSON; without it that follows.',
    },
    model: { ...TEXT, description: 'Which model is asked. Default: the small one of the session.' },
    ...ANY_HOOK,
  },
  required: ['type', 'prompt'],
} as const;

/** As PROMPT_HOOK, by an agent that may read. */
const AGENT_HOOK = {
  ...PROMPT_HOOK,
  properties: { ...PROMPT_HOOK.properties, type: { enum: ['agent'] } },
} as const;

const MCP_TOOL_HOOK = {
  type: 'object',
  properties: {
    type: { enum: ['mcp_tool'] },
    server: { ...TEXT, description: 'A connected MCP server of the session.' },
    tool: { ...TEXT, description: 'The tool, as the server names it.' },
    input: {
      type: 'object',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as settings have it
      description: 'Its input. `${tool_input.file_path}` in a text stands for that field of what happened.',
      additionalProperties: {},
    },
    ...ANY_HOOK,
  },
  required: ['type', 'server', 'tool'],
} as const;

const HOOKS = {
  type: 'object',
  description: 'What runs at moments of a session, by event.',
  propertyNames: { enum: HOOK_EVENTS },
  additionalProperties: {
    type: 'array',
    'x-merge': 'concat',
    items: {
      type: 'object',
      properties: {
        matcher: { type: 'string', description: 'Which firings: names (`Edit|Write`), or a regular expression.' },
        hooks: {
          type: 'array',
          items: {
            anyOf: [COMMAND_HOOK, HTTP_HOOK, PROMPT_HOOK, AGENT_HOOK, MCP_TOOL_HOOK],
          },
        },
      },
      required: ['hooks'],
    },
  },
} as const;

/** Where a marketplace comes from: `{ source: "github", repo }` and its kin, looked at where they are used. */
const SOURCE = { type: 'object', 'x-merge': 'replace', additionalProperties: {} } as const;

const MODEL_TIERS = {
  type: 'object',
  description: 'The model of each tier.',
  properties: { auto: TEXT, ultimate: TEXT, performance: TEXT, efficient: TEXT, lite: TEXT },
} as const;

const FALLBACK = {
  description: 'Models that may answer in place of the model: their names, or names with conditions.',
  anyOf: [
    TEXTS,
    {
      type: 'object',
      properties: {
        models: TEXTS,
        on: {
          type: 'array',
          items: { enum: FALLBACK_TRIGGERS },
        },
        maxPriceFactor: { type: 'number', exclusiveMinimum: 0 },
        pin: YES_NO,
      },
    },
  ],
} as const;

const WEB = {
  type: 'object',
  description: 'WebFetch and WebSearch. A project says nothing of it.',
  properties: {
    privateHosts: {
      ...ALL_TEXTS,
      description: 'Hosts that are not on the public internet and may be fetched: `localhost:3000`, `10.1.0.0/16`.',
    },
    model: {
      anyOf: [TEXT, { type: 'boolean' }],
      description: 'Answers questions about pages. `false`: pages are shown.',
    },
    search: {
      type: 'object',
      description: 'Who searches.',
      properties: {
        provider: { enum: SEARCH_PROVIDERS },
        apiKey: { ...TEXT, description: 'Better in the variable of the provider.' },
        baseUrl: TEXT,
        maxResults: COUNT,
      },
    },
  },
} as const;

const BUDGETS = {
  type: 'object',
  description: 'What one session may use. A project can only lower it.',
  properties: {
    maxBudgetUsd: { type: 'number', exclusiveMinimum: 0, description: 'US dollars.' },
    maxTurns: { ...COUNT, description: 'Model replies of one prompt.' },
    taskTokens: { ...COUNT, description: 'Tokens after which a task is wrapped up.' },
  },
} as const;

const RETRY = {
  type: 'object',
  description: 'Failed requests to a model.',
  properties: {
    maxRetries: { ...WHOLE, description: 'Times a request is sent again.' },
    baseMs: { ...WHOLE, description: 'First delay, milliseconds; doubles each time.' },
    maxMs: { ...WHOLE, description: 'Longest delay, milliseconds.' },
    horizonMs: { ...WHOLE, description: 'How long a request goes on being sent again, milliseconds.' },
    streamIdleMs: { ...WHOLE, description: 'Silence after which an attempt has failed, milliseconds.' },
    contentIdleMs: { ...WHOLE, description: 'The same while pings come but no content, milliseconds.' },
    requestTimeoutMs: { ...WHOLE, description: 'Longest wait for the first event of a reply, milliseconds.' },
    waitUntilReset: { ...YES_NO, description: 'True: a limit whose reset the server names is waited for.' },
  },
} as const;

export const SETTINGS_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Turnwright settings',
  type: 'object',
  properties: {
    $schema: { type: 'string', description: 'Where this description is found, for editors.' },
    permissions: PERMISSIONS,
    disableAutoMode: {
      enum: ['disable'],
      'x-unclear': 'disable',
      description: 'As `permissions.disableAutoMode`.',
    },
    autoMode: AUTO_MODE,
    allowManagedPermissionRulesOnly: {
      ...YES_NO,
      'x-unclear': true,
      'x-managed': true,
      description: 'True: only managed settings allow anything, and no rule is saved.',
    },
    env: {
      type: 'object',
      description: 'Variables of the session and of what it starts.',
      additionalProperties: { type: 'string' },
    },
    hooks: HOOKS,
    disableAllHooks: {
      ...YES_NO,
      description: 'True: no hook of settings runs but managed ones. Of a project: none of its own.',
    },
    allowManagedHooksOnly: {
      ...YES_NO,
      'x-unclear': true,
      'x-managed': true,
      description: 'True: only hooks of managed settings run.',
    },
    model: { ...TEXT, description: '`PROVIDER/NAME`, a name, a tier, or `offline`.' },
    modelTiers: MODEL_TIERS,
    fallback: FALLBACK,
    effort: { enum: EFFORT_LEVELS, description: 'How much work the model puts in.' },
    thinking: {
      type: 'object',
      'x-merge': 'replace',
      description: 'Extended thinking. `budgetTokens` goes with `enabled`.',
      properties: {
        type: { enum: ['disabled', 'adaptive', 'enabled'] },
        budgetTokens: { type: 'integer', minimum: 1_024 },
        display: { enum: ['summarized', 'omitted'] },
      },
      required: ['type'],
    },
    agent: { ...TEXT, description: 'The agent that sessions run as.' },
    builtInAgents: {
      description: 'Which built-in agents there are: true for all, false for none, or their names.',
      anyOf: [YES_NO, TEXTS],
    },
    outputStyle: { ...TEXT, description: 'The output style: `default`, `Explanatory`, `Learning`, or one of a file.' },
    language: { ...TEXT, maxLength: 100, description: 'The language the model answers in, such as `German`.' },
    enableAllProjectMcpServers: {
      ...YES_NO,
      description: 'False: of the servers of a trusted `.mcp.json` only those that `enabledMcpjsonServers` names.',
    },
    enabledMcpjsonServers: { ...ALL_TEXTS, description: 'Servers of `.mcp.json` that are used.' },
    disabledMcpjsonServers: { ...ALL_TEXTS, description: 'Servers of `.mcp.json` that are not.' },
    allowedMcpServers: {
      ...SERVER_RULES,
      description:
        'The only MCP servers there may be, whoever names them; `[]`: none. The strongest list counts alone.',
    },
    deniedMcpServers: {
      ...SERVER_RULES,
      'x-merge': 'concat',
      description: 'MCP servers that there may not be, whoever names them.',
    },
    allowManagedMcpServersOnly: {
      ...YES_NO,
      'x-unclear': true,
      'x-managed': true,
      description: 'True: only `allowedMcpServers` of managed settings counts.',
    },
    strictPluginOnlyCustomization: {
      'x-unclear': true,
      'x-managed': true,
      description: 'What only plugins and managed settings bring along. True: all of it.',
      anyOf: [YES_NO, { type: 'array', items: { enum: ['skills', 'agents', 'hooks', 'mcp'] } }],
    },
    disableSkillShellExecution: {
      ...YES_NO,
      'x-unclear': true,
      description: 'True: shell lines of commands are not run. Said anywhere, it holds.',
    },
    allowedHttpHookUrls: {
      ...ALL_TEXTS,
      description: 'The only addresses that hooks of type `http` may send to; `*` stands for any text. `[]`: none.',
    },
    httpHookAllowedEnvVars: {
      ...ALL_TEXTS,
      description: 'The only variables that headers of hooks of type `http` may hold.',
    },
    claudeMdExcludes: {
      ...ALL_TEXTS,
      description: 'Globs of absolute paths: instruction files that are not read, but for those of the administrator.',
    },
    skillOverrides: {
      type: 'object',
      description: 'Which skills are there for whom, by name. Those of plugins stay as they are.',
      additionalProperties: { enum: ['on', 'name-only', 'user-invocable-only', 'off'] },
    },
    plugins: {
      ...ALL_TEXTS,
      description: 'Folders of plugins. Of a project they count in a run that trusts the folder.',
    },
    enabledPlugins: {
      type: 'object',
      description: 'Which installed plugins are used, by `name@marketplace`. A list: only in these versions.',
      additionalProperties: { anyOf: [YES_NO, { ...TEXTS, 'x-merge': 'replace' }] },
    },
    extraKnownMarketplaces: {
      type: 'object',
      description: 'Marketplaces by their names: one is added when somebody installs a plugin of it.',
      additionalProperties: {
        type: 'object',
        'x-merge': 'replace',
        properties: { source: SOURCE },
        additionalProperties: {},
        required: ['source'],
      },
    },
    strictKnownMarketplaces: {
      type: 'array',
      items: SOURCE,
      'x-managed': true,
      'x-unclear': [],
      description: 'The only marketplaces there may be; `[]`: none.',
    },
    blockedMarketplaces: {
      type: 'array',
      items: SOURCE,
      'x-managed': true,
      'x-merge': 'concat',
      description: 'Marketplaces that there may not be.',
    },
    disableSideloadFlags: {
      ...YES_NO,
      'x-unclear': true,
      'x-managed': true,
      description: 'True: no session names folders of plugins, agents or servers by options; what is installed stays.',
    },
    codeMode: {
      description: 'True: the model can run scripts that call tools. Or an object that says how.',
      anyOf: [
        YES_NO,
        {
          type: 'object',
          properties: { only: YES_NO, maxRunMs: COUNT, maxMemoryMb: COUNT, maxOutputCharacters: COUNT },
        },
      ],
    },
    toolSearch: {
      description:
        'When tools of MCP servers wait until the model has searched for them. A number: from that percentage of the context window on.',
      anyOf: [{ enum: TOOL_SEARCH_MODES }, { type: 'number', minimum: 0 }],
    },
    skills: { anyOf: [{ enum: ['all'] }, TEXTS], description: 'Which skills there are: `all`, or their names.' },
    sandbox: SANDBOX,
    attribution: {
      description:
        'Texts that the model adds to commits and pull requests. `true`: the standard ones. Absent, false, `""`: none.',
      anyOf: [YES_NO, { type: 'object', properties: { commit: TRAILER, pr: TRAILER } }],
    },
    includeCoAuthoredBy: {
      ...YES_NO,
      description: 'The older name: true means `attribution: true`, where that is not given.',
    },
    cleanupPeriodDays: {
      type: 'number',
      minimum: 1,
      description: 'Sessions that were not written for so many days are deleted.',
    },
    hideVariables: { ...ALL_TEXTS, description: 'Variables that no command, hook or server gets.' },
    availableModels: {
      ...ALL_TEXTS,
      description: 'The only models that may be named: names, or families such as `sonnet`. `[]`: none.',
    },
    enforceAvailableModels: {
      ...YES_NO,
      'x-unclear': true,
      'x-managed': true,
      description: 'True: what nobody names must be one of `availableModels` too.',
    },
    passVariables: {
      ...ALL_TEXTS,
      description: 'Variables that are called like the key of a model provider and reach commands all the same.',
    },
    apiKeyHelper: { ...TEXT, description: 'A command that prints the key of the model.' },
    statusLine: {
      type: 'object',
      'x-merge': 'replace',
      description: 'A command whose first lines of output stand below the prompt of the terminal.',
      properties: {
        type: { enum: ['command'] },
        command: {
          ...TEXT,
          maxLength: 20_000,
          description: 'A line for a shell. It reads the session as JSON on stdin.',
        },
        padding: { ...WHOLE, description: 'Columns before its output. Default 0.' },
      },
      required: ['type', 'command'],
    },
    theme: {
      enum: ['auto', 'dark', 'light', 'high-contrast'],
      description: 'The colours of the terminal. `auto`, the default, follows its background.',
    },
    reducedMotion: { ...YES_NO, description: 'True: nothing in the terminal moves by itself.' },
    editorMode: { enum: ['normal', 'vim'], description: 'How the prompt of the terminal is edited.' },
    notifications: {
      enum: ['auto', 'bell', 'desktop', 'off'],
      description: 'How the terminal calls you when you look elsewhere. `auto`: by both.',
    },
    enableFileCheckpointing: {
      ...YES_NO,
      description: 'Whether files can be set back to what they were before a prompt. Counts from the next session on.',
    },
    budgets: BUDGETS,
    retry: RETRY,
    web: WEB,
    ...OPTION_SETTINGS,
  },
} as const;
