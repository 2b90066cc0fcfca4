// Instructions and skills of folders that an agent came to: found, told to hooks, and given to it.

import path from 'node:path';
import type { Draft } from '../../engine/state/index.js';
import { isInside } from '../../host/is-inside.js';
import type { MessageParam, UserMessageParam } from '../../protocol/content.js';
import { errorText, shorten } from '../../util/text.js';
import {
  type AgentRun,
  type FeatureParts,
  noticeDraft,
  type Runtime,
  type Session,
  type SessionRuntime,
} from '../core/index.js';
import { addInstructions } from '../instructions/index.js';
import { hideFound } from './hear-message.js';
import { configureRequests } from './prepare-prompt.js';

export const parts: FeatureParts = {
  tellBeside: ({ session, runtime, attached }) => findAdded(session, runtime, attached),
  async betweenTurns({ run, touched }) {
    const { session, runtime } = run;
    const before = runtime.setup.tools.length;
    const drafts = await deliverAdded(run, touched);
    // The first skills of a session bring their tool along.
    if (runtime.setup.tools.length !== before) await configureRequests(session, runtime);
    return drafts;
  },
};

interface AddedTexts {
  readonly texts: readonly string[];
  /** To be called with the message that takes them along. */
  told(by: MessageParam): void;
}

/** Null if nothing is new. @param touched absolute, links resolved */
async function findAdded(session: Session, runtime: Runtime, touched: readonly string[]): Promise<AddedTexts | null> {
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
async function deliverAdded({ session, runtime }: AgentRun, touched: readonly string[]): Promise<readonly Draft[]> {
  const added = await findAdded(session, runtime, touched);
  if (added === null) return [];
  const message: UserMessageParam = { role: 'user', content: added.texts.map((text) => ({ type: 'text', text })) };
  added.told(message);
  return [{ type: 'delivered', message, uuid: session.host.ids.uuid(), isMeta: true }];
}

// Skills of folders that an agent comes to: when a file there is first touched they are looked for, and the model is told of
// them. One rule: what nobody vouches for is none, wherever it lies.

/** The places in which a folder keeps its skills. */
const PLACES = ['.turnwright/skills', '.claude/skills', '.qoder/skills'];
/** True for such a place of a folder in the workspace. @param place absolute */
export function isPlaceOfSkills(place: string, roots: readonly string[]): boolean {
  return PLACES.some((each) => place.endsWith(`/${each}`)) && roots.some((root) => isInside(root, place));
}

/** Folders that are looked into in one session. */
const MAX_FOLDERS = 2_000;
/** Characters of a description. */
const MAX_DESCRIPTION = 1_000;

/**
 * What the model must be told, a text for each folder; none if there is nothing new.
 * @param touched absolute, links resolved
 */
async function addedSkills(
  session: Session,
  runtime: SessionRuntime,
  touched: readonly string[],
): Promise<readonly string[]> {
  const { config, host, memory } = session;
  if (config.reloadSkills === undefined) return [];
  memory.skillFolders ??= new Set();
  const seen = memory.skillFolders;
  const begun = memory.loadedInstructions?.folders ?? [];
  const roots = runtime.gate.rules?.roots ?? [config.cwd];
  const folders = [...new Set(touched.flatMap((file) => foldersTo(file, roots)))].filter(
    (folder) => !seen.has(folder) && !begun.includes(folder),
  );
  const fresh = folders.slice(0, Math.max(0, MAX_FOLDERS - seen.size));
  for (const folder of fresh) seen.add(folder);
  const places = fresh.flatMap((folder) => PLACES.map((place) => path.join(folder, place)));
  if (places.length === 0) return [];
  const stats = await host.fs.lstatAll(places);
  const there = places.filter((_, at) => stats[at]?.kind === 'directory');
  if (there.length === 0) return [];
  const before = new Set((memory.reloaded?.library ?? config.skills)?.names ?? []);
  try {
    const { skills } = await session.features.takeSkills(session, runtime, there);
    const come = skills.filter(({ name, isForModel }) => isForModel && !before.has(name));
    if (come.length === 0) return [];
    const lines = come.map(({ name, description }) => `- ${name}: ${shorten(description, MAX_DESCRIPTION)}`);
    return [
      `<skills-added>\nSkills for the folders you came to. Call them by the tool Skill:\n${lines.join('\n')}\n</skills-added>`,
    ];
  } catch (error) {
    runtime.tell(noticeDraft({ code: 'skill_problem', message: `Skills were not looked for: ${errorText(error)}` }));
    return [];
  }
}

/** From the file up to the workspace folder that it lies in, the farthest first. */
function foldersTo(file: string, roots: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let folder = path.dirname(file); roots.some((root) => isInside(root, folder)); folder = path.dirname(folder)) {
    found.unshift(folder);
    if (path.dirname(folder) === folder) break;
  }
  return found;
}
