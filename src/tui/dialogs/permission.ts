// Asks whether a call may run, or a plan be begun, one question at a time: the effective command of each part or the difference of
// a file, why it is asked, who asks and how many wait. One rule: nothing that would run is hidden or cut without its count, and
// the plan that is approved is the one that was shown last.

import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type {
  CanUseToolOptions,
  PermissionResult,
  PermissionRuleValue,
  PermissionUpdateDestination,
} from '../../protocol/permissions.js';
import { errorText } from '../../util/text.js';
import { countOfDiff, type DiffLine, diffTexts, signOfDiff } from '../../view/diff-lines.js';
import { escapeHidden } from '../../view/escape-text.js';
import {
  allowAlways,
  allowOnce,
  approvePlan,
  deny,
  INTERRUPTED,
  type Offer,
  type PermissionQuestion,
  PLAN_INTERRUPTED,
  permissionQuestion,
  refuse,
  refusePlan,
  showHidden,
  withRules,
} from '../../view/permission-question.js';
import { DOORS } from '../doors.js';
import { type Choice, type DialogFace, type Line, openDialog } from './dialog.js';

interface AskPermissionParts {
  readonly face: DialogFace;
  readonly queue: AskQueue;
  /** The folder in which commands and relative paths start, and what `~` is. Absolute. */
  place(): { readonly cwd: string; readonly home: string };
  /** Who a subagent is, by its id; null for one that is not known. */
  agentOf(id: string): string | null;
}

export interface AskedCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly options: CanUseToolOptions;
}

/** What the call would do, as far as it is looked up: lines of the body. */
interface Details {
  readonly parts: readonly Line[];
  readonly diff: readonly Line[];
  /** Fields of the input that the difference shows. */
  readonly shown: ReadonlySet<string>;
}

const UNTOLD = 'not all of it can be told: ';
/** Files beyond this are not read for a difference, bytes. */
const MAX_FILE = 1_000_000;
const EVERY: Readonly<Record<string, PermissionUpdateDestination>> = {
  a: 'session',
  p: 'localSettings',
  u: 'userSettings',
};

/**
 * Shows the dialog and waits for the answer.
 * @param given told what was allowed always
 */
export async function askPermission(
  { name, input, options }: AskedCall,
  parts: AskPermissionParts,
  given: (rules: readonly PermissionRuleValue[], offer: Offer) => void,
): Promise<PermissionResult> {
  const asked = permissionQuestion(name, input, options);
  const details = await lookUp(asked, name, input, parts.place());
  if (options.signal.aborted) return deny(INTERRUPTED);
  return new Promise((resolve) => {
    let { offer } = asked;
    const stop = parts.queue.onChange(() => parts.face.refresh());
    const settle = (result: PermissionResult): void => {
      stop();
      dialog.close();
      resolve(result);
    };
    const keep = (destination: PermissionUpdateDestination): void => {
      if (offer === null) return;
      given(offer.rules, offer);
      settle(allowAlways(offer, destination));
    };
    const dialog = openDialog(parts.face, {
      name: 'permission',
      signal: options.signal,
      view: () => ({
        head: headOf(asked, options, parts),
        body: bodyOf(asked, details),
        foot: footOf(asked, offer, details),
        choices: choices(),
        dismisses: 'says no',
      }),
      dismiss: () => settle(refuse('')),
      gone() {
        stop();
        resolve(deny(INTERRUPTED));
      },
    });

    function choices(): Choice[] {
      const once = { key: 'y', label: 'yes, once', act: () => settle(allowOnce()) };
      const kept =
        offer === null ? [] : [...keepChoices(offer, keep), ...(offer.rules.length === 0 ? [] : [editRule(offer)])];
      return [
        once,
        ...kept,
        { key: 'n', label: 'no', act: () => settle(refuse('')) },
        { key: 'e', label: 'no, and say why', act: writeWhy },
      ];
    }

    function writeWhy(): void {
      dialog.write({
        label: 'No, because (the model reads it):',
        send(text) {
          settle(refuse(text));
          return null;
        },
      });
    }

    function editRule(current: Offer): Choice {
      return {
        key: 'r',
        label: 'change the rule',
        act: () =>
          dialog.write({
            label: 'What may run without a question from now on, a rule a line:',
            initial: current.rules.map(textOfRule).join('\n'),
            async send(text) {
              try {
                const { readRules } = await DOORS.permissions();
                const rules = await readRules(text.split('\n').filter((line) => line.trim() !== ''));
                if (rules.length === 0)
                  return 'There has to be a rule, such as Bash(npm test *). Esc leaves it as it was.';
                offer = withRules(current, rules);
                dialog.asksAnew();
                return null;
              } catch (error) {
                return escapeHidden(errorText(error));
              }
            },
          }),
      };
    }
  });
}

function keepChoices(offer: Offer, keep: (destination: PermissionUpdateDestination) => void): Choice[] {
  const all: readonly Choice[] = [
    { key: 'a', label: 'yes, and always in this session', act: () => keep(EVERY['a'] ?? 'session') },
    { key: 'p', label: 'yes, and always in this project', act: () => keep(EVERY['p'] ?? 'session') },
    { key: 'u', label: 'yes, and always in all projects', act: () => keep(EVERY['u'] ?? 'session') },
  ];
  return all.filter(({ key }) => key === 'a' || offer.isKeepable);
}

/** As settings write it. */
function textOfRule({ toolName, ruleContent }: PermissionRuleValue): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent.replace(/[\\()]/g, '\\$&')})`;
}

function headOf(asked: PermissionQuestion, { agentID }: CanUseToolOptions, parts: AskPermissionParts): Line[] {
  const waiting = parts.queue.waiting();
  const who = agentID === undefined ? '' : ` of ${parts.agentOf(agentID) ?? 'a subagent'}`;
  const more = waiting === 0 ? '' : ` (${waiting} more ${waiting === 1 ? 'question waits' : 'questions wait'})`;
  const wish = asked.wish ?? `${asked.tool}${who} wants to ${asked.wants}${asked.deed === '' ? '' : ':'}`;
  return [{ text: `? ${wish}${more}`, tone: 'strong' }];
}

function bodyOf({ deed, fields }: PermissionQuestion, { parts, diff, shown }: Details): Line[] {
  return [
    ...(deed === '' ? [] : [{ text: showHidden(deed), indent: 4 }]),
    ...parts,
    ...diff,
    ...fields
      .filter(({ name }) => !shown.has(name))
      .flatMap(({ name, value }): Line[] =>
        value.includes('\n')
          ? [
              { text: `${name}:`, tone: 'dim', indent: 2 },
              { text: showHidden(value), indent: 4 },
            ]
          : [{ text: `${name}: ${showHidden(value)}`, indent: 2 }],
      ),
  ];
}

function footOf({ does: all, why: reason, wish }: PermissionQuestion, offer: Offer | null, { parts }: Details): Line[] {
  // What cannot be told stands with the parts already.
  const does = parts.length === 0 ? all : all.replace(/ ?Not all of it can be told: .*$/, '');
  const last = parts.at(-1)?.text ?? '';
  const untold = last.startsWith(UNTOLD) ? last.slice(UNTOLD.length) : null;
  // Said by the wish, or by the line before.
  const why = wish !== null || (untold !== null && reason.includes(untold)) ? '' : reason;
  return [
    ...(does === '' ? [] : [{ text: `what it does: ${does}`, tone: 'dim', indent: 2 } as const]),
    ...(why === '' ? [] : [{ text: `why asked: ${why}`, tone: 'dim', indent: 2 } as const]),
    ...(offer === null ? [] : [{ text: `always would allow: ${offer.words}`, tone: 'dim', indent: 2 } as const]),
  ];
}

/** Contract: never rejects; what cannot be looked up is left to the input itself. */
async function lookUp(
  { deed }: PermissionQuestion,
  name: string,
  input: Record<string, unknown>,
  place: { readonly cwd: string; readonly home: string },
): Promise<Details> {
  const none: Details = { parts: [], diff: [], shown: new Set() };
  try {
    if (typeof input['command'] === 'string') return { ...none, parts: await partsOf(input['command'], deed, place) };
    if (typeof input['file_path'] === 'string') return { ...none, ...(await changeOf(name, input, place.cwd)) };
  } catch {
    // The input itself is shown whole.
  }
  return none;
}

/** Each program that would start, as the shell would start it. */
async function partsOf(
  command: string,
  deed: string,
  place: { readonly cwd: string; readonly home: string },
): Promise<Line[]> {
  const { explainCommand } = await DOORS.permissions();
  const { programs, unknown } = await explainCommand(command, place);
  const texts = programs.map(({ text, name, words }) => {
    const effective = words.every((word) => word !== null) ? words.map(quoted).join(' ') : text;
    return effective === '' ? (name ?? '?') : effective;
  });
  const [only] = texts;
  const lines: Line[] =
    texts.length === 1 && only === deed.trim()
      ? []
      : texts.map((text, at) => ({ text: `${at + 1}. ${showHidden(text)}`, indent: 6 }));
  const head: Line[] = lines.length === 0 ? [] : [{ text: 'which starts:', tone: 'dim', indent: 2 }];
  const untold: Line[] =
    unknown === null ? [] : [{ text: `${UNTOLD}${escapeHidden(unknown)}`, tone: 'warning', indent: 2 }];
  return [...head, ...lines, ...untold];
}

function quoted(word: string | null): string {
  if (word === null) return '?';
  return /^[\w@%+=:,./*?~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** What an edit or a whole new text would change in its file. */
async function changeOf(
  name: string,
  input: Record<string, unknown>,
  cwd: string,
): Promise<Pick<Details, 'diff' | 'shown'> | null> {
  const { file_path: file, old_string: old, new_string: now, content, replace_all: all } = input;
  if (typeof file !== 'string') return null;
  const before = await textOf(path.resolve(cwd, file));
  if (typeof content === 'string' && old === undefined) {
    const isNew = before === null;
    const lines = await diffTexts(before ?? '', content);
    return lines === null ? null : { diff: linesOf(lines, isNew ? 'as a new file' : ''), shown: new Set(['content']) };
  }
  if (typeof old !== 'string' || typeof now !== 'string' || name === 'NotebookEdit') return null;
  const isThere = old !== '' && before?.includes(old) === true;
  const after =
    !isThere || before === null ? now : all === true ? before.split(old).join(now) : before.replace(old, () => now);
  const lines = await diffTexts(isThere && before !== null ? before : old, after);
  const shown = new Set(['old_string', 'new_string', ...(all === undefined ? [] : ['replace_all'])]);
  const note = all === true ? 'everywhere in the file' : isThere ? '' : 'by a text that does not stand there so';
  return lines === null ? null : { diff: linesOf(lines, note), shown };
}

function linesOf(lines: readonly DiffLine[], note: string): Line[] {
  const width = Math.max(1, ...lines.map(({ number }) => String(number ?? '').length));
  return [
    { text: `${countOfDiff(lines)} lines${note === '' ? '' : ` ${note}`}`, tone: 'dim', indent: 4 },
    ...lines.map((line): Line => {
      const tone =
        line.kind === 'added' ? 'added' : line.kind === 'removed' ? 'removed' : line.kind === 'skipped' ? 'dim' : null;
      const text = `${String(line.number ?? '').padStart(width)} ${signOfDiff(line)} ${line.text}`;
      return { text, indent: 4, ...(tone === null ? {} : { tone }) };
    }),
  ];
}

/** Null if there is none that can be shown. */
async function textOf(file: string): Promise<string | null> {
  try {
    const facts = await stat(file);
    if (!facts.isFile() || facts.size > MAX_FILE) return null;
    return await readFile(file, 'utf8');
  } catch {
    // It is not there, or not for us to read: the tool will say so.
    return null;
  }
}

interface PlanParts {
  readonly face: DialogFace;
  waiting(): number;
  /** Opens the person's editor with a text. @returns the text it left; rejects if there is no editor, or it failed */
  readonly edit: ((text: string) => Promise<string>) | undefined;
}

export function askPlan(
  input: Record<string, unknown>,
  { signal, exitPlanMode = {} }: CanUseToolOptions,
  { face, waiting, edit }: PlanParts,
): Promise<PermissionResult> {
  const { plan: first = '', planFilePath: file } = exitPlanMode;
  let plan = first;
  let problem = '';
  return new Promise((resolve) => {
    const settle = (result: PermissionResult): void => {
      dialog.close();
      resolve(result);
    };
    const shown = () => ({ input, first, plan });
    const dialog = openDialog(face, {
      name: 'plan',
      signal,
      view: () => ({
        head: [{ text: `? The plan${plan === first ? '' : ', as you changed it'}:${more(waiting())}`, tone: 'strong' }],
        body: [{ text: showHidden(plan), indent: 2 }],
        foot: planFoot(file, problem),
        choices: choices(),
        dismisses: 'plans on',
      }),
      dismiss: () => settle(refusePlan('')),
      gone: () => resolve(deny(PLAN_INTERRUPTED)),
    });

    function choices(): Choice[] {
      return [
        { key: 'y', label: 'yes, begin', act: () => settle(approvePlan(shown(), false)) },
        { key: 'a', label: 'yes, and accept edits without a question', act: () => settle(approvePlan(shown(), true)) },
        ...(edit === undefined
          ? []
          : [{ key: 'c', label: 'change the plan in the editor', act: () => void change(edit) }]),
        { key: 'n', label: 'plan on', act: () => settle(refusePlan('')) },
        { key: 'e', label: 'plan on, and say why', act: writeWhy },
      ];
    }

    async function change(open: (text: string) => Promise<string>): Promise<void> {
      try {
        plan = (await open(plan)).trim();
        problem = '';
      } catch (error) {
        problem = errorText(error);
      }
      dialog.asksAnew();
    }

    function writeWhy(): void {
      dialog.write({
        label: 'What should be otherwise (the model reads it):',
        send(text) {
          settle(refusePlan(text));
          return null;
        },
      });
    }
  });
}

function more(waiting: number): string {
  return waiting === 0 ? '' : ` (${waiting} more ${waiting === 1 ? 'question waits' : 'questions wait'})`;
}

function planFoot(file: string | undefined, problem: string): Line[] {
  return [
    ...(file === undefined ? [] : [{ text: `kept in ${escapeHidden(file)}`, tone: 'dim', indent: 2 } as const]),
    ...(problem === '' ? [] : [{ text: escapeHidden(problem), tone: 'bad', indent: 2 } as const]),
  ];
}

interface AskQueue {
  /** Runs `ask` when it is its turn. Rejects as it does. */
  inTurn<T>(ask: () => Promise<T>): Promise<T>;
  /** Questions behind the one that is asked now. */
  waiting(): number;
  /** Called when another one waits. @returns what ends it */
  onChange(listener: () => void): () => void;
}

export function createAskQueue(): AskQueue {
  let last: Promise<unknown> = Promise.resolve();
  let open = 0;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    inTurn(ask) {
      open += 1;
      tell();
      const mine = last.then(ask).finally(() => {
        open -= 1;
        tell();
      });
      last = mine.catch(() => undefined);
      return mine;
    },
    waiting: () => Math.max(0, open - 1),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
