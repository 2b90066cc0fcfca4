// Asks questions one after the other: the model's own, with choices, previews and own words, or a server's form by its schema.
// One rule: what the person did not say is not in the answer, and nothing is sent before it was seen.
import type { ElicitationResult } from '../../protocol/elicitation.js';
import { escapeHidden } from '../../view/escape-text.js';
import { type FormField, readTyped } from '../../view/form-fields.js';
import { oneLine } from '../../view/tool-title.js';
import { type Choice, type Dialog, type DialogFace, type Line, openDialog } from './dialog.js';

export interface FormQuestion {
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
export function askForm(
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
