// The variables of the environment, for the reference. Limits have theirs in their own table, keys of providers in
// `providers/`; a name of ours that src/ reads and nobody declares fails the check.

/** By topic. `default` and `see` as with options. */
export const VARIABLES = {
  'Models and providers': [
    { names: ['TURNWRIGHT_MODEL', 'ANTHROPIC_MODEL'], about: 'Model if none is named; the first one set counts.' },
    { names: ['ANTHROPIC_API_KEY'], about: 'Key of the Anthropic API.' },
    { names: ['ANTHROPIC_AUTH_TOKEN'], about: 'Bearer token, used if there is no key.' },
    { names: ['ANTHROPIC_BASE_URL'], about: 'Another address that speaks the Messages API.' },
    { names: ['ANTHROPIC_CUSTOM_HEADERS'], about: 'Headers of its requests, `Name: value`, one a line.' },
    {
      names: ['QODER_PERSONAL_ACCESS_TOKEN'],
      about: 'What `accessTokenFromEnv()` reads, if it is given no name.',
      see: 'models.md#keys',
    },
    { names: ['TURNWRIGHT_PROVIDERS'], about: 'Providers of your own, as JSON.', see: 'models.md#providers' },
    {
      names: ['TURNWRIGHT_MODELS_FILE'],
      about: 'A JSON file with limits and prices of models.',
      see: 'models.md#what-is-known-of-models',
    },
    {
      names: ['TURNWRIGHT_MAX_THINKING_TOKENS', 'MAX_THINKING_TOKENS'],
      about: 'If `thinking` is `adaptive` or not given: 0 is none, else the budget of models that take one.',
    },
    {
      names: ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'],
      about: 'Proxies for model requests, and what goes past them.',
      see: 'models.md#the-way-there',
    },
    {
      names: ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'],
      about: 'Certificate authorities beside the usual ones; in their place.',
      see: 'models.md#the-way-there',
    },
  ],
  'Sessions and files': [
    {
      names: ['TURNWRIGHT_HOME'],
      about: 'Where sessions, settings of the user and keys are kept.',
      default: '`~/.turnwright`',
    },
    {
      names: ['TURNWRIGHT_SESSIONS_HOME'],
      about: 'Where sessions are kept, if not there: in its folder `projects`.',
      default: '`TURNWRIGHT_HOME`',
      see: 'sessions.md',
    },
    {
      names: ['CLAUDE_CONFIG_DIR', 'QODER_CONFIG_DIR'],
      about: 'Where other programs keep settings and skills of the user; they are read there.',
      default: '`~/.claude`, `~/.qoder`',
      see: 'settings.md',
    },
    {
      names: ['TURNWRIGHT_CLEANUP_PERIOD_DAYS'],
      about: 'Days after which sessions that were not written are deleted.',
      default: 'none is',
      see: 'sessions.md#deleting-and-keeping',
    },
    {
      names: ['TURNWRIGHT_MEMORY_PATH', 'CLAUDE_COWORK_MEMORY_PATH_OVERRIDE'],
      about: 'A folder that the model is told to keep notes in.',
    },
    {
      names: ['TURNWRIGHT_PASS_VARIABLES'],
      about: 'Names, by commas, of variables that look like the key of a model and reach commands all the same.',
      see: 'security.md#keys-of-models',
    },
    {
      names: ['TURNWRIGHT_HIDE_VARIABLES'],
      about: 'Names, by commas, of variables that no command, hook or server gets.',
      see: 'settings.md#keys',
    },
  ],
  'Command line': [
    { names: ['NO_COLOR', 'FORCE_COLOR'], about: 'Colours of the command line. The option `env` does not set them.' },
    {
      names: ['NODE_DISABLE_COMPILE_CACHE', 'NODE_COMPILE_CACHE'],
      about:
        '`1` keeps the command line from keeping compiled code, on Node 22 and newer; a folder in which a program with the SDK keeps its own.',
      see: 'decisions/0040-compiled-code-is-kept-for-the-command-line.md',
    },
  ],
  Telemetry: [
    {
      names: ['TURNWRIGHT_TELEMETRY', 'CLAUDE_CODE_ENABLE_TELEMETRY'],
      about: '`1` or `true` tells the OpenTelemetry SDK of the process about the session; the first one set counts.',
      see: 'telemetry.md',
    },
    {
      names: ['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'],
      about: '`true`: texts of the conversation go along, unless the option says otherwise.',
      see: 'telemetry.md#content',
    },
    {
      names: ['OTEL_LOG_USER_PROMPTS', 'OTEL_LOG_TOOL_DETAILS', 'OTEL_LOG_TOOL_CONTENT', 'OTEL_LOG_RAW_API_BODIES'],
      about: '`1`: what people say, inputs of tools, these with their results, whole requests and answers go along.',
      see: 'telemetry.md#content',
    },
    {
      names: ['TRACEPARENT', 'TRACESTATE'],
      about:
        'The trace that prompts belong to, if no span is active in the program. Commands and hooks are given their own.',
      see: 'telemetry.md#one-trace-through-everything',
    },
  ],
  'What programs are given': [
    {
      names: ['TURNWRIGHT_PROJECT_DIR', 'CLAUDE_PROJECT_DIR', 'QODER_PROJECT_DIR'],
      about: 'To commands of hooks: the folder of the project.',
      see: 'hooks.md',
    },
    {
      names: ['TURNWRIGHT_PLUGIN_ROOT', 'CLAUDE_PLUGIN_ROOT', 'QODER_PLUGIN_ROOT'],
      about: 'To commands of hooks of a plugin: the folder of the plugin.',
      see: 'plugins.md',
    },
    {
      names: ['TURNWRIGHT_SKILL_DIR', 'CLAUDE_SKILL_DIR', 'QODER_SKILL_DIR'],
      about: 'To hooks of a skill: its folder.',
      see: 'skills.md',
    },
    {
      names: ['TURNWRIGHT_MCP_SERVER_NAME', 'TURNWRIGHT_MCP_SERVER_URL'],
      about: 'To a `headersHelper`: the server that the headers are for.',
      see: 'mcp.md#servers-by-http',
    },
    { names: ['TURNWRIGHT_SANDBOX'], about: 'To commands in the sandbox: what confines them.', see: 'sandbox.md' },
    {
      names: ['TURNWRIGHT_RUN_ID'],
      about: 'To every program: the mark by which those of one session are found and ended.',
    },
  ],
};
