// Shows a plan and asks whether to begin. One rule: what is approved is what was shown last.
import type { CanUseToolOptions, PermissionResult } from '../../protocol/permissions.js';
import { errorText } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import { approvePlan, deny, PLAN_INTERRUPTED, refusePlan, showHidden } from '../../view/permission-question.js';
import { type Choice, type DialogFace, type Line, openDialog } from './dialog.js';

export interface PlanParts {
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
        foot: footOf(file, problem),
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

function footOf(file: string | undefined, problem: string): Line[] {
  return [
    ...(file === undefined ? [] : [{ text: `kept in ${escapeHidden(file)}`, tone: 'dim', indent: 2 } as const]),
    ...(problem === '' ? [] : [{ text: escapeHidden(problem), tone: 'bad', indent: 2 } as const]),
  ];
}
