// Skills of folders that an agent comes to: when a file there is first touched they are looked for, and the model is told of
// them. Loaded with the first such file. One rule: what nobody vouches for is none, wherever it lies.
import path from 'node:path';
import { isInside } from '../../permissions/is-inside.js';
import { errorText, shorten } from '../../util/text.js';
import { noticeDraft, type Session, type SessionRuntime } from '../core/index.js';
import { takeSkills } from './skills-change.js';

/** Where a folder keeps its skills. */
const PLACES = ['.turnwright/skills', '.claude/skills', '.qoder/skills'];
/** Folders that are looked into in one session. */
const MAX_FOLDERS = 2_000;
/** Characters of a description. */
const MAX_DESCRIPTION = 1_000;

/**
 * What the model must be told, a text for each folder; none if there is nothing new.
 * @param touched absolute, links resolved
 */
export async function addedSkills(
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
    const { skills } = await takeSkills(session, runtime, there);
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
