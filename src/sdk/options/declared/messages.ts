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
    acts: 'output-format',
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
    acts: 'session',
  },
  replayUserMessages: {
    kind: 'flag',
    about: 'True: the messages of the user are sent back as the session takes them.',
    default: 'false',
    acts: 'session',
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
    about: 'Suggestions for the next prompt.',
    idle: 'always',
  },
} as const satisfies OptionDeclarations;
