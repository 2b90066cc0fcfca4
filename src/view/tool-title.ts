// What a tool call is about, from its input alone: the command, the path, the pattern.
import { count } from '../util/text.js';
import { escapeHidden } from './escape-text.js';
import { fitToWidth } from './width.js';

/** The input fields that say most, in the order in which they are tried. */
const TELLING_FIELDS = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'path', 'question', 'plan'];
const LESS_TELLING_FIELDS = ['description', 'prompt', 'task_id', 'name', 'code'];

/** Raw text that names what the call does; may hold anything the model wrote. Empty for an empty input. */
export function describeInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return input === undefined ? '' : JSON.stringify(input);
  const fields = input as Record<string, unknown>;
  for (const field of TELLING_FIELDS) {
    const value = fields[field];
    if (typeof value !== 'string' || value === '') continue;
    return field === 'pattern' && typeof fields['path'] === 'string' ? `${value} in ${fields['path']}` : value;
  }
  if (typeof fields['skill'] === 'string') return [fields['skill'], fields['args']].filter(Boolean).join(' ');
  const agent = fields['subagent_type'] ?? fields['agent'];
  const task = fields['description'] ?? fields['prompt'];
  if (typeof agent === 'string' && typeof task === 'string') return `${agent}: ${task}`;
  if (Array.isArray(fields['todos'])) return count(fields['todos'].length, 'item');
  if (Array.isArray(fields['questions'])) return describeQuestions(fields['questions']);
  for (const field of LESS_TELLING_FIELDS) {
    const value = fields[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(fields);
}

function describeQuestions(questions: readonly unknown[]): string {
  const texts = questions.map((given) => (given as { question?: unknown } | null)?.question);
  return texts.filter((text) => typeof text === 'string').join(' / ');
}

/** `text` on one line of at most `columns` columns, escaped: line ends shown as `⏎`, runs of white space as one space. */
export function oneLine(text: string, columns: number): string {
  const head = text.trimStart().slice(0, Math.max(columns, 1) * 8);
  const flat = head
    .trim()
    .replace(/\s*\r?\n\s*/g, ' ⏎ ')
    .replace(/[ \t]+/g, ' ');
  return fitToWidth(escapeHidden(flat), columns);
}
