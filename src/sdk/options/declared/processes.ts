// Options about other SDKs start their engine as a process; here it runs in this one.
import type { OptionDeclarations } from '../declaration.js';

export const PROCESSES = {
  executable: {
    kind: 'text',
    type: "'bun' | 'deno' | 'node'",
    about: 'The runtime that another SDK starts its engine with.',
    idle: 'inProcess',
  },
  executableArgs: {
    kind: 'texts',
    about: 'Arguments for that runtime.',
    idle: 'inProcess',
  },
  extraArgs: {
    kind: 'object',
    type: 'Record<string, string | null>',
    about: 'Flags of its command line.',
    idle: 'inProcess',
  },
  pathToClaudeCodeExecutable: {
    kind: 'text',
    about: 'Where its engine is.',
    idle: 'inProcess',
  },
  pathToQoderCLIExecutable: {
    kind: 'text',
    about: 'Where its engine is.',
    idle: 'inProcess',
  },
  spawnClaudeCodeProcess: {
    kind: 'function',
    type: '(options: SpawnOptions) => SpawnedProcess',
    about: 'Starts its engine.',
    idle: 'inProcess',
  },
  spawnQoderCLIProcess: {
    kind: 'function',
    type: '(options: SpawnOptions) => SpawnedProcess',
    about: 'Starts its engine.',
    idle: 'inProcess',
  },
  closeGraceMs: {
    kind: 'number',
    about: 'How long its engine may take to end, milliseconds.',
    idle: 'inProcess',
  },
  controlRequestTimeoutMs: {
    kind: 'number',
    about: 'How long its engine may take to answer, milliseconds.',
    idle: 'inProcess',
  },
  mcpServersDelivery: {
    kind: 'text',
    type: "'argv' | 'initialize'",
    about: 'How its engine is told of MCP servers.',
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
