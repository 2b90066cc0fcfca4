// Asks a person at the terminal whether a call may run. Shows the whole of what would run, with nothing hidden in it.
import type {
  CanUseTool,
  CanUseToolOptions,
  PermissionResult,
  PermissionUpdateDestination,
} from '../../protocol/permissions.js';
import { escapeHidden } from '../../view/escape-text.js';
import { formatCount } from '../../view/figures.js';
import type { Offer } from '../../view/offer.js';
import {
  allowAlways,
  allowedBefore,
  allowOnce,
  deny,
  INTERRUPTED,
  type PermissionQuestion,
  permissionQuestion,
  refuse,
  showWhole,
} from '../../view/permission-question.js';
import { type InTurn, type LineReader, paint, type Style } from '../lines/index.js';

/** Unclear answers after which the call is denied. */
const MAX_ATTEMPTS = 3;
/** Lines shown of a field that is content and not the deed itself, such as the text of a new file. */
const MAX_CONTENT_LINES = 8;
const MAX_CONTENT_LENGTH = 2_000;

export interface AskPermissionOptions {
  readonly reader: LineReader;
  /** Writes to the person, on stderr. */
  readonly write: (text: string) => Promise<void>;
  readonly style: Style;
  readonly inTurn: InTurn;
}

/**
 * A `canUseTool` that asks. Questions come one at a time, in the order of the calls.
 * Contract: anything but a clear yes is a denial: end of input, abort, three unclear answers.
 */
export function createAskPermission({ reader, write, style, inTurn }: AskPermissionOptions): CanUseTool {
  /** What was allowed so far: calls that already wait in the queue were decided before it was. */
  const given = new Set<string>();

  async function ask(
    name: string,
    input: Record<string, unknown>,
    options: CanUseToolOptions,
  ): Promise<PermissionResult> {
    const asked = permissionQuestion(name, input, options);
    const { offer } = asked;
    if (offer !== null && given.has(offer.key)) return allowedBefore();
    let text = `${renderQuestion(asked, style)}\n${renderChoices(offer, style)}`;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const question = text;
      const line = await reader.readAnswer(() => write(question), options.signal);
      if (options.signal.aborted) return deny(INTERRUPTED);
      if (line === null) return deny('The user could not be asked: the input has ended.');
      const answer = line.trim().toLowerCase();
      if (answer === 'y' || answer === 'yes') return allowOnce();
      if (answer === 'n' || answer === 'no') return refuse('');
      if (answer === 'e') return refuse((await askWhy(options.signal)) ?? '');
      const note = /^no?[,:]?\s+(\S[\s\S]*)$/i.exec(line.trim());
      if (note !== null) return refuse(note[1] ?? '');
      const destination = offer === null ? undefined : destinationOf(answer, offer);
      if (offer !== null && destination !== undefined) {
        given.add(offer.key);
        return allowAlways(offer, destination);
      }
      text = renderChoices(offer, style);
    }
    return deny('The user gave no clear answer, which counts as no.');
  }

  function askWhy(signal: AbortSignal): Promise<string | null> {
    return reader.readAnswer(() => write(`  ${paint('No, because (the model reads it)', 'cyan', style)} > `), signal);
  }

  return (name, input, options) => inTurn(() => ask(name, input, options));
}

/** How long the answer holds; undefined for none of these. */
function destinationOf(answer: string, { isKeepable }: Offer): PermissionUpdateDestination | undefined {
  if (answer === 'a' || answer === 'always') return 'session';
  if (isKeepable && (answer === 'p' || answer === 'project')) return 'localSettings';
  return isKeepable && (answer === 'u' || answer === 'user') ? 'userSettings' : undefined;
}

function renderQuestion(asked: PermissionQuestion, style: Style): string {
  const { deed, does, why } = asked;
  const tool = paint(asked.tool, 'bold', style);
  const who = asked.isOfSubagent ? ' of a subagent' : '';
  const wish = asked.wish ?? `${tool}${who} wants to ${asked.wants}${deed === '' ? '' : ':'}`;
  const lines = [`${paint('?', 'yellow', style)} ${wish}`];
  if (deed !== '') lines.push(indent(showWhole(deed)));
  for (const { name, value } of asked.fields) lines.push(`  ${paint(`${name}:`, 'dim', style)} ${showContent(value)}`);
  if (does !== '') lines.push(paint(`  what it does: ${does}`, 'dim', style));
  if (why !== '' && asked.wish === null) lines.push(paint(`  why asked: ${why}`, 'dim', style));
  return lines.join('\n');
}

function renderChoices(offer: Offer | null, style: Style): string {
  const once = '[y] yes, once  [n] no  [e] no, and say why';
  if (offer === null) return `  ${paint(once, 'cyan', style)} > `;
  const kept = offer.isKeepable ? '  [p] in this project  [u] in all projects' : '';
  const always = `  ${paint(`or allow always ${offer.words}:`, 'dim', style)}`;
  return `  ${paint(once, 'cyan', style)}\n${always} ${paint(`[a] in this session${kept}`, 'cyan', style)} > `;
}

function showContent(value: string): string {
  const text = escapeHidden(value);
  const lines = text.slice(0, MAX_CONTENT_LENGTH).split('\n');
  const shown = lines.slice(0, MAX_CONTENT_LINES).join('\n    ');
  const isCut = lines.length > MAX_CONTENT_LINES || text.length > MAX_CONTENT_LENGTH;
  return isCut ? `${shown}\n    … (${formatCount(text.length)} characters in all)` : shown;
}

export function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
