// AskUserQuestion: asks the user up to four questions with choices, and gives the answers. It decides nothing itself:
// if nobody answers, it says so.
import { ToolError } from '../protocol/errors.js';
import type { AskUserQuestionOutput, ToolConfig } from '../protocol/index.js';
import type { JsonSchema } from '../protocol/json.js';
import { count, shorten } from '../util/text.js';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from './tool.js';

export type AskUserQuestionCall = Parameters<typeof questionsOf>[0];

/** What the caller gets: the one text of the specification, and the answer to each question by its text. */
export type UserAnswers = AskUserQuestionOutput & { readonly answers: Readonly<Record<string, string>> };

const MAX_TITLE_LENGTH = 80;

const DESCRIPTION = `Asks the user one to four questions and waits for the answers.
- Use it if the task can go different ways, only the user can know which, and a wrong guess would be costly: a preference, a design decision, a fact that no file or search can tell you.
- Do not use it for what you can find out yourself, to have a plan approved, or to ask whether to continue.
- Offer distinct choices, the one you recommend first. The user can always answer in other words, so add no "other".`;

const ON_YOUR_OWN = 'Choose what is most sensible and easy to undo, and say what you chose.';

/** @param config how a host shows previews of choices; without it there are none */
export function createAskUserQuestion(
  config: ToolConfig['askUserQuestion'] = {},
): Tool<AskUserQuestionCall, UserAnswers> {
  return defineTool<AskUserQuestionCall, UserAnswers>({
    name: 'AskUserQuestion',
    description: DESCRIPTION,
    inputSchema: offeredInput(config.previewFormat),
    acceptedInput,
    approvedInput,
    otherFields: {
      answers: 'only the user answers, so leave it out',
      annotations: 'only the user annotates, so leave it out',
    },
    asksUser: true,
    readOnly: true,
    concurrencySafe: false,
    title: (input) => shorten(questionsOf(input)[0]?.question ?? 'Ask the user', MAX_TITLE_LENGTH),
    subject: () => ({ kind: 'none' }),
    run: askUser,
  });
}

async function askUser(input: AskUserQuestionCall, context: ToolContext): Promise<ToolOutcome<UserAnswers>> {
  const questions = questionsOf(input);
  // Only a hook or the host can have put answers into the input: it is not valid with them when it comes from a model.
  const given = answersIn(questions, input.answers);
  if (given.size > 0) return report(questions, given);
  if (context.elicit === null) throw nobodyAnswered('nobody can be asked in this session');
  const form = formOf(questions);
  const answer = await context.elicit({ message: form.message, requestedSchema: form.schema });
  switch (answer.action) {
    case 'accept': {
      const answers = answersIn(questions, answer.content);
      if (answers.size === 0) throw nobodyAnswered('the answer holds none of the fields that were asked for');
      return report(questions, answers);
    }
    case 'decline':
      return refused('The user declined to answer.');
    case 'cancel':
      return refused('The user put the question aside without an answer.');
    case 'none':
      throw nobodyAnswered(answer.reason);
    default:
      return answer satisfies never;
  }
}

function report(
  questions: readonly AskedQuestion[],
  answers: ReadonlyMap<AskedQuestion, string>,
): ToolOutcome<UserAnswers> {
  const texts = questions.map((asked): [string, string] => [asked.question, answers.get(asked) ?? '(no answer)']);
  const lines = texts.map(([question, text]) => `"${question}": ${text}`);
  const only = texts.length === 1 ? texts[0]?.[1] : undefined;
  return {
    model: `The user answered${texts.length === 1 ? '' : ` ${count(texts.length, 'question')}`}:\n${lines.join('\n')}`,
    data: { answer: only ?? lines.join('\n'), answers: Object.fromEntries(texts) },
  };
}

/** A decision of the user is a result, not a fault. */
function refused(what: string): ToolOutcome<UserAnswers> {
  return { model: `${what} Do not ask again. ${ON_YOUR_OWN}`, data: { answer: '', answers: {} } };
}

function nobodyAnswered(why: string): ToolError {
  return new ToolError(`The question was not answered: ${why}. ${ON_YOUR_OWN}`);
}

// The three forms of a question's input: what a model is offered, what is accepted from one, and what a hook or the host
// may make of it.

const text = (description: string) => ({ type: 'string', minLength: 1, description });

const PREVIEWS = {
  markdown: 'What the choice would look like, as Markdown: a sketch, code. Only if seeing it helps.',
  html: 'What the choice would look like, as one piece of HTML with its own styles and without scripts. Only if seeing it helps.',
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
function offeredInput(preview: keyof typeof PREVIEWS | undefined): JsonSchema {
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
const acceptedInput: JsonSchema = eitherForm({ metadata: { type: 'object' } });

/** Accepted from a hook and from `canUseTool`: the same with answers, by the text of their question. */
const approvedInput: JsonSchema = eitherForm({
  metadata: { type: 'object' },
  annotations: { type: 'object' },
  answers: {
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  },
});

// The questions of a call in one form, the form that a host is asked to fill in, and the answers found in what it gave.

/** One question. `key`: its property in the form. */

interface AskedQuestion {
  readonly key: string;
  readonly question: string;
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect: boolean;
  /** What counts if the user gives nothing. */
  readonly fallback: string | null;
}

/** The input in either form, with answers if a hook or the host put some in. */
interface QuestionInput {
  readonly questions?: readonly {
    readonly question: string;
    readonly header?: string;
    readonly options?: readonly { readonly label: string; readonly description?: string }[];
    readonly multiSelect?: boolean;
  }[];
  readonly question?: string;
  readonly options?: readonly string[];
  readonly default?: string;
  readonly answers?: Readonly<Record<string, unknown>>;
}

export function questionsOf(input: QuestionInput): AskedQuestion[] {
  if (input.questions === undefined) {
    const { question = '', options = [], default: fallback = null } = input;
    const labels = options.map((label) => ({ label }));
    return [{ key: 'answer', question, header: '', options: labels, multiSelect: false, fallback }];
  }
  const headers = input.questions.map(({ header = '' }) => header.trim());
  return input.questions.map(({ question, options = [], multiSelect = false }, index) => {
    const header = headers[index] ?? '';
    const isOwn = header !== '' && headers.indexOf(header) === headers.lastIndexOf(header);
    return { key: isOwn ? header : `answer_${index + 1}`, question, header, options, multiSelect, fallback: null };
  });
}

/** The form: one property a question, with its choices. An answer in other words is as good. */
export function formOf(questions: readonly AskedQuestion[]): {
  readonly message: string;
  readonly schema: Record<string, unknown>;
} {
  const [first] = questions;
  const isOne = questions.length === 1 && first !== undefined;
  return {
    message: isOne ? first.question : questions.map(({ question }, index) => `${index + 1}. ${question}`).join('\n'),
    schema: {
      type: 'object',
      properties: Object.fromEntries(questions.map((asked) => [asked.key, fieldOf(asked)])),
      required: questions.filter(({ fallback }) => fallback === null).map(({ key }) => key),
    },
  };
}

function fieldOf({ question, header, options, multiSelect, fallback }: AskedQuestion): Record<string, unknown> {
  const labels = options.map(({ label }) => label);
  const choices = { type: 'string', ...(labels.length === 0 ? {} : { enum: labels }) };
  const explained = options.flatMap(({ label, description = '' }) =>
    description === '' ? [] : [`${label}: ${description}`],
  );
  return {
    ...(multiSelect ? { type: 'array', items: choices } : choices),
    ...(header === '' ? {} : { title: header }),
    description: [question, ...explained].join('\n'),
    ...(fallback === null ? {} : { default: fallback }),
  };
}

/**
 * What was answered: by the question's property, its text or its header; a single value answers a single question. A
 * question without an answer is not in it, unless it brought one for that case.
 */
function answersIn(
  questions: readonly AskedQuestion[],
  content: Readonly<Record<string, unknown>> | undefined,
): ReadonlyMap<AskedQuestion, string> {
  const answers = new Map<AskedQuestion, string>();
  if (content === undefined) return answers;
  const values = Object.values(content);
  for (const asked of questions) {
    const own = [asked.key, asked.question, asked.header].find((name) => Object.hasOwn(content, name));
    const value =
      own !== undefined ? content[own] : questions.length === 1 && values.length === 1 ? values[0] : undefined;
    const text = answerText(value) ?? asked.fallback;
    if (text !== null) answers.set(asked, text);
  }
  return answers;
}

function answerText(value: unknown): string | null {
  if (Array.isArray(value))
    return (
      value
        .map(answerText)
        .filter((text) => text !== null)
        .join(', ') || null
    );
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
