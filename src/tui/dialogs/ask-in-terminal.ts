// What a session asks, asked in the terminal: permissions, plans, questions of the model, forms and pages of MCP servers. One
// rule: one question at a time, in the order in which they were asked, and none that an earlier answer settled.
import type { ElicitationRequest, ElicitationResult, OnElicitation } from '../../protocol/elicitation.js';
import type { SDKDeferredToolUse } from '../../protocol/messages.js';
import type { DeferredDecision, PermissionRuleValue } from '../../protocol/permissions.js';
import type { Options } from '../../sdk/options/index.js';
import { QUESTION_TOOL } from '../../sdk/tools/index.js';
import { isRecord } from '../../util/json.js';
import { escapeHidden } from '../../view/escape-text.js';
import { fieldsOf, NO_WEB_PAGE, pageQuestion } from '../../view/form-fields.js';
import { allowedBefore, deny, INTERRUPTED, type Offer } from '../../view/permission-question.js';
import { DOORS } from '../doors.js';
import { type Choice, type DialogFace, openDialog } from './dialog.js';
import { askForm, type FormQuestion } from './form.js';
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
