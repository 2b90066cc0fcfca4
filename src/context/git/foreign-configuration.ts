// Repositories of other systems of version control whose configuration can start programs: Mercurial and Jujutsu. Their
// files are taken as a whole: one with more in it than addresses and names may start anything. A working copy of
// Subversion has no such file.
import path from 'node:path';
import type { Host } from '../../host/host.js';
import { foldersUpFrom } from '../folders-up.js';
import { readGitText, UNREADABLE, UNREADABLE_KEY } from './git-config.js';
import type { GitProgram } from './git-programs.js';
import type { GitRepository } from './git-repository.js';

interface FoundConfiguration {
  readonly repository: GitRepository;
  readonly programs: readonly GitProgram[];
}

/** Files of a repository's own folder, and sections of them that start nothing. */
const SYSTEMS = {
  hg: { folder: '.hg', files: ['hgrc', 'hgrc-not-shared'], harmless: /^(?:paths|phases|web|ui|diff|annotate)$/ },
  jj: { folder: '.jj', files: ['repo/config.toml', 'workspace-config.toml'], harmless: /^(?:user|snapshot|git)$/ },
} as const;
/** Of a harmless section too. */
const ACTING_KEY = /(?:edit|pager|merge|ssh|remotecmd|command|askpass|helper|tool|program|exec|%include|diff-editor)/i;
const MAX_SHOWN = 1_000;

/** Contract: never throws for what stands on the disk; none if the folder is in no repository of that system. */
export async function foreignConfiguration(
  host: Pick<Host, 'fs' | 'sha256'>,
  system: keyof typeof SYSTEMS,
  from: string,
): Promise<readonly FoundConfiguration[]> {
  const { folder: name, files, harmless } = SYSTEMS[system];
  const real = await host.fs.realpath(from).catch(() => from); // a folder that is not there yet
  const tops = foldersUpFrom(real);
  const stats = await host.fs.lstatAll(tops.map((top) => path.join(top, name)));
  const top = tops[stats.findIndex((stat) => stat !== null)];
  if (top === undefined) return [];
  const own = path.join(top, name);
  const shared = (await readGitText(host, path.join(own, 'sharedpath')))?.trim() ?? '';
  const folders = shared === '' ? [own] : [own, path.resolve(own, shared)];
  const programs: GitProgram[] = [];
  for (const file of folders.flatMap((folder) => files.map((each) => path.join(folder, each)))) {
    const text = await readGitText(host, file);
    if (text === null) continue;
    const key = text === UNREADABLE ? UNREADABLE_KEY : actingPart(text, harmless);
    if (key !== null) programs.push({ file, key, value: await shownText(host, text) });
  }
  return [{ repository: { top, folders }, programs }];
}

/** The first section or key that may start something; null if there is none. */
function actingPart(text: string, harmless: RegExp): string | null {
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const part = line.trim();
    if (part === '' || /^[#;]/.test(part)) continue;
    const header = /^\[\s*"?([^\]".\s]+)/.exec(part)?.[1];
    if (header !== undefined) section = header.toLowerCase();
    else if (!harmless.test(section) || ACTING_KEY.test(part))
      return section === '' ? part.slice(0, 40) : `[${section}]`;
  }
  return null;
}

async function shownText({ sha256 }: Pick<Host, 'sha256'>, text: string): Promise<string> {
  if (text === UNREADABLE) return '';
  return text.length <= MAX_SHOWN ? text : `SHA-256 ${await sha256(new TextEncoder().encode(text))}`;
}
