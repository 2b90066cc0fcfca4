// What a session asks, asked at the terminal: permissions, and the questions of the model and of MCP servers.

import { readFile } from 'node:fs/promises';
import type { CanUseTool, CanUseToolOptions, PermissionResult } from '../../protocol/permissions.js';
import type { Options } from '../../sdk/options/index.js';
import { QUESTION_TOOL } from '../../sdk/tools/index.js';
import { errorText } from '../../util/text.js';
import { deny, showWhole } from '../../view/permission-question.js';
import { approvePlan, PLAN_INTERRUPTED, refusePlan } from '../../view/plan-question.js';
import type { CliArgs } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { type LineReader, oneAtATime, paint, styleFor } from '../lines/index.js';
import { type AskPermissionOptions, createAskPermission, indent } from './ask-permission.js';
import { createAskQuestion } from './ask-question.js';
import { openPage } from './open-page.js';

/** The options of a session whose person is at the terminal. Questions come one at a time, whoever asks. */
export function askPerson(
  io: CliIo,
  reader: LineReader,
  { verbose, isForScreenReader }: Pick<CliArgs, 'verbose' | 'isForScreenReader'>,
): Required<Pick<Options, 'canUseTool' | 'onElicitation' | 'isNonInteractiveSession'>> {
  const parts = {
    reader,
    inTurn: oneAtATime(),
    // Read aloud, a question has to say first that it is one.
    write: (text: string) => io.err.write(isForScreenReader ? `Turnwright waits for you.\n${text}` : text),
    style: styleFor(io.stderr, io.env, verbose),
  };
  const askPermission = createAskPermission(parts);
  const askPlan = createAskPlan(parts);
  return {
    isNonInteractiveSession: false,
    // The question itself follows; asking whether it may be asked would be one too many.
    canUseTool: async (name, input, options) => {
      if (name === QUESTION_TOOL) return { behavior: 'allow' };
      return options.exitPlanMode === undefined ? askPermission(name, input, options) : askPlan(name, input, options);
    },
    onElicitation: createAskQuestion({
      ...parts,
      openPage: async (url) => openPage(url),
    }),
  };
}

// Shows a plan to a person at the terminal and asks whether to begin. One rule: what is approved is what was shown last.

/** Unclear answers after which it is planned on. */
const MAX_ATTEMPTS = 3;

/** Contract: anything but a clear yes means that the model plans on. */
export function createAskPlan({ reader, write, style, inTurn }: AskPermissionOptions): CanUseTool {
  async function ask(input: Record<string, unknown>, options: CanUseToolOptions): Promise<PermissionResult> {
    const { plan: first = '', planFilePath: file } = options.exitPlanMode ?? {};
    let plan = first;
    let unclear = 0;
    let text = `${show(plan)}${choices(file)}`;
    while (unclear < MAX_ATTEMPTS) {
      const question = text;
      const line = await reader.readAnswer(() => write(question), options.signal);
      if (options.signal.aborted) return deny(PLAN_INTERRUPTED);
      if (line === null) return deny('The user could not be asked: the input has ended.');
      const answer = line.trim();
      const said = /^no?[,:]?\s+(\S[\s\S]*)$/i.exec(answer)?.[1];
      if (said !== undefined) return refusePlan(said);
      switch (answer.toLowerCase()) {
        case 'y':
        case 'yes':
          return approvePlan({ input, first, plan }, false);
        case 'a':
          return approvePlan({ input, first, plan }, true);
        case 'n':
        case 'no':
          return refusePlan('');
        case 'e':
          return refusePlan((await reader.readAnswer(() => write(why()), options.signal)) ?? '');
        case 'c': {
          const { plan: changed, problem } = file === undefined ? {} : await readPlan(file);
          plan = changed ?? plan;
          text = `${problem === undefined ? show(plan) : `${problem}\n`}${choices(file)}`;
          break;
        }
        default:
          unclear += 1;
          text = choices(file);
      }
    }
    return deny('The user gave no clear answer, which counts as no.');
  }

  const show = (plan: string) =>
    `${paint('?', 'yellow', style)} ${paint('The plan', 'bold', style)}:\n${indent(showWhole(plan))}\n`;
  const why = () => `  ${paint('What should be otherwise (the model reads it)', 'cyan', style)} > `;
  const choices = (file: string | undefined) => {
    const [begin, changed, on] = [
      '[y] yes, begin  [a] yes, and accept edits',
      '[c] I changed the file: show it again',
      '[n] plan on  [e] plan on, and say why',
    ];
    if (file === undefined) return `  ${paint(`${begin}  ${on}`, 'cyan', style)} > `;
    return `  ${paint(`kept in ${file}`, 'dim', style)}\n  ${paint(`${begin}  ${changed}`, 'cyan', style)}\n  ${paint(on, 'cyan', style)} > `;
  };

  return (_name, input, options) => inTurn(() => ask(input, options));
}

/** A person may have changed it in an editor meanwhile. */
async function readPlan(file: string): Promise<{ readonly plan?: string; readonly problem?: string }> {
  try {
    return { plan: (await readFile(file, 'utf8')).trim() };
  } catch (error) {
    return { problem: `  The file cannot be read: ${errorText(error)}` };
  }
}
