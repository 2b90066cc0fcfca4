// Instructions of what an agent came to: found, told to hooks, and given to it. Loaded with the first file that may bring some.
import type { Draft } from '../../engine/state/index.js';
import type { MessageParam, UserMessageParam } from '../../protocol/content.js';
import type { AgentRun, Runtime, Session, SessionRuntime } from '../core/index.js';
import { addedSkills } from './added-skills.js';
import { hideFound } from './hear-message.js';

export interface AddedTexts {
  readonly texts: readonly string[];
  /** To be called with the message that takes them along. */
  told(by: MessageParam): void;
}

/** Null if nothing is new. @param touched absolute, links resolved */
export async function findAdded(
  session: Session,
  runtime: Runtime,
  touched: readonly string[],
): Promise<AddedTexts | null> {
  const instructions = await addedFiles(session, runtime, touched);
  // Agents find the skills of the session that they work for.
  const skills = session.depth > 0 ? [] : await addedSkills(session, runtime as SessionRuntime, touched);
  if (instructions === null && skills.length === 0) return null;
  return {
    texts: [...(instructions?.texts ?? []), ...skills],
    told: (by) => instructions?.told(by),
  };
}

async function addedFiles(
  { config, host, memory, history }: Session,
  runtime: Runtime,
  touched: readonly string[],
): Promise<AddedTexts | null> {
  const known = memory.loadedInstructions;
  if (known === undefined || known.folders.length === 0) return null;
  memory.laterInstructions ??= { bare: new Set(), told: new Map() };
  const { addInstructions } = await import('../instructions/add-instructions.js');
  const added = await addInstructions(touched, {
    host,
    cwd: config.cwd,
    roots: config.permissions?.roots ?? [config.cwd, ...(config.additionalDirectories ?? [])],
    sources: config.instructionSources ?? {},
    known,
    isHidden: (await runtime.hiddenFiles?.(null)) ?? undefined,
    later: memory.laterInstructions,
    conversation: history.params,
  });
  if (added === null) return null;
  if (runtime.hooks.has('InstructionsLoaded'))
    for (const { file, trigger } of added.files)
      await runtime.hooks.run('InstructionsLoaded', {
        file_path: file.file,
        memory_type: file.type,
        load_reason: file.reason,
        trigger_file_path: trigger,
        ...(file.globs === undefined ? {} : { globs: file.globs }),
        ...(file.parent === undefined ? {} : { parent_file_path: file.parent }),
      });
  return { texts: await hideFound(added.texts, runtime), told: added.told };
}

/** As a message between two turns; none if nothing is new. */
export async function deliverAdded(
  { session, runtime }: AgentRun,
  touched: readonly string[],
): Promise<readonly Draft[]> {
  const added = await findAdded(session, runtime, touched);
  if (added === null) return [];
  const message: UserMessageParam = { role: 'user', content: added.texts.map((text) => ({ type: 'text', text })) };
  added.told(message);
  return [{ type: 'delivered', message, uuid: session.host.ids.uuid(), isMeta: true }];
}
