// Lines that do something: programs with a grammar of their own, and options that make names. One a line in
// `test/fixtures/shell-effects`. `words.ts` fills in the marks: `{f}` any file, `{r}` one that is there, `{n}` a new name,
// `{d}` a folder, `{g}` a glob, `{o}` one elsewhere, `{l}` a link, `{p}` a pattern, `{i}` a number, `{s}` a suffix.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(import.meta.dirname, '../../../fixtures/shell-effects');

export function templates(): readonly string[] {
  return ['texts', 'files', 'archives', 'git', 'network', 'running'].flatMap(fixtureLines);
}

/** Whole lines that somebody wrote, each because the description could get it wrong. `¶` ends a line within a line. */
export function wholeLines(): readonly string[] {
  return readdirSync(path.join(FOLDER, 'whole')).flatMap((name) =>
    fixtureLines(`whole/${path.parse(name).name}`).map((line) => line.replaceAll('¶', '\n')),
  );
}

/** The commands of some days of work in several projects. */
export function everydayCommands(): readonly string[] {
  return fixtureLines('everyday');
}

/** Without those that begin with `# `. */
export function fixtureLines(name: string): string[] {
  const text = readFileSync(path.join(FOLDER, `${name}.txt`), 'utf8');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('# '));
}
