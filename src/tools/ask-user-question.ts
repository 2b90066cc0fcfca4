// AskUserQuestion: asks the user up to four questions with choices, and gives the answers. It decides nothing itself:
// where nobody answers, it says so.
import { ToolError } from '../protocol/errors.js';
import type { AskUserQuestionOutput, ToolConfig } from '../protocol/index.js';
import { count, shorten } from '../util/text.js';
import { type AskedQuestion, answersIn, formOf, questionsOf } from './ask-user-question/questions.js';
import { acceptedInput, approvedInput, offeredInput } from './ask-user-question/schemas.js';
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
