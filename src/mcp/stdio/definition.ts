// What is said of an MCP server that is a program of this machine. One rule: a definition is whole before anything starts.
import { isRecord } from '../../util/is-record.js';

export interface StdioServerDefinition {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** On top of the few variables that every server gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Asked before each start: why it may not be started now, in words that follow its name; null where it may. */
  check?(): Promise<string | null>;
}

const FIELDS = ['type', 'command', 'args', 'env'];

/** The definition, or what is wrong with it in words that follow "it". */
export function readDefinition(name: string, config: unknown): StdioServerDefinition | string {
  if (!isRecord(config)) return 'is no object';
  const { type = 'stdio', command, args = [], env = {} } = config;
  if (type !== 'stdio')
    return `has the type ${typeof type === 'string' ? JSON.stringify(type) : String(type)}, which cannot be used yet; stdio can`;
  if (typeof command !== 'string' || command.trim() === '') return 'has no command';
  if (!Array.isArray(args) || !args.every((each) => typeof each === 'string')) return 'has args that are no texts';
  if (!isRecord(env) || !Object.values(env).every((each) => typeof each === 'string'))
    return 'has an env that is no object of texts';
  if ([command, ...args, ...Object.entries(env).flat()].some((each) => String(each).includes('\0')))
    return 'has a NUL character in it';
  const odd = Object.keys(env).find((variable) => variable === '' || variable.includes('='));
  if (odd !== undefined) return `names a variable ${JSON.stringify(odd)}, which is none`;
  return { name, command, args: args as string[], env: env as Record<string, string> };
}

/** Keys of a definition that mean nothing here. */
export function unknownFields(config: object): string[] {
  return Object.keys(config).filter((key) => !FIELDS.includes(key));
}
