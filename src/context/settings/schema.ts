// Which settings there are: the one description that files are checked against, that the type `Settings` is generated
// from (`npm run settings`) and that `dist/schemas/settings.json` publishes. Data. Keys that say what an option says are
// declared with that option, and written from there.
import { HOOK_EVENTS } from '../../protocol/hooks.js';
import { OPTION_SETTINGS } from './option-settings.generated.js';
import { ALL_TEXTS, TEXT, TEXTS, WHOLE, YES_NO } from './setting-schema.js';

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
/** Longer than any trailer, characters. */
const TRAILER = { type: 'string', maxLength: 2_000 } as const;

const PERMISSIONS = {
  type: 'object',
  description: 'What may run.',
  properties: {
    ...OPTION_SETTINGS.permissions,
    ask: { ...ALL_TEXTS, description: 'Rules: what is always asked about.' },
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

/** Where a marketplace comes from: `{ source: "github", repo }` and its kin, looked at when they are used. */
const SOURCE = { type: 'object', 'x-merge': 'replace', additionalProperties: {} } as const;

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
    attribution: {
      description:
        'Texts that the model adds to commits and pull requests. `true`: the standard ones. Absent, false, `""`: none.',
      anyOf: [YES_NO, { type: 'object', properties: { commit: TRAILER, pr: TRAILER } }],
    },
    includeCoAuthoredBy: {
      ...YES_NO,
      description: 'The older name: true means `attribution: true`, if that is not given.',
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
    budgets: {
      type: 'object',
      description: 'What one session may use. A project can only lower it.',
      properties: OPTION_SETTINGS.budgets,
    },
    retry: { type: 'object', description: 'Failed requests to a model.', properties: OPTION_SETTINGS.retry },
    ...OPTION_SETTINGS.top,
  },
} as const;
