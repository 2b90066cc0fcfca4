// `turnwright models [provider]`: what the catalogue knows, and which models the keys there are can reach.

import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { type ListedModel, listModels } from '../../sdk/models/index.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_SUCCESS } from '../exit-codes.js';
import { paint, type Style, styleFor } from '../lines/style.js';
import { runModelsProbe } from './models-probe.js';
import { readWords } from './read-words.js';

const HELP = `turnwright models [provider] [--json]: models with their window, longest reply, input and price.

  A name is what --model takes. Those marked with * can be used with the keys there are.
  Prices are US dollars for a million tokens: input, output, cache read. "?" is not known.
  Figures come from the catalogue; TURNWRIGHT_MODELS_FILE names a JSON file that corrects or extends it.

turnwright models probe [model]      how one behaves, by a few small requests: see "models probe --help"
`;

/** @returns the exit code. @throws ConfigError */
export async function runModels(argv: readonly string[], io: CliIo): Promise<number> {
  if (argv[0] === 'probe') return runModelsProbe(argv.slice(1), io);
  const { words, has } = readWords(argv, [
    { name: 'json', takes: 'nothing' },
    { name: 'help', short: 'h', takes: 'nothing' },
  ]);
  if (has('help')) {
    await io.out.write(HELP);
    return EXIT_SUCCESS;
  }
  const [provider, more] = words;
  if (more !== undefined) throw new ConfigError(`"${more.slice(0, 60)}" is too much: name one provider.`);
  const host = createNodeHost({ env: io.env });
  const list = await listModels({ host, ...(provider === undefined ? {} : { provider }) });
  if (has('json')) {
    await io.out.write(`${JSON.stringify(list, null, 2)}\n`);
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
