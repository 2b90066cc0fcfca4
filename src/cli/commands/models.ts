// `turnwright models [provider]`: what the catalogue knows, and which models the keys there are can reach.
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { type ListedModel, listModels, type ModelProfile, type Probe, prepareProbe } from '../../sdk/models/index.js';
import { formatTokens } from '../../view/figures.js';
import { type CliIo, json } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { createLineReader, paint, type Style, styleFor } from '../lines/index.js';
import { HELP_FLAG, readWords } from './read-words.js';

const HELP = `turnwright models [provider] [--json]: models with their window, longest reply, input and price.

  A name is what --model takes. Those marked with * can be used with the keys there are.
  Prices are US dollars for a million tokens: input, output, cache read. "?" is not known.
  Figures come from the catalogue; TURNWRIGHT_MODELS_FILE names a JSON file that corrects or extends it.

turnwright models probe [model]      how one behaves, by a few small requests: see "models probe --help"
`;

/** @returns the exit code. @throws ConfigError */
export async function runModels(argv: readonly string[], io: CliIo): Promise<number> {
  if (argv[0] === 'probe') return runModelsProbe(argv.slice(1), io);
  const { words, has } = readWords(argv, [{ name: 'json', takes: 'nothing' }, HELP_FLAG]);
  if (has('help')) {
    await io.out.write(HELP);
    return EXIT_SUCCESS;
  }
  const [provider, more] = words;
  if (more !== undefined) throw new ConfigError(`unexpected argument "${more.slice(0, 60)}": name one provider.`);
  const host = createNodeHost({ env: io.env });
  const list = await listModels({ host, ...(provider === undefined ? {} : { provider }) });
  if (has('json')) {
    await io.out.write(json(list));
    return EXIT_SUCCESS;
  }
  const style = styleFor(io.stdout, io.env, false);
  if (list.models.length > 0) await io.out.write(`${modelTable(list.models, style).join('\n')}\n`);
  const notes = [
    `Figures of ${list.snapshotDate}.`,
    ...(list.unlisted.length === 0
      ? []
      : [`Not listed, but usable: ${list.unlisted.map((id) => `${id}/NAME`).join(', ')}.`]),
    ...(list.models.some(({ usable }) => usable) ? [] : ['No key for any of them: see "turnwright login --help".']),
  ];
  await io.err.write(`${notes.join('\n')}\n`);
  return EXIT_SUCCESS;
}

export function modelTable(models: readonly ListedModel[], style: Style): string[] {
  const rows = [
    ['', 'MODEL', 'WINDOW', 'REPLY', 'INPUT', 'PRICE'],
    ...models.map(({ usable, name, contextWindow, maxOutputTokens, input, price }) => [
      usable ? '*' : '',
      name,
      tokens(contextWindow),
      tokens(maxOutputTokens),
      input.join(' '),
      price === null ? '?' : [price.input, price.output, price.cacheRead].join(' / '),
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row, at) => {
    const line = row
      .map((cell, column) =>
        column === 2 || column === 3 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
    return at === 0 ? paint(line, 'dim', style) : line;
  });
}

function tokens(count: number): string {
  return count >= 1_000_000 ? `${Math.round(count / 10_000) / 100}M` : `${Math.round(count / 1_000)}k`;
}

// `turnwright models probe [model]`: asks a model a few small questions and tells how it behaves. One rule: what it may
// cost is said, and agreed to, before anything is asked.

const PROBE_HELP = `turnwright models probe [model] [--json] [--keep] [--yes]: how a model behaves.

  Sends a handful of small requests: does it stream, call tools and how, several at once, hold an answer to a schema,
  show its reasoning? What that costs at most is said first. Without a terminal, requests that cost money need --yes.
  --keep   remembers how it calls tools, in model-profiles.json of TURNWRIGHT_HOME: sessions go by it from then on
`;

/** @returns the exit code; 1 if nothing was asked. @throws ConfigError, ModelError */
async function runModelsProbe(argv: readonly string[], io: CliIo): Promise<number> {
  const { words, has } = readWords(argv, [
    { name: 'json', takes: 'nothing' },
    { name: 'keep', takes: 'nothing' },
    { name: 'yes', short: 'y', takes: 'nothing' },
    HELP_FLAG,
  ]);
  if (has('help')) {
    await io.out.write(PROBE_HELP);
    return EXIT_SUCCESS;
  }
  const [model, more] = words;
  if (more !== undefined) throw new ConfigError(`unexpected argument "${more.slice(0, 60)}": name one model.`);
  const probe = await prepareProbe({ model, host: createNodeHost({ env: io.env }) });
  await io.err.write(`${announcement(probe)}\n`);
  if (!has('yes') && probe.mostUsd !== 0 && !(await isAgreed(io))) {
    await io.err.write('Nothing was asked.\n');
    return EXIT_FAILURE;
  }
  const profile = await probe.begin(io.lifetime.signal);
  await io.out.write(has('json') ? json(profile) : `${profileLines(profile).join('\n')}\n`);
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
