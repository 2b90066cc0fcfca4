// A skill as the model reads it, however it was called, and how it is known again in a conversation. One rule: the first
// line is written and read here alone, so that what is in use can be told from the conversation itself.

export interface SkillText {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  readonly body: string;
  /** What was said behind its name. */
  readonly args: string;
}

/** Contract: no shell runs what stands in the body, and no argument is taken for anything but a text. */
export function skillText({ name, folder, body, args }: SkillText): string {
  const [text, isTaken] = withArguments(body, args, folder);
  const rest = isTaken || args === '' ? '' : `\n\nArguments: ${args}`;
  return `The skill "${name}" is in use. Paths in it start from its folder, ${folder}\n\n${text}${rest}`;
}

const HEAD = /^The skill "([\w:-]{1,129})" is in use\. Paths in it start from its folder, (.*)\n/;

/** The skill that a text is of; null if it is of none. */
export function skillOfText(text: string): Pick<SkillText, 'name' | 'folder'> | null {
  const [, name, folder] = HEAD.exec(text) ?? [];
  return name === undefined || folder === undefined ? null : { name, folder };
}

const PLACES = /\$ARGUMENTS(?:\[(\d{1,3})\])?|\$\{CLAUDE_SKILL_DIR\}/g;
const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g;

/** The body with its arguments in their places, and whether it has places for them. */
function withArguments(body: string, args: string, folder: string): [string, boolean] {
  let isTaken = false;
  let words: readonly string[] | null = null;
  const text = body.replace(PLACES, (place, index: string | undefined) => {
    if (place.startsWith('${')) return folder;
    isTaken = true;
    if (index === undefined) return args;
    words ??= [...args.matchAll(WORD)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
    return words[Number(index)] ?? '';
  });
  return [text, isTaken];
}
