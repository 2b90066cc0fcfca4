// Options about a session in a child process. Without one of those that ask for it, it runs in this process.
import type { OptionDeclarations } from '../declaration.js';

export const PROCESSES = {
  childProcess: {
    kind: ['flag', 'path', 'function'],
    type: 'boolean | string | ((options: SpawnOptions) => SpawnedProcess)',
    about:
      'The session runs in a child process, which is the command line of this package: `true`, the path of another copy of it, or a function that starts it.',
    default: 'false',
    acts: 'query',
  },
  executable: {
    kind: 'text',
    type: "'bun' | 'deno' | 'node'",
    about: 'The runtime that starts the child process, if its program is a script. Asks for a child process.',
    acts: 'child/launch',
  },
  executableArgs: {
    kind: 'texts',
    about: 'Arguments for that runtime. Asks for a child process.',
    acts: 'child/launch',
  },
  extraArgs: {
    kind: 'object',
    type: 'Record<string, string | null>',
    about:
      'More flags for the command line in the child process; null: a flag without a value. Asks for a child process.',
    acts: 'child/launch',
  },
  pathToClaudeCodeExecutable: {
    kind: 'text',
    about: 'The session runs in a child process: this program, which speaks the stream-json protocol.',
    acts: 'dialects/folders',
  },
  pathToQoderCLIExecutable: {
    kind: 'text',
    about: 'The session runs in a child process: this program, which speaks the stream-json protocol.',
    acts: 'dialects/folders',
  },
  spawnClaudeCodeProcess: {
    kind: 'function',
    type: '(options: SpawnOptions) => SpawnedProcess',
    about: 'The session runs in a child process that this function starts.',
    acts: 'child/launch',
  },
  spawnQoderCLIProcess: {
    kind: 'function',
    type: '(options: SpawnOptions) => SpawnedProcess',
    about: 'The session runs in a child process that this function starts.',
    acts: 'child/launch',
  },
  closeGraceMs: {
    kind: 'number',
    about: 'How long the child process may take to end by itself, milliseconds.',
    acts: 'child/launch',
    idle: 'inProcess',
  },
  controlRequestTimeoutMs: {
    kind: 'number',
    about: 'How long the child process may take to answer a request, milliseconds; 0: no limit.',
    acts: 'child/launch',
    idle: 'inProcess',
  },
  mcpServersDelivery: {
    kind: 'text',
    type: "'argv' | 'initialize'",
    about: 'How the program of another SDK is told of MCP servers.',
    acts: 'child/launch',
    idle: 'inProcess',
  },
  pluginDelivery: {
    kind: 'text',
    type: "'argv' | 'initialize'",
    about: 'How its engine is told of plugins.',
    idle: 'inProcess',
  },
  transport: {
    kind: ['object', 'function'],
    type: 'object',
    about: 'What carries messages to its engine and back.',
    idle: 'inProcess',
  },
  daemon: {
    kind: 'object',
    type: 'object',
    about: 'An engine of it that runs beside.',
    idle: 'inProcess',
  },
  resolveSessionArtifacts: {
    kind: 'function',
    type: '(sessionId: string, cwd: string) => unknown',
    about: 'What the screens of its host show of a session.',
    idle: 'inProcess',
  },
  experimentalCloudAgent: {
    kind: 'object',
    type: 'CloudAgentOptions',
    about: 'A session in the cloud. Refused: there is no cloud runtime yet.',
    idle: { refused: 'there is no cloud runtime yet' },
  },
} as const satisfies OptionDeclarations;
