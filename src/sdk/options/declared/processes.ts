// Options about other SDKs start their engine as a process; here it runs in this one.
import type { OptionDeclarations } from '../declaration.js';

export const PROCESSES = {
  executable: {
    kind: 'text',
    type: "'bun' | 'deno' | 'node'",
    about: 'The runtime that another SDK starts its engine with.',
    idle: 'always',
  },
  executableArgs: {
    kind: 'texts',
    about: 'Arguments for that runtime.',
    idle: 'always',
  },
  extraArgs: {
    kind: 'object',
    type: 'Record<string, string | null>',
    about: 'Flags of its command line.',
    idle: 'always',
  },
  pathToClaudeCodeExecutable: {
    kind: 'text',
    about: 'Where its engine is.',
    idle: 'always',
  },
  pathToQoderCLIExecutable: {
    kind: 'text',
    about: 'Where its engine is.',
    idle: 'always',
  },
  spawnClaudeCodeProcess: {
    kind: 'function',
    type: '(options: SpawnOptions) => SpawnedProcess',
    about: 'Starts its engine.',
    idle: 'always',
  },
  spawnQoderCLIProcess: {
    kind: 'function',
    type: '(options: SpawnOptions) => SpawnedProcess',
    about: 'Starts its engine.',
    idle: 'always',
  },
  experimentalCloudAgent: {
    kind: 'object',
    type: 'CloudAgentOptions',
    about: 'A session in the cloud. Refused: there is no cloud runtime yet.',
    idle: { refused: 'there is no cloud runtime yet' },
  },
} as const satisfies OptionDeclarations;
