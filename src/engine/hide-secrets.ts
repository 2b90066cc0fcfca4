// Secrets around a tool call: what it gives back has none, and what the user typed for it is put in.
import { mapTexts, someText } from '../secrets/map-texts.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import type { ToolSubject } from '../tools/tool.js';
import { isNestedDeeper } from '../util/nesting.js';
import type { ToolCallResult } from './tool-call-result.js';

type Input = Record<string, unknown>;

/** The very same result where there is none in it. */
export async function hideSecrets(result: ToolCallResult, vault: SecretVault): Promise<ToolCallResult> {
  const block = await vault.hide(result.block, 'found', true);
  const data = await hideData(result.data, vault);
  return block === result.block && data === result.data ? result : { ...result, block, data };
}

/** A tool of the host's own may give anything: what cannot be read through is left to its caller. */
async function hideData(data: unknown, vault: SecretVault): Promise<unknown> {
  try {
    return isNestedDeeper(data) ? data : await vault.hide(data, 'found', false);
  } catch {
    return data; // it throws when it is read
  }
}

/**
 * The input with what the user typed, where the model has placeholders of it. Not for a subagent, whose model would have
 * it; a command is put together where it is known how it runs.
 */
export async function giveTyped(
  input: Input,
  tool: { readonly spawnsAgents?: boolean; subject(input: unknown, cwd: string): ToolSubject },
  cwd: string,
  vault: SecretVault,
): Promise<Input> {
  if (textsIn(input, vault).size === 0) return input;
  if (tool.spawnsAgents === true || tool.subject(input, cwd).kind === 'command') return input;
  const opened = await vault.open();
  const restored = new Map<string, string>();
  for (const text of textsIn(input, vault)) restored.set(text, (await opened.restore(text, { kind: 'outside' })).text);
  return mapTexts(input, false, (text) => restored.get(text) ?? text) as Input;
}

/** Those that may name a secret. */
function textsIn(input: Input, vault: SecretVault): ReadonlySet<string> {
  const texts = new Set<string>();
  someText(input, false, (text) => {
    if (vault.mayHoldPlaceholder(text)) texts.add(text);
    return false;
  });
  return texts;
}
