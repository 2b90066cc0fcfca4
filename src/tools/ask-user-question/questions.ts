// The questions of a call in one form, the form that a host is asked to fill in, and the answers found in what it gave.

/** One question. `key`: its property in the form. */
export interface AskedQuestion {
  readonly key: string;
  readonly question: string;
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect: boolean;
  /** What counts if the user gives nothing. */
  readonly fallback: string | null;
}

/** The input in either form, with answers where a hook or the host put some in. */
export interface QuestionInput {
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
export function answersIn(
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
