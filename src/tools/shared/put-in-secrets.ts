// Secrets in place of placeholders, in what a call writes or runs. One rule: if one cannot be put in, nothing happens,
// and the model reads why; a placeholder is never written in place of the secret.
import { ToolError } from '../../protocol/errors.js';
import type { Restored, WhyKept } from '../../secrets/secret-vault.js';
import type { ToolContext } from '../tool.js';

/**
 * The text as it goes into a file.
 * @param current what the file holds now; '' for a new one
 * @throws ToolError if it names a secret that the file does not hold and the user did not type
 */
export async function putIntoFile(text: string, current: string, { secrets }: ToolContext): Promise<string> {
  if (secrets?.mayHoldPlaceholder(text) !== true) return text;
  const vault = await secrets.open();
  // Learnt anew, for the file may have been read in a session before this one.
  await vault.hide(current, 'found');
  const restored = await vault.restore(text, { kind: 'file', text: current });
  requireAll(restored, 'written', IN_A_FILE);
  return restored.text;
}

export interface ReadyCommand {
  readonly command: string;
  /** Variables that it names in place of placeholders. */
  readonly env: Readonly<Record<string, string>>;
  /** True if secrets stand in the command itself. */
  readonly hasSecrets: boolean;
}

/** @throws ToolError if the command names a secret that it may not have */
export async function putIntoCommand(
  command: string,
  { secrets, sandbox, runUnsandboxed }: ToolContext,
): Promise<ReadyCommand> {
  if (secrets === undefined || !(secrets.mayHoldPlaceholder(command) || command.includes('TURNWRIGHT_SECRET_'))) {
    return { command, env: {}, hasSecrets: false };
  }
  const vault = await secrets.open();
  const isConfined = sandbox !== undefined && runUnsandboxed !== true;
  const restored = await vault.restoreCommand(command, { kind: isConfined ? 'sandbox' : 'outside' });
  requireAll(restored, 'run', IN_A_COMMAND);
  return { command: restored.text, env: restored.env, hasSecrets: restored.text !== command };
}

type Reasons = Readonly<Record<WhyKept, (variable: string) => string>>;

const UNKNOWN =
  'this session does not know what it stands for. Read again what holds the secret, and use the placeholder that you get then.';
const OWN = 'it stands for a credential of this session, which no call may have.';

const IN_A_FILE: Reasons = {
  unknown: () => UNKNOWN,
  own: () => OWN,
  found: () =>
    'the file does not hold that secret, and it is put only into files that already hold it. Leave it out, or ask the user to put it there.',
  shell: () => UNKNOWN,
};

const IN_A_COMMAND: Reasons = {
  unknown: () => UNKNOWN,
  own: () => OWN,
  found: () =>
    'it is put in only if the command runs in the sandbox. Let the command read it from where it is, for example from a variable or with `. ./.env`.',
  shell: (variable) =>
    `it holds characters on which a shell would act. Write "$${variable}" in its place, in double quotes: the command gets that variable.`,
};

function requireAll({ kept }: Restored, done: 'written' | 'run', reasons: Reasons): void {
  const [first] = kept;
  if (first === undefined) return;
  const { placeholder, why, variable } = first;
  throw new ToolError(
    `Nothing was ${done}: ${placeholder} is a placeholder of a secret, and ${reasons[why](variable)}`,
  );
}
