// Output styles: how the model writes and works beside the task. Those that are built in, and those in files of the project, the
// user and plugins. One rule: every file ends in the list or among the refused, with the reason; of a folder that nobody
// vouches for nothing counts.
import path from 'node:path';
import { mapBounded } from '../util/map-bounded.js';
import {
  type FileTrust,
  findMarkdown,
  knownTrust,
  type MarkdownFile,
  type MarkdownHost,
  type Problem,
  type RefusedFile,
  rawOf,
  readFrontMatter,
  readMarkdown,
} from './markdown/index.js';
import type { ExtensionPlace } from './settings/index.js';
import { isTrustedItem, type TrustedItems, trustItem } from './trust.js';

export interface OutputStyle {
  readonly name: string;
  readonly description: string;
  readonly text: string;
  /** False: what the prompt says of how code is worked on is left out. */
  readonly keepsCoding: boolean;
  readonly scope: ExtensionPlace['scope'] | 'built-in';
}

export interface FoundStyles {
  /** Those of files first, the nearest first; of two with one name the first counts. */
  readonly styles: readonly OutputStyle[];
  readonly refused: readonly RefusedFile[];
}

/** The name that says that there is none. */
export const DEFAULT_STYLE = 'default';

const BUILT_IN_STYLES: readonly OutputStyle[] = [
  {
    name: 'Explanatory',
    description: 'Does the task, and explains the choices on the way',
    keepsCoding: true,
    scope: 'built-in',
    text: `Do the task as always, and let the user learn from it.
- Before and after you write code, give one to three short insights in this form:
  ★ Insight: why this way and not another, or how this part of the project is built.
- Prefer what holds for this project and for the code at hand over what any book says. Keep insights in your answers, never in the code.`,
  },
  {
    name: 'Learning',
    description: 'Leaves parts of the code to the user, with guidance',
    keepsCoding: true,
    scope: 'built-in',
    text: `Do the task together with the user, so that they learn by doing.
- Write what is routine yourself. Of what is worth deciding (how an error is handled, which data structure, how an algorithm works), leave a part of two to ten lines to the user.
- For such a part write the code around it, mark the place with the comment TODO(human), and ask: what is there already, what is to be written, and what to weigh up. Leave one such part at a time, and wait.
- When the user has written it, read it, say in one or two sentences what it does well or what it misses, and go on.
- Explain choices as you go, in one to three short insights: ★ Insight: …`,
  },
];

const MAX_STYLES = 200;
const READS_AT_ONCE = 16;
const MAX_DESCRIPTION = 1_000;
const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,100}$/u;

/** @param places from the nearest to the farthest */
export async function findOutputStyles(
  host: MarkdownHost,
  places: readonly ExtensionPlace[],
  trust: FileTrust,
): Promise<FoundStyles> {
  const [{ candidates, refused: lost }, known] = await Promise.all([
    findMarkdown(host, places, trust.root),
    knownTrust(host, places, trust),
  ]);
  const read = await mapBounded(candidates.slice(0, MAX_STYLES), READS_AT_ONCE, async (candidate) => ({
    candidate,
    style: await lookAt(host, candidate, trust, known),
  }));
  const styles: OutputStyle[] = [];
  const refused: RefusedFile[] = [...lost];
  for (const { candidate, style } of read) {
    if ('why' in style) refused.push(style);
    else if (styleNamed(styles, style.name) === null) styles.push(style);
    else {
      const { scope, file } = candidate;
      refused.push({ name: style.name, scope, file, why: 'a nearer style has that name', item: null });
    }
  }
  for (const { name, scope, file } of candidates.slice(MAX_STYLES))
    refused.push({ name, scope, file, why: `there are more than ${MAX_STYLES}`, item: null });
  return { styles: [...styles, ...BUILT_IN_STYLES.filter(({ name }) => styleNamed(styles, name) === null)], refused };
}

/** In any case of letters. */
export function styleNamed(styles: readonly OutputStyle[], name: string): OutputStyle | null {
  return styles.find((style) => style.name.toLowerCase() === name.toLowerCase()) ?? null;
}

async function lookAt(
  host: MarkdownHost,
  candidate: MarkdownFile,
  trust: FileTrust,
  known: TrustedItems,
): Promise<OutputStyle | RefusedFile> {
  const { scope, file, namespace } = candidate;
  const refuse = (why: string): RefusedFile => ({ name: candidate.name, scope, file, why, item: null });
  const bytes = await readMarkdown(host, candidate, trust.root);
  if ('problem' in bytes) return refuse(bytes.problem);
  const read = readStyle(new TextDecoder().decode(bytes), candidate.name);
  if ('problem' in read) return refuse(read.problem);
  const style = { ...read, name: namespace === undefined ? read.name : `${namespace}:${read.name}`, scope };
  if (scope !== 'project' || trust.isGranted) return style;
  const value = { description: style.description.slice(0, 300), sha256: await host.sha256(bytes) };
  const key = `output style ${style.name}`;
  const leaf = { path: [key], key, value, isItem: false, scope: 'project', file, base: path.dirname(file) } as const;
  const item = await trustItem(host, trust.root, leaf, path.dirname(file));
  return isTrustedItem(known, item) ? style : { ...refuse('nobody vouches for it as it stands'), item };
}

function readStyle(text: string, fileName: string): Omit<OutputStyle, 'scope'> | Problem {
  const read = readFrontMatter(text);
  if ('problem' in read) return read;
  const field = (key: string) => {
    const found = read.fields.find((each) => each.key === key);
    return found === undefined ? '' : rawOf(found);
  };
  const name = field('name') || fileName;
  if (!NAME.test(name)) return { problem: 'its name is not a line of 1 to 100 characters' };
  const body = read.body.trim();
  if (body === '') return { problem: 'it has no text' };
  return {
    name,
    description: field('description').slice(0, MAX_DESCRIPTION),
    text: body,
    keepsCoding: /^true$/i.test(field('keep-coding-instructions')),
  };
}
