// The three forms of a question's input: what a model is offered, what is accepted from one, and what a hook or the host
// may make of it.
import type { JsonSchema } from '../../protocol/json.js';

const text = (description: string) => ({ type: 'string', minLength: 1, description });

const PREVIEWS = {
  markdown: 'What the choice would look like, as Markdown: a sketch, code. Only where seeing it helps.',
  html: 'What the choice would look like, as one piece of HTML with its own styles and without scripts. Only where seeing it helps.',
} as const;

function choice(preview: keyof typeof PREVIEWS | undefined) {
  return {
    type: 'object',
    properties: {
      label: text('The choice, in one to five words.'),
      description: { type: 'string', description: 'What it means, or what follows from it.' },
      ...(preview === undefined ? {} : { preview: { type: 'string', description: PREVIEWS[preview] } }),
    },
    required: ['label', 'description'],
    additionalProperties: false,
  };
}

/** What a model is offered: the form of the published packages. */
export function offeredInput(preview: keyof typeof PREVIEWS | undefined): JsonSchema {
  return {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        minItems: 1,
        maxItems: 4,
        description: 'The questions, one to four. Do not ask the same thing twice.',
        items: {
          type: 'object',
          properties: {
            question: text('The whole question, with a question mark.'),
            header: { type: 'string', description: 'A label for it of at most 12 characters, such as "Library".' },
            options: {
              type: 'array',
              minItems: 2,
              maxItems: 4,
              description: 'The choices, two to four.',
              items: choice(preview),
            },
            multiSelect: { type: 'boolean', description: 'True if several choices may be picked.' },
          },
          required: ['question', 'header', 'options', 'multiSelect'],
          additionalProperties: false,
        },
      },
    },
    required: ['questions'],
    additionalProperties: false,
  };
}

/** More lenient than what is offered: a question without choices is answered in words. */
const QUESTIONS = {
  type: 'array',
  minItems: 1,
  maxItems: 4,
  items: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1 },
      header: { type: 'string' },
      options: {
        type: 'array',
        maxItems: 20,
        items: {
          type: 'object',
          properties: {
            label: { type: 'string', minLength: 1 },
            description: { type: 'string' },
            preview: { type: 'string' },
          },
          required: ['label'],
        },
      },
      multiSelect: { type: 'boolean' },
    },
    required: ['question'],
  },
};

/** The form of specification 004. */
const ONE_QUESTION = {
  question: { type: 'string', minLength: 1 },
  options: { type: 'array', items: { type: 'string' } },
  default: { type: 'string' },
};

function eitherForm(more: Readonly<Record<string, unknown>>): JsonSchema {
  return {
    anyOf: [
      {
        type: 'object',
        properties: { questions: QUESTIONS, ...more },
        required: ['questions'],
        additionalProperties: false,
      },
      { type: 'object', properties: { ...ONE_QUESTION, ...more }, required: ['question'], additionalProperties: false },
    ],
  };
}

/** Accepted from a model. It has no answers: a model must not answer in place of the user. */
export const acceptedInput: JsonSchema = eitherForm({ metadata: { type: 'object' } });

/** Accepted from a hook and from `canUseTool`: the same with answers, by the text of their question. */
export const approvedInput: JsonSchema = eitherForm({
  metadata: { type: 'object' },
  annotations: { type: 'object' },
  answers: {
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  },
});
