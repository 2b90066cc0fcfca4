// Asks the person at the terminal what the model wants to know. Shows each question whole, with nothing hidden in it.
import type { ElicitationRequest, ElicitationResult, OnElicitation } from '../../protocol/elicitation.js';
import { escapeHidden } from '../../view/escape-text.js';
import { type FormField, fieldsOf, readTyped } from '../../view/form-fields.js';
import { NO_WEB_PAGE, pageQuestion } from '../../view/page-question.js';
import { type InTurn, type LineReader, paint, type Style } from '../lines/index.js';

export interface AskQuestionOptions {
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
