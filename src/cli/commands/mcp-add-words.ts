// Reads the words behind `turnwright mcp add`. Only reads. One rule: what stands behind the command of a program, or behind
// `--`, is the program's own, dashes or not.
import { ConfigError } from '../../protocol/errors.js';

export interface AddWords {
  readonly name: string;
  readonly scope: string | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  /** Its client secret is asked for. */
  readonly wantsSecret: boolean;
}

const VALUES: Readonly<Record<string, string>> = {
  '--scope': 'scope',
  '-s': 'scope',
  '--transport': 'transport',
  '-t': 'transport',
  '--env': 'env',
  '-e': 'env',
  '--header': 'header',
  '-H': 'header',
  '--client-id': 'clientId',
  '--callback-port': 'callbackPort',
};
const KINDS = ['stdio', 'http', 'sse'];
const USAGE =
  'write: turnwright mcp add <name> -- <command> [args], or turnwright mcp add --transport http <name> <url>';

/** @throws ConfigError */
export function readAddWords(argv: readonly string[]): AddWords {
  const words: string[] = [];
  const given: Record<string, string[]> = {};
  let wantsSecret = false;
  for (let at = 0; at < argv.length; at += 1) {
    const token = argv[at] ?? '';
    const [flag = '', ...rest] = token.split('=');
    const key = Object.hasOwn(VALUES, flag) ? VALUES[flag] : undefined;
    // The command of a program is there: the rest is the program's.
    const isProgram =
      words.length >= 2 && !isAddress(words[1] ?? '') && (given['transport']?.at(-1) ?? 'stdio') === 'stdio';
    if (token === '--') {
      words.push(...argv.slice(at + 1));
      break;
    }
    if (isProgram || !token.startsWith('-')) words.push(token);
    else if (token === '--client-secret') wantsSecret = true;
    else if (key === undefined)
      throw new ConfigError(`unknown flag ${token.slice(0, 60)}. The program's own flags stand behind --.`);
    else {
      const value = rest.length > 0 ? rest.join('=') : argv[++at];
      if (value === undefined || value === '') throw new ConfigError(`${flag} needs a value.`);
      given[key] = [...(given[key] ?? []), value];
    }
  }
  const [name, target, ...args] = words;
  if (name === undefined || target === undefined) throw new ConfigError(USAGE);
  const kind = given['transport']?.at(-1) ?? (isAddress(target) ? 'http' : 'stdio');
  if (!KINDS.includes(kind))
    throw new ConfigError(`--transport is one of ${KINDS.join(', ')}, not ${JSON.stringify(kind.slice(0, 60))}.`);
  const config = kind === 'stdio' ? programOf(target, args, given) : addressOf(kind, target, args, given);
  if (wantsSecret && given['clientId'] === undefined) throw new ConfigError('--client-secret needs --client-id.');
  return { name, scope: given['scope']?.at(-1), config, wantsSecret };
}

function isAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

type Given = Readonly<Record<string, readonly string[]>>;

function programOf(command: string, args: readonly string[], given: Given) {
  refuse(given, ['header', 'clientId', 'callbackPort'], 'a server by HTTP');
  const env = pairs(given['env'] ?? [], /^([A-Za-z_]\w*)=([\s\S]*)$/, '--env', 'NAME=value');
  return {
    type: 'stdio',
    command,
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
  };
}

function addressOf(kind: string, url: string, args: readonly string[], given: Given) {
  if (args.length > 0)
    throw new ConfigError(
      `unexpected argument "${(args[0] ?? '').slice(0, 60)}": a server by HTTP has an address alone.`,
    );
  refuse(given, ['env'], 'a program');
  const headers = pairs(given['header'] ?? [], /^([^:\s]+):\s*(.*)$/, '--header', '"Name: value"');
  const port = given['callbackPort']?.at(-1);
  const oauth = {
    ...(given['clientId'] === undefined ? {} : { clientId: given['clientId'].at(-1) }),
    ...(port === undefined ? {} : { callbackPort: Number(port) }),
  };
  return {
    type: kind,
    url,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(oauth).length === 0 ? {} : { oauth }),
  };
}

function pairs(texts: readonly string[], form: RegExp, flag: string, shown: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const text of texts) {
    // Not repeated: it may be a secret.
    const [, key, value] = form.exec(text) ?? [];
    if (key === undefined || value === undefined) throw new ConfigError(`${flag} takes ${shown}.`);
    found[key] = value;
  }
  return found;
}

function refuse(given: Given, keys: readonly string[], whose: string): void {
  const wrong = keys.find((key) => given[key] !== undefined);
  if (wrong === undefined) return;
  const flag = Object.keys(VALUES).find((each) => VALUES[each] === wrong);
  throw new ConfigError(`${flag} is for ${whose}.`);
}
