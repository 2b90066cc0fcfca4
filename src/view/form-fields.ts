// What a server or a model asks a person beside a call: a form as fields (what each asks for, what may be chosen, whether a
// value will do), or a page to open. All of it comes from somebody else, so it is looked at before it is shown.
import type { ElicitationRequest } from '../protocol/permissions.js';
import { recordOf } from '../util/json.js';
import { textOr } from '../util/text.js';
import { escapeHidden } from './escape-text.js';

export interface FormField {
  /** Its property in the form. */
  readonly name: string;
  /** A short label; empty if there is none. */
  readonly title: string;
  readonly question: string;
  readonly choices: readonly FormChoice[];
  /** Several of the choices may be picked. */
  readonly isList: boolean;
  readonly kind: 'text' | 'number' | 'yes or no';
  readonly isRequired: boolean;
  /** The value without an answer; undefined for none. */
  readonly fallback: unknown;
  /** Why a value will not do, in words for the person; null if it will. */
  check(value: unknown): string | null;
}

interface FormChoice {
  /** What the answer says. */
  readonly value: string;
  readonly label: string;
  /** What it means; empty if nothing is said. */
  readonly about: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** @param message what is asked if a field says nothing itself */
export function fieldsOf(schema: Fields | undefined, message: string): FormField[] {
  const required = listOf(schema?.['required']);
  return Object.entries(recordOf(schema?.['properties'])).map(([name, given]) =>
    fieldOf(name, recordOf(given), message, required.includes(name)),
  );
}

function fieldOf(name: string, property: Fields, message: string, isRequired: boolean): FormField {
  const { type } = property;
  const lines = textOr(property['description'], message).split('\n');
  const choices = choicesOf(property, lines);
  const own = lines.filter((line) => !choices.some(({ label }) => line.startsWith(`${label}: `)));
  const kind = type === 'number' || type === 'integer' ? 'number' : type === 'boolean' ? 'yes or no' : 'text';
  return {
    name,
    title: textOr(property['title'], ''),
    question: own.join('\n'),
    choices,
    isList: type === 'array',
    kind,
    isRequired,
    fallback: property['default'],
    check: (value) => whyNot(property, choices, value),
  };
}

/** By `enum` with `enumNames`, or by titled constants; of a list, those of its items. */
function choicesOf(property: Fields, lines: readonly string[]): FormChoice[] {
  const items = recordOf(property['items']);
  const titled = listOf(property['oneOf'] ?? property['anyOf'] ?? items['oneOf'] ?? items['anyOf'])
    .map(recordOf)
    .filter((each) => each['const'] !== undefined);
  if (titled.length > 0) {
    return titled.map((each) => ({
      value: String(each['const']),
      label: textOr(each['title'], String(each['const'])),
      about: textOr(each['description'], ''),
    }));
  }
  const names = listOf(property['enumNames'] ?? items['enumNames']);
  return listOf(property['enum'] ?? items['enum']).map((given, at) => {
    const value = String(given);
    return { value, label: textOr(names[at], value), about: aboutOf(value, lines) };
  });
}

function aboutOf(label: string, lines: readonly string[]): string {
  const line = lines.find((candidate) => candidate.startsWith(`${label}: `));
  return line === undefined ? '' : line.slice(label.length + 2);
}

/** What was typed as a value of the field; undefined for no answer. A number picks the choice of that number. */
export function readTyped({ choices, isList, kind, fallback }: FormField, typed: string): unknown {
  if (typed === '') return fallback;
  if (kind === 'number') return Number.isFinite(Number(typed)) ? Number(typed) : typed;
  if (kind === 'yes or no') return /^(?:y|yes|true|1)$/i.test(typed);
  const parts = isList ? typed.split(',').map((part) => part.trim()) : [typed];
  const picked = parts
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? (choices[Number(part) - 1]?.value ?? part) : part));
  return isList ? picked : picked[0];
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;

function whyNot(property: Fields, choices: readonly FormChoice[], value: unknown): string | null {
  const number = (key: string): number | null => (typeof property[key] === 'number' ? property[key] : null);
  const { type } = property;
  if (type === 'number' || type === 'integer') {
    if (typeof value !== 'number') return 'It has to be a number.';
    if (type === 'integer' && !Number.isInteger(value)) return 'It has to be a whole number.';
    const [least, most] = [number('minimum'), number('maximum')];
    if (least !== null && value < least) return `It has to be ${least} or more.`;
    return most !== null && value > most ? `It has to be ${most} or less.` : null;
  }
  if (Array.isArray(value)) {
    const [least, most] = [number('minItems'), number('maxItems')];
    if (least !== null && value.length < least) return `Choose ${least} or more.`;
    return most !== null && value.length > most ? `Choose ${most} or fewer.` : null;
  }
  if (typeof value !== 'string' || choices.length > 0) return null;
  const [least, most] = [number('minLength'), number('maxLength')];
  const { length } = [...value];
  if (least !== null && length < least) return `It has to have ${least} characters or more.`;
  if (most !== null && length > most) return `It has to have ${most} characters or fewer.`;
  return wrongFormat(property['format'], value);
}

function wrongFormat(format: unknown, value: string): string | null {
  switch (format) {
    case 'email':
      return EMAIL.test(value) ? null : 'It has to be an address such as name@example.com.';
    case 'uri':
      return URL.canParse(value) ? null : 'It has to be an address such as https://example.com.';
    case 'date':
      return DATE.test(value) && isMoment(value) ? null : 'It has to be a date such as 2026-01-31.';
    case 'date-time':
      return MOMENT.test(value) && isMoment(value) ? null : 'It has to be a time such as 2026-01-31T18:05:00Z.';
    default:
      return null;
  }
}

function isMoment(value: string): boolean {
  return !Number.isNaN(Date.parse(value));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface PageQuestion {
  /** What is asked, in a line. */
  readonly head: string;
  readonly message: string;
  readonly address: string;
  /** Such as `of the machine shop.example`; null if it is not a page of the web. */
  readonly machine: string | null;
  /** What may be opened; null if it is not a page of the web. */
  readonly href: string | null;
}

export const NO_WEB_PAGE = 'It is not an address of the web, so it is not opened.';

/** All texts are escaped. */
export function pageQuestion({ serverName, message, url: given = '' }: ElicitationRequest): PageQuestion {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  return {
    head: `${escapeHidden(serverName)} wants to have a page opened`,
    message: escapeHidden(message),
    address: escapeHidden(isWeb ? url.href : given),
    machine: isWeb ? `of the machine ${escapeHidden(url.host)}` : null,
    href: isWeb ? url.href : null,
  };
}
