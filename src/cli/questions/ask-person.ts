// What a session asks, asked at the terminal: permissions, plans, questions of the model and of MCP servers, and whether the
// settings of a folder may act. Each is shown whole, with nothing hidden in it; without a clear yes nothing is done.
import { readFile } from 'node:fs/promises';
import type {
  CanUseTool,
  CanUseToolOptions,
  ElicitationRequest,
  ElicitationResult,
  OnElicitation,
  PermissionResult,
  PermissionUpdateDestination,
} from '../../protocol/permissions.js';
import type { QueryOptions } from '../../protocol/query-options.generated.js';
import { untrustedBy } from '../../sdk/faces/index.js';
import type { Options } from '../../sdk/options/index.js';
import { QUESTION_TOOL } from '../../sdk/tools/index.js';
import { errorText } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import { formatCount } from '../../view/figures.js';
import { type FormField, fieldsOf, NO_WEB_PAGE, pageQuestion, readTyped } from '../../view/form-fields.js';
import {
  allowAlways,
  allowedBefore,
  allowOnce,
  approvePlan,
  deny,
  INTERRUPTED,
  type Offer,
  type PermissionQuestion,
  PLAN_INTERRUPTED,
  permissionQuestion,
  refuse,
  refusePlan,
  showWhole,
  type TrustQuestion,
  trustQuestion,
  WITHOUT_TRUST,
} from '../../view/permission-question.js';
import type { CliArgs } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { type LineReader, paint, type Style, styleFor } from '../lines/index.js';
import { openPage } from './open-page.js';

/** The options of a session whose person is at the terminal. Questions come one at a time, whoever asks. */
export function askPerson(
  io: CliIo,
  reader: LineReader,
  { verbose, isForScreenReader }: Pick<CliArgs, 'verbose' | 'isForScreenReader'>,
): Required<Pick<Options, 'canUseTool' | 'onElicitation' | 'isNonInteractiveSession'>> {
  const parts = {
    reader,
    inTurn: oneAtATime(),
    // Read aloud, a question has to say first that it is one.
    write: (text: string) => io.err.write(isForScreenReader ? `Turnwright waits for you.\n${text}` : text),
    style: styleFor(io.stderr, io.env, verbose),
  };
  const askPermission = createAskPermission(parts);
  const askPlan = createAskPlan(parts);
  return {
    isNonInteractiveSession: false,
    // The question itself follows; asking whether it may be asked would be one too many.
    canUseTool: async (name, input, options) => {
      if (name === QUESTION_TOOL) return { behavior: 'allow' };
      return options.exitPlanMode === undefined ? askPermission(name, input, options) : askPlan(name, input, options);
    },
    onElicitation: createAskQuestion({
      ...parts,
      openPage: async (url) => openPage(url),
    }),
  };
}

// Shows a plan to a person at the terminal and asks whether to begin. One rule: what is approved is what was shown last.

/** Unclear answers after which a call is denied, or it is planned on. */
const MAX_ATTEMPTS = 3;

/** Contract: anything but a clear yes means that the model plans on. */
export function createAskPlan({ reader, write, style, inTurn }: AskPermissionOptions): CanUseTool {
  async function ask(input: Record<string, unknown>, options: CanUseToolOptions): Promise<PermissionResult> {
    const { plan: first = '', planFilePath: file } = options.exitPlanMode ?? {};
    let plan = first;
    let unclear = 0;
    let text = `${show(plan)}${choices(file)}`;
    while (unclear < MAX_ATTEMPTS) {
      const question = text;
      const line = await reader.readAnswer(() => write(question), options.signal);
      if (options.signal.aborted) return deny(PLAN_INTERRUPTED);
      if (line === null) return deny('The user could not be asked: the input has ended.');
      const answer = line.trim();
      const said = /^no?[,:]?\s+(\S[\s\S]*)$/i.exec(answer)?.[1];
      if (said !== undefined) return refusePlan(said);
      switch (answer.toLowerCase()) {
        case 'y':
        case 'yes':
          return approvePlan({ input, first, plan }, false);
        case 'a':
          return approvePlan({ input, first, plan }, true);
        case 'n':
        case 'no':
          return refusePlan('');
        case 'e':
          return refusePlan((await reader.readAnswer(() => write(why()), options.signal)) ?? '');
        case 'c': {
          const { plan: changed, problem } = file === undefined ? {} : await readPlan(file);
          plan = changed ?? plan;
          text = `${problem === undefined ? show(plan) : `${problem}\n`}${choices(file)}`;
          break;
        }
        default:
          unclear += 1;
          text = choices(file);
      }
    }
    return deny('The user gave no clear answer, which counts as no.');
  }

  const show = (plan: string) =>
    `${paint('?', 'yellow', style)} ${paint('The plan', 'bold', style)}:\n${indent(showWhole(plan))}\n`;
  const why = () => `  ${paint('What should be otherwise (the model reads it)', 'cyan', style)} > `;
  const choices = (file: string | undefined) => {
    const [begin, changed, on] = [
      '[y] yes, begin  [a] yes, and accept edits',
      '[c] I changed the file: show it again',
      '[n] plan on  [e] plan on, and say why',
    ];
    if (file === undefined) return `  ${paint(`${begin}  ${on}`, 'cyan', style)} > `;
    return `  ${paint(`kept in ${file}`, 'dim', style)}\n  ${paint(`${begin}  ${changed}`, 'cyan', style)}\n  ${paint(on, 'cyan', style)} > `;
  };

  return (_name, input, options) => inTurn(() => ask(input, options));
}

/** A person may have changed it in an editor meanwhile. */
async function readPlan(file: string): Promise<{ readonly plan?: string; readonly problem?: string }> {
  try {
    return { plan: (await readFile(file, 'utf8')).trim() };
  } catch (error) {
    return { problem: `  The file cannot be read: ${errorText(error)}` };
  }
}

// Asks the person at the terminal what the model wants to know. Shows each question whole, with nothing hidden in it.

interface AskQuestionOptions {
  readonly reader: LineReader;
  /** Writes to the person, on stderr. */
  readonly write: (text: string) => Promise<void>;
  readonly style: Style;
  readonly inTurn: InTurn;
  /** @returns why the page could not be opened; null if it could */
  readonly openPage: (url: string) => Promise<string | null>;
}

/** Longest question or choice shown, characters. */
const MAX_SHOWN = 4_000;

/**
 * An `onElicitation` that asks, question by question.
 * Contract: an empty line answers nothing; if nothing at all was answered, or the input ended, the request is
 * cancelled.
 */
export function createAskQuestion({ reader, write, style, inTurn, openPage }: AskQuestionOptions): OnElicitation {
  const ask: OnElicitation = async (request, { signal }): Promise<ElicitationResult> => {
    if (request.mode === 'url') return askPage(request, signal);
    const content: Record<string, unknown> = {};
    for (const field of fieldsOf(request.requestedSchema, request.message)) {
      const line = await reader.readAnswer(() => write(renderField(field, style)), signal);
      if (line === null || signal.aborted) return { action: 'cancel' };
      const value = readTyped(field, line.trim());
      if (value !== undefined) content[field.name] = value;
    }
    return Object.keys(content).length === 0 ? { action: 'cancel' } : { action: 'accept', content };
  };
  /** It is opened by an answer alone, with its whole address shown before. */
  const askPage = async (request: ElicitationRequest, signal: AbortSignal): Promise<ElicitationResult> => {
    const { head, message, address, machine, href } = pageQuestion(request);
    const shownPage = [
      `${paint('?', 'yellow', style)} ${paint(shown(head), 'bold', style)}`,
      `    ${shown(message)}`,
      `    ${address}`,
      ...(machine === null ? [] : [`    ${machine}`]),
    ].join('\n');
    if (href === null) {
      await write(`${shownPage}\n  ${NO_WEB_PAGE}\n`);
      return { action: 'decline' };
    }
    const ways = paint('[o: open it; y: you have opened it; n: no; empty: no answer]', 'cyan', style);
    for (let problem = ''; ; ) {
      const line = await reader.readAnswer(() => write(`${shownPage}\n${problem}  ${ways} > `), signal);
      const answer = line?.trim().toLowerCase() ?? '';
      if (answer === '' || signal.aborted) return { action: 'cancel' };
      if (answer === 'y') return { action: 'accept' };
      if (answer === 'n') return { action: 'decline' };
      const failure = answer === 'o' ? await openPage(href) : 'Answer with o, y, n or an empty line.';
      if (failure === null) return { action: 'accept' };
      problem = `  ${failure}\n`;
    }
  };
  return (request, options) => inTurn(() => ask(request, options));
}

function renderField({ question, choices, isList, kind, fallback }: FormField, style: Style): string {
  const lines = [`${paint('?', 'yellow', style)} ${paint(shown(question), 'bold', style)}`];
  for (const [index, { label, about }] of choices.entries()) {
    const more = about === '' ? '' : `  ${paint(shown(about), 'dim', style)}`;
    lines.push(`    ${paint(`${index + 1})`, 'cyan', style)} ${shown(label)}${more}`);
  }
  const pick = choices.length === 0 ? '' : isList ? 'numbers with commas, or ' : 'a number, or ';
  const form = kind === 'text' ? `${pick}your own words` : kind;
  const empty = fallback === undefined ? 'no answer' : shown(String(fallback));
  lines.push(`  ${paint(`[${form}; empty: ${empty}]`, 'cyan', style)} > `);
  return lines.join('\n');
}

function shown(text: string): string {
  const visible = escapeHidden(text);
  return visible.length <= MAX_SHOWN ? visible : `${visible.slice(0, MAX_SHOWN)}… (cut)`;
}

// Asks a person at the terminal whether a call may run. Shows the whole of what would run, with nothing hidden in it.

/** Lines shown of a field that is content and not the deed itself, such as the text of a new file. */
const MAX_CONTENT_LINES = 8;
const MAX_CONTENT_LENGTH = 2_000;

interface AskPermissionOptions {
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

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

// Questions to a person come one at a time, whoever asks.

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs what it is given one after the other. A piece that fails is its caller's matter; the next runs all the same. */
export function oneAtATime(): InTurn {
  let previous: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = previous.then(work);
    previous = mine.catch(() => undefined);
    return mine;
  };
}

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
