// Options about what the stream of messages holds.
import type { OptionDeclarations } from '../declaration.js';

export const MESSAGES = {
  abortController: {
    kind: 'controller',
    type: 'AbortController',
    about: 'Ends the session when it is aborted.',
    acts: 'session',
    typed: true,
  },
  outputFormat: {
    kind: 'object',
    type: 'OutputFormat',
    about: 'The answer as data that fits a schema: `structured_output` of the result.',
    wider: {
      type: 'OutputFormatOption | JsonSchema | ZodLike',
      about:
        "The answer as data that fits a schema, `structured_output` of the result: `{ type: 'json_schema', schema }`, or the schema itself. With one of Zod the value has its type.",
    },
    flags: [
      { name: 'json-schema', takes: '<schema>', reads: 'own', does: 'the answer as JSON that fits a JSON Schema' },
    ],
    inReadme: true,
    acts: 'schemas/output-format',
    see: 'loop.md',
  },
  includePartialMessages: {
    kind: 'flag',
    about: 'True: replies are sent in parts too, as they are written.',
    default: 'false',
    flags: [{ reads: 'true', does: 'stream-json: replies in parts, as they come' }],
    acts: 'session',
  },
  includeHookEvents: {
    kind: 'flag',
    about: 'True: messages say when hooks run.',
    default: 'false',
    flags: [{ reads: 'true', does: 'stream-json: say when hooks run' }],
    acts: 'session',
  },
  telemetry: {
    kind: ['flag', 'object'],
    type: 'boolean | TelemetryOptions',
    own: true,
    about:
      'True: spans and metrics of the session go to the OpenTelemetry SDK that the process has. An object says whether texts of the conversation go along.',
    default: '`true` if TURNWRIGHT_TELEMETRY or CLAUDE_CODE_ENABLE_TELEMETRY is set',
    acts: 'session',
    see: 'telemetry.md',
  },
  includeSessionState: {
    kind: 'flag',
    own: true,
    about:
      'True: messages say whether the session works, waits for an answer, or is idle. `idle` follows the `result` after which nothing waits.',
    default: 'false',
    acts: 'session',
    see: 'protocol.md',
  },
  replayUserMessages: {
    kind: 'flag',
    about: 'True: the messages of the user are sent back as the session takes them.',
    default: 'false',
    flags: [{ reads: 'true', does: 'stream-json: send prompts back' }],
    acts: 'session',
  },
  replayHistory: {
    kind: 'flag',
    own: true,
    about: 'True: a resumed session begins with what the user said in it before, each message with `isReplay`.',
    default: 'false',
    acts: 'session',
    see: 'protocol.md',
  },
  toolUseSummaries: {
    kind: ['flag', 'object'],
    type: 'boolean | { readonly model?: string }',
    own: true,
    about: "One line about each round of tools, asked of the session's model or another: small requests.",
    default: 'false',
    acts: 'session',
  },
  isNonInteractiveSession: {
    kind: 'flag',
    own: true,
    about:
      'False: a person follows the session while it runs, as at a terminal. Told to tools and slash commands in their context; nothing built in reads it.',
    default: 'true',
    acts: 'session',
  },
  promptSuggestions: {
    kind: 'flag',
    about:
      'True: after each result that is a success, a `prompt_suggestion` says what the user might ask next. It costs a small request.',
    default: 'false',
    acts: 'query',
    see: 'controls.md#questions-and-titles',
  },
  agentProgressSummaries: {
    kind: 'flag',
    about: 'True: a line from time to time about what a subagent is at, asked of its model: small requests.',
    default: 'false',
    acts: 'session',
  },
  forwardSubagentText: {
    kind: 'flag',
    about: 'False: of subagents only calls and results are sent, not what they write and think.',
    default: 'true',
    acts: 'session',
  },
  streamSubagents: {
    kind: 'flag',
    own: true,
    about:
      'True, with `includePartialMessages`: replies of subagents come event by event too; `parent_tool_use_id` names the call.',
    default: 'false',
    acts: 'session',
    see: 'subagents.md',
  },
  verbatimPrompts: {
    kind: 'flag',
    about: 'True: prompts are what the model reads, letter by letter: a slash at the beginning is no command.',
    default: 'false',
    acts: 'session',
  },
  debug: {
    kind: 'flag',
    about:
      'True: a line about each message and fault goes to `debugFile`, else to `stderr`, else to the standard error.',
    default: 'false',
    flags: [{ reads: 'own', does: 'a log of sizes and names on stderr' }],
    acts: 'logs/logged-messages',
    see: 'controls.md#looking-into-a-session',
  },
  debugFile: {
    kind: 'path',
    about: 'The file that debug lines are added to; with it there is no need of `debug`. They hold no contents.',
    flags: [{ takes: '<file>', reads: 'own', does: 'that log, in a file' }],
    acts: 'logs/logged-messages',
    see: 'controls.md#looking-into-a-session',
  },
  stderr: {
    kind: 'function',
    type: '(data: string) => void',
    about: 'Gets each notice of the session as a line, and with `debug` the debug lines.',
    acts: 'logs/logged-messages',
    see: 'controls.md#looking-into-a-session',
  },
  perTaskStopAffordance: {
    kind: 'flag',
    about: 'True: the host can stop single tasks, so an interrupt leaves those in the background alone.',
    default: 'false',
    idle: 'always',
  },
} as const satisfies OptionDeclarations;
