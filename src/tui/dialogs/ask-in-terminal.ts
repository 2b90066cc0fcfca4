// What a session asks, asked in the terminal: permissions, plans, questions of the model, forms and pages of MCP servers. One
// question at a time, in the order in which they were asked, and none that an earlier answer settled; what the person did not say
// is not in an answer, and nothing is sent before it was seen.

import type { SDKDeferredToolUse } from '../../protocol/messages.js';
import type {
  DeferredDecision,
  ElicitationRequest,
  ElicitationResult,
  OnElicitation,
  PermissionRuleValue,
} from '../../protocol/permissions.js';
import type { Options } from '../../sdk/options/index.js';
import { QUESTION_TOOL } from '../../sdk/tools/index.js';
import { isRecord } from '../../util/json.js';
import { escapeHidden, oneLine } from '../../view/escape-text.js';
import { type FormField, fieldsOf, NO_WEB_PAGE, pageQuestion, readTyped } from '../../view/form-fields.js';
import { allowedBefore, deny, INTERRUPTED, type Offer } from '../../view/permission-question.js';
import { DOORS } from '../doors.js';
import { type Choice, type Dialog, type DialogFace, type Line, openDialog } from './dialog.js';
import { type AskedCall, askPermission, askPlan, createAskQueue } from './permission.js';

export interface AskParts {
  readonly face: DialogFace;
  place(): { readonly cwd: string; readonly home: string };
  /** Who a subagent is, by its id: `the agent reviewer (Look over the diff)`; null for one that is not known. */
  agentOf(id: string): string | null;
  /** Opens the person's editor; absent if there is none. */
  readonly edit?: (text: string) => Promise<string>;
  readonly openPage: OpenPage;
}

export type AskOptions = Required<
  Pick<Options, 'canUseTool' | 'onElicitation' | 'isNonInteractiveSession' | 'toolConfig'>
>;

/** Who asks by the tool of questions, as `session/permission/` names it. */
const MODEL = 'turnwright';
const PLAN_TOOL = 'ExitPlanMode';
/** Questions of the model that were allowed and not yet asked. */
const MAX_KEPT = 20;

/**
 * Asks about the calls of an earlier session that wait, before it goes on.
 * @returns a decision for each that was answered; those that nobody answered wait on
 */
export async function askWaiting(
  parts: AskParts,
  calls: readonly SDKDeferredToolUse[],
  signal: AbortSignal,
): Promise<DeferredDecision[]> {
  const { canUseTool } = askInTerminal(parts);
  const asked = calls.map(async ({ id, name, input, reason }): Promise<DeferredDecision | null> => {
    const why =
      reason === undefined ? 'it waits since the session was left' : `it waits since the session was left: ${reason}`;
    const exits =
      name === PLAN_TOOL && typeof input['plan'] === 'string' ? { exitPlanMode: { plan: input['plan'] } } : {};
    const result = await canUseTool(name, input, { signal, toolUseID: id, decisionReason: why, ...exits });
    return signal.aborted ? null : { ...result, toolUseID: id, decidedInput: input };
  });
  return (await Promise.all(asked)).filter((decision) => decision !== null);
}

/** The options of a session whose person sits at this terminal. */
export function askInTerminal(parts: AskParts): AskOptions {
  const { face } = parts;
  const queue = createAskQueue();
  const given = createGiven(parts);
  /** Inputs of the tool of questions: the form that follows has no previews. */
  const questions: Record<string, unknown>[] = [];

  const permission = (call: AskedCall) =>
    queue.inTurn(async () => {
      if (call.options.signal.aborted) return deny(INTERRUPTED);
      // What waited here was decided before an earlier answer allowed it.
      if (await given.covers(call)) return allowedBefore();
      return askPermission(call, { ...parts, queue }, given.add);
    });

  const onElicitation: OnElicitation = (request, { signal }) =>
    queue.inTurn(async () => {
      if (signal.aborted) return { action: 'cancel' };
      if (request.mode === 'url') return askPage(face, request, signal, parts.openPage);
      return askForm(face, formOf(request, questions), queue.waiting, signal);
    });

  return {
    isNonInteractiveSession: false,
    toolConfig: { askUserQuestion: { previewFormat: 'markdown' } },
    async canUseTool(name, input, options) {
      if (name === QUESTION_TOOL) {
        questions.push(input);
        if (questions.length > MAX_KEPT) questions.shift();
        return { behavior: 'allow' };
      }
      if (options.exitPlanMode === undefined) return permission({ name, input, options });
      return queue.inTurn(() => askPlan(input, options, { face, waiting: queue.waiting, edit: parts.edit }));
    },
    onElicitation,
  };
}

function formOf(request: ElicitationRequest, questions: readonly Record<string, unknown>[]): FormQuestion {
  const isModel = request.serverName === MODEL;
  const fields = fieldsOf(request.requestedSchema, isModel ? request.message : '');
  const previews = isModel ? previewsOf(questions) : new Map<string, string>();
  return {
    asker: isModel ? 'The model asks' : `${escapeHidden(request.serverName)} asks`,
    message: isModel ? '' : request.message,
    fields,
    takesOwnWords: isModel,
    preview: (field, choice) => previews.get(`${field.question}\n${choice}`) ?? null,
    refusal: isModel ? null : 'refuse to answer',
  };
}

/** By the text of a question and the label of a choice. */
function previewsOf(questions: readonly Record<string, unknown>[]): Map<string, string> {
  const previews = new Map<string, string>();
  for (const { questions: asked } of questions) {
    for (const each of listOf(asked)) {
      for (const option of listOf(each['options'])) {
        const { label, preview } = option;
        if (typeof preview === 'string' && preview !== '')
          previews.set(`${String(each['question'])}\n${String(label)}`, preview);
      }
    }
  }
  return previews;
}

function listOf(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** What was allowed always, for calls that were decided before it was. */
interface Given {
  add(rules: readonly PermissionRuleValue[], offer: Offer): void;
  /** Contract: true only for a call that the engine would let run now; never rejects. */
  covers(call: AskedCall): Promise<boolean>;
}

function createGiven({ place }: AskParts): Given {
  const keys = new Set<string>();
  const rules: string[] = [];
  return {
    add(added, { key }) {
      keys.add(key);
      rules.push(
        ...added.map(({ toolName, ruleContent }) =>
          ruleContent === undefined ? toolName : `${toolName}(${ruleContent.replace(/[\\()]/g, '\\$&')})`,
        ),
      );
    },
    async covers({ name, input, options: { suggestions = [] } }) {
      // What is asked whatever the rules say brings no suggestion.
      if (suggestions.length === 0) return false;
      if (keys.has(JSON.stringify(suggestions))) return true;
      if (rules.length === 0) return false;
      try {
        const { checkPermission } = await DOORS.permissions();
        const { cwd, home } = place();
        const decision = await checkPermission({ tool: name, input, cwd, home, rules: { allow: rules } });
        return decision.behavior === 'allow';
      } catch {
        // Then it is asked about.
        return false;
      }
    },
  };
}

// A server asks to have a page opened, such as to sign in. One rule: it is opened by a key, never by itself, and its whole
// address is shown before.

/** Opens a page. @returns why it could not; null if the program was started */
type OpenPage = (url: string) => Promise<string | null>;

function askPage(
  face: DialogFace,
  request: ElicitationRequest,
  signal: AbortSignal,
  open: OpenPage,
): Promise<ElicitationResult> {
  const { head, message, address, machine, href } = pageQuestion(request);
  let problem = href === null ? NO_WEB_PAGE : '';
  return new Promise((resolve) => {
    const settle = (result: ElicitationResult): void => {
      dialog.close();
      resolve(result);
    };
    const dialog = openDialog(face, {
      name: 'page',
      signal,
      view: () => ({
        head: [{ text: `? ${head}`, tone: 'strong' }],
        body: [
          { text: message, indent: 2 },
          { text: address, indent: 4, tone: 'link' },
          ...(machine === null ? [] : [{ text: machine, indent: 4 }]),
        ],
        foot: problem === '' ? [] : [{ text: problem, tone: 'bad', indent: 2 }],
        choices: choices(),
        dismisses: 'opens nothing',
      }),
      dismiss: () => settle({ action: 'cancel' }),
      gone: () => resolve({ action: 'cancel' }),
    });

    function choices(): Choice[] {
      const refuse = { key: 'n', label: 'no', act: () => settle({ action: 'decline' }) };
      if (href === null) return [refuse];
      return [
        { key: 'o', label: 'open it in the browser', act: () => void begin(href) },
        { key: 'y', label: 'I have opened it myself', act: () => settle({ action: 'accept' }) },
        refuse,
      ];
    }

    async function begin(url: string): Promise<void> {
      const failure = await open(url);
      if (failure === null) settle({ action: 'accept' });
      else problem = failure;
      face.refresh();
    }
  });
}

interface FormQuestion {
  /** Who asks, escaped: `? The model asks`. */
  readonly asker: string;
  /** What the whole form is for; empty if its fields say it. */
  readonly message: string;
  readonly fields: readonly FormField[];
  /** Any field with choices may be answered in other words. */
  readonly takesOwnWords: boolean;
  /** What a choice would look like; null if nothing is shown. */
  preview(field: FormField, choice: string): string | null;
  /** The answer of one who does not want to give one. Null: there is only Esc. */
  readonly refusal: string | null;
}

/** Settles with the answers, or with what became of the question. */
function askForm(
  face: DialogFace,
  question: FormQuestion,
  waiting: () => number,
  signal: AbortSignal,
): Promise<ElicitationResult> {
  const { fields } = question;
  const values = new Map<string, unknown>();
  /** The field that is asked for; beyond the last one, all that was answered is shown. */
  let at = 0;
  let ticked = new Set<string>();
  let pointed: string | null = null;
  return new Promise((resolve) => {
    const settle = (result: ElicitationResult): void => {
      dialog.close();
      resolve(result);
    };
    const dialog: Dialog = openDialog(face, {
      name: 'question',
      signal,
      view: () => {
        const field = fields[at];
        return {
          head: headOf(question, field, at, waiting()),
          body: field === undefined ? overview() : bodyOf(field),
          foot: [],
          choices: field === undefined ? lastChoices() : choicesOf(field),
          dismisses: 'answers nothing',
        };
      },
      chose(choice) {
        const field = fields[at];
        const number = choice === null || !/^\d$/.test(choice.key) ? Number.NaN : Number(choice.key);
        pointed = field?.choices[number - 1]?.value ?? null;
      },
      dismiss: () => settle({ action: 'cancel' }),
      gone: () => resolve({ action: 'cancel' }),
    });

    function next(): void {
      at += 1;
      ticked = new Set();
      pointed = null;
      // One answer needs no second look.
      if (fields.length === 1 && at === 1) finish();
      else dialog.asksAnew();
    }

    function finish(): void {
      const content = Object.fromEntries(values);
      settle(values.size === 0 && fields.length > 0 ? { action: 'cancel' } : { action: 'accept', content });
    }

    /** @returns why it will not do */
    function take(field: FormField, value: unknown): string | null {
      if (value === undefined && field.isRequired) return 'It has to be answered.';
      const problem = value === undefined ? null : field.check(value);
      if (problem !== null) return problem;
      if (value === undefined) values.delete(field.name);
      else values.set(field.name, value);
      next();
      return null;
    }

    function choicesOf(field: FormField): Choice[] {
      const picks = field.choices.slice(0, 9).map(({ value, label, about }, index): Choice => {
        const mark = field.isList ? (ticked.has(value) ? '[x] ' : '[ ] ') : '';
        return {
          key: String(index + 1),
          label: `${mark}${oneLine(label, 400)}`,
          about: oneLine(about, 400),
          isTick: field.isList,
          act: () => (field.isList ? tick(value) : void take(field, value)),
        };
      });
      const yesNo: Choice[] =
        field.kind === 'yes or no'
          ? [
              { key: 'y', label: 'yes', act: () => void take(field, true) },
              { key: 'n', label: 'no', act: () => void take(field, false) },
            ]
          : [];
      const done: Choice[] = field.isList ? [{ key: 'd', label: 'done', act: () => finishList(field) }] : [];
      const isOpen =
        field.kind !== 'yes or no' && (picks.length === 0 || question.takesOwnWords || field.choices.length > 9);
      const write: Choice[] = isOpen
        ? [
            {
              key: 'w',
              label: picks.length === 0 ? 'write the answer' : 'answer in other words',
              act: () => writeAnswer(field),
            },
          ]
        : [];
      const skips = !field.isRequired || field.fallback !== undefined;
      const fallback =
        field.fallback === undefined ? 'leave it out' : `leave it at ${oneLine(String(field.fallback), 60)}`;
      const skip: Choice[] = skips ? [{ key: 'l', label: fallback, act: () => void take(field, field.fallback) }] : [];
      return [...picks, ...yesNo, ...done, ...write, ...skip, ...refusal()];
    }

    function tick(value: string): void {
      if (ticked.has(value)) ticked.delete(value);
      else ticked.add(value);
      face.refresh();
    }

    function finishList(field: FormField): void {
      const picked = field.choices.map(({ value }) => value).filter((value) => ticked.has(value));
      const problem =
        picked.length === 0 && field.isRequired
          ? 'Choose one at least.'
          : take(field, picked.length === 0 ? undefined : picked);
      if (problem !== null)
        dialog.write({ label: `${problem} Or in your own words:`, send: (text) => sendTyped(field, text) });
    }

    function writeAnswer(field: FormField): void {
      const label =
        field.kind === 'number' ? 'A number:' : field.isList ? 'Answers, with commas between them:' : 'The answer:';
      const before = values.get(field.name);
      const initial = typeof before === 'string' || typeof before === 'number' ? String(before) : '';
      dialog.write({ label, initial, send: (text) => sendTyped(field, text) });
    }

    function sendTyped(field: FormField, text: string): string | null {
      const typed = text.trim();
      if (typed === '') return 'Nothing is written. Esc goes back.';
      return take(field, field.choices.length > 0 && !field.isList ? typed : readTyped(field, typed));
    }

    function lastChoices(): Choice[] {
      const again = { key: 'b', label: 'answer again from the first', act: restart };
      return [{ key: 's', label: 'send these answers', act: finish }, again, ...refusal()];
    }

    function restart(): void {
      at = 0;
      dialog.asksAnew();
    }

    function refusal(): Choice[] {
      const { refusal: label } = question;
      return label === null ? [] : [{ key: 'x', label, act: () => settle({ action: 'decline' }) }];
    }

    function bodyOf(field: FormField): Line[] {
      const long = field.choices.slice(9);
      const preview = pointed === null ? null : question.preview(field, pointed);
      const asked = field.question || field.title || field.name;
      const title = asked.includes(field.title) ? '' : field.title;
      return [
        ...(title === '' ? [] : [{ text: escapeHidden(title), tone: 'dim', indent: 2 } as const]),
        { text: escapeHidden(asked), indent: 2 },
        ...long.map(
          ({ label, about }): Line => ({ text: escapeHidden(about === '' ? label : `${label}: ${about}`), indent: 4 }),
        ),
        ...(preview === null ? [] : [{ text: escapeHidden(preview), indent: 4, tone: 'code' } as const]),
      ];
    }

    function overview(): Line[] {
      return fields.flatMap((field): Line[] => {
        const value = values.get(field.name);
        const shown = value === undefined ? '(left out)' : Array.isArray(value) ? value.join(', ') : String(value);
        return [
          { text: escapeHidden(field.question || field.title || field.name), tone: 'dim', indent: 2 },
          { text: escapeHidden(shown), indent: 4 },
        ];
      });
    }
  });
}

function headOf(
  { asker, message, fields }: FormQuestion,
  field: FormField | undefined,
  at: number,
  waiting: number,
): Line[] {
  const which = fields.length < 2 || field === undefined ? '' : `, ${at + 1} of ${fields.length}`;
  const more = waiting === 0 ? '' : ` (${waiting} more ${waiting === 1 ? 'question waits' : 'questions wait'})`;
  const head: Line = {
    text: `? ${asker}${which}${field === undefined ? ': these are your answers' : ''}${more}`,
    tone: 'strong',
  };
  return message === '' || field === undefined ? [head] : [head, { text: escapeHidden(message), indent: 2 }];
}
