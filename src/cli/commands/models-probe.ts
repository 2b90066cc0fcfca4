// `turnwright models probe [model]`: asks a model a few small questions and tells how it behaves. One rule: what it may
// cost is said, and agreed to, before anything is asked.
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { type ModelProfile, type Probe, prepareProbe } from '../../sdk/models/index.js';
import { formatTokens } from '../../view/figures.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { createLineReader } from '../lines/line-reader.js';
import { readWords } from './read-words.js';

const HELP = `turnwright models probe [model] [--json] [--keep] [--yes]: how a model behaves.

  Sends a handful of small requests: does it stream, call tools and how, several at once, hold an answer to a schema,
  show its reasoning? What that costs at most is said first. Without a terminal, requests that cost money need --yes.
  --keep   remembers how it calls tools, in model-profiles.json of TURNWRIGHT_HOME: sessions go by it from then on
`;

/** @returns the exit code; 1 if nothing was asked. @throws ConfigError, ModelError */
export async function runModelsProbe(argv: readonly string[], io: CliIo): Promise<number> {
  const { words, has } = readWords(argv, [
    { name: 'json', takes: 'nothing' },
    { name: 'keep', takes: 'nothing' },
    { name: 'yes', short: 'y', takes: 'nothing' },
    { name: 'help', short: 'h', takes: 'nothing' },
  ]);
  if (has('help')) {
    await io.out.write(HELP);
    return EXIT_SUCCESS;
  }
  const [model, more] = words;
  if (more !== undefined) throw new ConfigError(`"${more.slice(0, 60)}" is too much: name one model.`);
  const probe = await prepareProbe({ model, host: createNodeHost({ env: io.env }) });
  await io.err.write(`${announcement(probe)}\n`);
  if (!has('yes') && probe.mostUsd !== 0 && !(await isAgreed(io))) {
    await io.err.write('Nothing was asked.\n');
    return EXIT_FAILURE;
  }
  const profile = await probe.begin(io.lifetime.signal);
  await io.out.write(has('json') ? `${JSON.stringify(profile, null, 2)}\n` : `${profileLines(profile).join('\n')}\n`);
  if (has('keep')) await io.err.write(`${await keep(probe, profile)}\n`);
  return EXIT_SUCCESS;
}

function announcement({ model, mostRequests, mostUsd }: Probe): string {
  const cost =
    mostUsd === null ? 'at a price that is not known' : mostUsd === 0 ? 'free' : `at most $${mostUsd.toFixed(4)}`;
  return `Up to ${mostRequests} small requests to ${model}, ${cost}.`;
}

async function isAgreed(io: CliIo): Promise<boolean> {
  if (io.stdin.isTTY !== true)
    throw new ConfigError('the requests may cost money, and nobody can be asked here. Add --yes.');
  const reader = createLineReader(io.stdin);
  try {
    const given = await reader.readAnswer(() => io.err.write('Send them? y or n: '), io.lifetime.signal);
    return /^y(?:es)?$/i.test(given?.trim() ?? '');
  } finally {
    reader.close();
  }
}

async function keep(probe: Probe, profile: ModelProfile): Promise<string> {
  if (!probe.canKeep) return 'Nothing is kept: a profile changes something only for APIs of the Chat Completions form.';
  return `Kept in ${await probe.keep(profile)}. Sessions go by it from now on.`;
}

const TOOLS: Readonly<Record<NonNullable<ModelProfile['tools']>, string>> = {
  native: 'calls tools by the means of its API',
  text: 'writes calls as text',
  told: 'its API takes no tools; told of them in words, it calls them',
  none: 'called no tool',
};

function profileLines(profile: ModelProfile): string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['model', profile.model],
    ['streaming', yesNo(profile.streaming)],
    ['tools', profile.tools === null ? '?' : TOOLS[profile.tools]],
    ['arguments', profile.arguments ?? '?'],
    ['parallel calls', yesNo(profile.parallelCalls)],
    ['results of tools', yesNo(profile.toolResults)],
    ['schema', profile.structuredOutput ?? '?'],
    ['reasoning', profile.reasoning ?? '?'],
    ['usage', yesNo(profile.usageTold)],
    ['profile', profile.toolCalls ?? 'none: nothing was found out'],
    [
      'spent',
      `${profile.requests} requests, ${formatTokens(profile.usage)}, ${profile.costUsd === null ? 'cost not known' : `$${profile.costUsd.toFixed(4)}`}`,
    ],
  ];
  const problems = profile.problems.map(({ question, problem }) => `! ${question}: ${problem}`);
  return [...rows.map(([name, value]) => `${name.padEnd(16)}  ${value}`), ...problems];
}

function yesNo(value: boolean | null): string {
  return value === null ? '?' : value ? 'yes' : 'no';
}
