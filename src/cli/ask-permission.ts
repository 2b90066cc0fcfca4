// Asks a person at the terminal whether a call may run. Shows the whole of what would run, with nothing hidden in it.
import type {
  CanUseTool,
  CanUseToolOptions,
  PermissionResult,
  PermissionUpdateDestination,
} from '../protocol/permissions.js';
import { shorten } from '../util/text.js';
import { escapeHidden } from '../view/escape-text.js';
import { formatCount } from '../view/figures.js';
import { type Offer, offerOf } from '../view/offer.js';
import { describeInput, oneLine } from '../view/tool-title.js';
import type { LineReader } from './line-reader.js';
import type { InTurn } from './one-at-a-time.js';
import { paint, type Style } from './style.js';

/** Longest note of a refusal, characters. */
const MAX_NOTE = 4_000;
/** Unclear answers after which the call is denied. */
const MAX_ATTEMPTS = 3;
/** Longest detail shown whole; of a longer one both ends are shown, since either may hide the point. */
const MAX_DETAIL = 20_000;
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
    const offer = offerOf(options.suggestions);
    if (offer !== null && given.has(offer.key)) return { behavior: 'allow', decisionClassification: 'user_permanent' };
    let text = `${renderQuestion(name, input, options, style)}\n${renderChoices(offer, style)}`;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const question = text;
      const line = await reader.readAnswer(() => write(question), options.signal);
      if (options.signal.aborted) return deny('The call was interrupted before it was approved.');
      if (line === null) return deny('The user could not be asked: the input has ended.');
      const answer = line.trim().toLowerCase();
      if (answer === 'y' || answer === 'yes') return { behavior: 'allow', decisionClassification: 'user_temporary' };
      if (answer === 'n' || answer === 'no') return refuse('');
      if (answer === 'e') return refuse((await askWhy(options.signal)) ?? '');
      const note = /^no?[,:]?\s+(\S[\s\S]*)$/i.exec(line.trim());
      if (note !== null) return refuse(note[1] ?? '');
      const destination = offer === null ? undefined : destinationOf(answer, offer);
      if (offer !== null && destination !== undefined) {
        given.add(offer.key);
        const updatedPermissions = offer.until(destination);
        return { behavior: 'allow', updatedPermissions, decisionClassification: 'user_permanent' };
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

/** @param note what the person wants the model to know of it */
function refuse(note: string): PermissionResult {
  const said = shorten(note, MAX_NOTE);
  return deny(said === '' ? 'The user refused this call.' : `The user refused this call, and says: ${said}`);
}

function deny(message: string): PermissionResult {
  return { behavior: 'deny', message, decisionClassification: 'user_reject' };
}

function renderQuestion(
  name: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
  style: Style,
): string {
  const tool = paint(oneLine(options.displayName ?? name, 60), 'bold', style);
  const deed = describeInput(input);
  const who = options.agentID === undefined ? '' : ' of a subagent';
  const lines = [
    `${paint('?', 'yellow', style)} ${tool}${who} wants to ${deed === '' || 'command' in input ? 'run' : 'act on'}${deed === '' ? '' : ':'}`,
  ];
  if (deed !== '') lines.push(indent(showWhole(deed)));
  for (const [field, value] of Object.entries(input)) {
    if (value === deed || value === undefined) continue;
    lines.push(`  ${paint(`${oneLine(field, 40)}:`, 'dim', style)} ${showContent(value)}`);
  }
  if (options.description !== undefined && options.description !== '') {
    lines.push(paint(`  what it does: ${oneLine(options.description, 600)}`, 'dim', style));
  }
  if (options.decisionReason !== undefined) {
    lines.push(paint(`  why asked: ${oneLine(options.decisionReason, 400)}`, 'dim', style));
  }
  return lines.join('\n');
}

function renderChoices(offer: Offer | null, style: Style): string {
  const once = '[y] yes, once  [n] no  [e] no, and say why';
  if (offer === null) return `  ${paint(once, 'cyan', style)} > `;
  const kept = offer.isKeepable ? '  [p] in this project  [u] in all projects' : '';
  const always = `  ${paint(`or allow always ${offer.words}:`, 'dim', style)}`;
  return `  ${paint(once, 'cyan', style)}\n${always} ${paint(`[a] in this session${kept}`, 'cyan', style)} > `;
}

/** Every character of it, long runs of white space counted out: they are used to push a second command out of sight. */
export function showWhole(text: string): string {
  const visible = escapeHidden(text)
    .replace(/[ \t]{12,}/g, (run) => ` ⟨${formatCount(run.length)} spaces⟩ `)
    .replace(/\n\s*\n(\s*\n){2,}/g, (run) => `\n⟨${formatCount(run.split('\n').length - 1)} line ends⟩\n`);
  if (visible.length <= MAX_DETAIL) return visible;
  const half = MAX_DETAIL / 2;
  return `${visible.slice(0, half)}\n⟨${formatCount(visible.length - MAX_DETAIL)} characters not shown⟩\n${visible.slice(-half)}`;
}

function showContent(value: unknown): string {
  const text = escapeHidden(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
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
