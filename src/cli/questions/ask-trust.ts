// Asks a person at the terminal whether the settings of a folder may act. Shows all of what would, with nothing hidden in
// it; without a clear yes nothing does.
import type { QueryOptions } from '../../protocol/query-options.generated.js';
import { untrustedBy } from '../../sdk/faces/index.js';
import { escapeHidden } from '../../view/escape-text.js';
import { formatCount } from '../../view/figures.js';
import { type TrustQuestion, trustQuestion, WITHOUT_TRUST } from '../../view/trust-question.js';
import type { CliIo } from '../cli-io.js';
import { type LineReader, paint, type Style, styleFor } from '../lines/index.js';

/** Contract: asks at most once, and only if something would act; a failure to ask is no trust. */
export async function askTrust(
  io: CliIo,
  reader: LineReader,
  options: QueryOptions,
  signal: AbortSignal,
): Promise<void> {
  const folder = await untrustedBy(options, io.startedIn(), io.env);
  if (folder === null) return;
  const style = styleFor(io.stderr, io.env, false);
  const question = trustQuestion(folder);
  if (question === null) {
    await io.err.write(
      `${paint('?', 'yellow', style)} The settings of ${escapeHidden(folder.root)} are too many or too long to be shown, so they do not act. "turnwright config explain" tells what they say; --trust lets them act for a run.\n`,
    );
    return;
  }
  const answer = await reader.readAnswer(() => io.err.write(render(folder.root, question, style)), signal);
  if (answer === null || !/^\s*y(?:es)?\s*$/i.test(answer)) {
    await io.err.write(paint('  Not trusted: only what denies or asks counts.\n', 'dim', style));
    return;
  }
  await folder.trust();
}

function render(root: string, { what, lines, count }: TrustQuestion, style: Style): string {
  return [
    `${paint('?', 'yellow', style)} ${paint(escapeHidden(root), 'bold', style)} ${what}`,
    ...lines,
    paint(`  ${WITHOUT_TRUST}`, 'dim', style),
    `  ${paint(`[y] yes, these ${formatCount(count)} as they stand  [n] no`, 'cyan', style)} > `,
  ].join('\n');
}
