// What an instruction file imports: `@path` in its prose. Pure. One rule: nothing in code is an import, so a file may
// show one without having it.

/** A fence opens and ends a block of code. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MENTION = /(?:^|[\s(])@((?:\\ |[^\s`'"<>()[\]{}])+)/g;

/** The paths as they are written, each once, in their order. Whether a file is meant shows when it is looked for. */
export function importsIn(text: string): readonly string[] {
  if (!text.includes('@')) return [];
  const found = new Set<string>();
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    for (const [, said = ''] of withoutCode(line).matchAll(MENTION)) {
      const name = said.replaceAll('\\ ', ' ').replace(/[.,;:!?]+$/, '');
      if (name !== '' && !name.includes('\0')) found.add(name);
    }
  }
  return [...found];
}

/** Code within a line is left out: from a run of backquotes to the next one of the same length. Takes linear time. */
function withoutCode(line: string): string {
  if (!line.includes('`')) return line;
  const runs = [...line.matchAll(/`+/g)].map((run) => ({ at: run.index, end: run.index + run[0].length }));
  const closing = new Map<number, number>();
  const closedBy = runs.map(() => -1);
  for (const [index, { at, end }] of [...runs.entries()].reverse()) {
    closedBy[index] = closing.get(end - at) ?? -1;
    closing.set(end - at, index);
  }
  let kept = '';
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const closer = closedBy[index] ?? -1;
    if (closer < 0) continue;
    kept += `${line.slice(from, runs[index]?.at)} `;
    from = runs[closer]?.end ?? line.length;
    index = closer;
  }
  return kept + line.slice(from);
}

/** True for what reads like a path rather than a person or a package: only then is a missing file worth a word. */
export function looksLikePath(name: string): boolean {
  return /^[.~/]/.test(name) || /\.(?:md|mdx|txt|mdc)$/i.test(name);
}
