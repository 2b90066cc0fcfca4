// Asks the person at the terminal what the model wants to know. Shows each question whole, with nothing hidden in it.
import type { ElicitationResult, OnElicitation } from '../protocol/elicitation.js';
import { escapeHidden } from '../view/escape-text.js';
import type { LineReader } from './line-reader.js';
import type { InTurn } from './one-at-a-time.js';
import { paint, type Style } from './style.js';

export interface AskQuestionOptions {
  readonly reader: LineReader;
  /** Writes to the person, on stderr. */
  readonly write: (text: string) => Promise<void>;
  readonly style: Style;
  readonly inTurn: InTurn;
}

/** One question, as far as a form says it in a way that a line can answer. */
interface Field {
  readonly name: string;
  readonly question: string;
  readonly choices: readonly { readonly label: string; readonly about: string }[];
  readonly isList: boolean;
  readonly kind: 'text' | 'number' | 'yes or no';
  readonly fallback: unknown;
}

/** Longest question or choice shown, characters. */
const MAX_SHOWN = 4_000;

/**
 * An `onElicitation` that asks, question by question.
 * Contract: an empty line answers nothing; where nothing at all was answered, or the input ended, the request is
 * cancelled.
 */
export function createAskQuestion({ reader, write, style, inTurn }: AskQuestionOptions): OnElicitation {
  const ask: OnElicitation = async (request, { signal }): Promise<ElicitationResult> => {
    // A page to open cannot be shown in a line.
    if (request.mode === 'url') return { action: 'decline' };
    const content: Record<string, unknown> = {};
    for (const field of fieldsOf(request.requestedSchema, request.message)) {
      const line = await reader.readAnswer(() => write(renderField(field, style)), signal);
      if (line === null || signal.aborted) return { action: 'cancel' };
      const value = readValue(field, line.trim());
      if (value !== undefined) content[field.name] = value;
    }
    return Object.keys(content).length === 0 ? { action: 'cancel' } : { action: 'accept', content };
  };
  return (request, options) => inTurn(() => ask(request, options));
}

function fieldsOf(schema: Record<string, unknown> | undefined, message: string): Field[] {
  const properties = recordOf(schema?.['properties']);
  return Object.entries(properties).map(([name, given]) => {
    const property = recordOf(given);
    const items = recordOf(property['items']);
    const lines = textOf(property['description'], message).split('\n');
    const labels = listOf(property['enum'] ?? items['enum']).map(String);
    const choices = labels.map((label) => ({ label, about: aboutOf(label, lines) }));
    const own = lines.filter((line) => !labels.some((label) => line.startsWith(`${label}: `)));
    const { type } = property;
    return {
      name,
      question: own.join('\n'),
      choices,
      isList: type === 'array',
      kind: type === 'number' || type === 'integer' ? 'number' : type === 'boolean' ? 'yes or no' : 'text',
      fallback: property['default'],
    };
  });
}

function aboutOf(label: string, lines: readonly string[]): string {
  const line = lines.find((candidate) => candidate.startsWith(`${label}: `));
  return line === undefined ? '' : line.slice(label.length + 2);
}

function renderField({ question, choices, isList, kind, fallback }: Field, style: Style): string {
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

/** Undefined for no answer. */
function readValue({ choices, isList, kind, fallback }: Field, line: string): unknown {
  if (line === '') return fallback;
  if (kind === 'number') return Number.isFinite(Number(line)) ? Number(line) : line;
  if (kind === 'yes or no') return /^(?:y|yes|true|1)$/i.test(line);
  const parts = isList ? line.split(',').map((part) => part.trim()) : [line];
  const picked = parts
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? (choices[Number(part) - 1]?.label ?? part) : part));
  return isList ? picked : picked[0];
}

function shown(text: string): string {
  const visible = escapeHidden(text);
  return visible.length <= MAX_SHOWN ? visible : `${visible.slice(0, MAX_SHOWN)}… (cut)`;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}
