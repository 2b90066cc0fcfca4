// The words of the answer. They repeat findings and failures; whatever is not in those is not said.
import { countOf, type Failure, type FileFact, type Finding, type Findings } from './findings.js';
import { describeFile, fenced } from './report.js';

const MAX_LISTED = 100;
const MAX_TEXT_LINES = 400;
const MAX_TEXT_CHARACTERS = 24_000;

/** What this is, what it can do, and how to get a language model. The answer to everything it does not understand. */
export const CAPABILITIES = `I am Turnwright's offline planner: a fixed set of rules, not a language model. I understand certain requests about files and commands and carry them out with real tools. I did not understand this one.

What I can do, for example (docs/offline-model.md of the package lists all):
- find the largest TypeScript file under src, then write its path and line count to report.md
- list the Markdown files in docs
- search for "createServer" in src
- summarise README.md
- replace "foo" with "bar" in src/a.ts
- run \`npm test\` and write the output to test-output.txt

For anything else a language model is needed: set ANTHROPIC_API_KEY or the key of another provider in the environment, or run \`turnwright login\`; --model chooses one.`;

/** The answer to a request. `maxTokens` bounds its length. */
export function composeAnswer({ found, failures }: Findings, maxTokens: number): string {
  if (found.length === 0 && failures.length === 0) return CAPABILITIES;
  const parts = [...found.map(describeFinding), ...describeFailures(failures)].filter((part) => part !== '');
  const text = parts.join('\n\n');
  // About three characters a token, so that the reply ends by itself and not at the limit.
  const limit = Math.max(200, maxTokens * 3);
  return text.length <= limit ? text : `${text.slice(0, limit)}\n… (the answer was cut here)`;
}

function describeFinding(finding: Finding): string {
  const { notes } = finding;
  const body = describeBody(finding);
  return [body, ...notes.map((note) => `(${note})`)].join('\n');
}

function describeBody(finding: Finding): string {
  const { step, files, count, matches, texts, summary, output, change, told } = finding;
  const title = `${finding.title.slice(0, 1).toUpperCase()}${finding.title.slice(1)}`;
  if (change !== undefined) return change;
  if (told !== undefined) return told;
  if (summary !== undefined) return clip(summary);
  if (output !== undefined) {
    const shown = output.text === '' ? 'It printed nothing.' : fenced(clip(output.text)).join('\n');
    return `\`${output.command}\` ended with exit code ${output.exitCode}.\n${shown}`;
  }
  if (texts !== undefined) return texts.map((text) => describeText(text)).join('\n\n');
  if (matches !== undefined) {
    const lines = matches
      .slice(0, MAX_LISTED)
      .map((match) => `- ${match.path}:${match.line}: ${match.text.trim().slice(0, 300)}`);
    if (matches.length === 0) return `${title}: none.`;
    return [
      `${title}: ${countOf(count?.value ?? matches.length, 'match')}.`,
      ...lines,
      ...moreThan(count?.value ?? matches.length, lines.length),
    ].join('\n');
  }
  if (step.type === 'rank') return describeRank(title, files ?? []);
  if (step.type === 'count_lines') return describeLines(title, files ?? [], count?.value ?? 0);
  if (step.type === 'count_files' || files === undefined) return `${title}: ${count?.value ?? 0}.`;
  return describeList(title, files, count ?? { value: files.length, unit: 'file' });
}

function describeText(text: NonNullable<Finding['texts']>[number]): string {
  const shown = text.lines.slice(0, MAX_TEXT_LINES);
  const last = text.first + text.lines.length - 1;
  const which = text.whole
    ? countOf(text.lines.length, 'line')
    : text.lines.length === 0
      ? 'no lines there'
      : `lines ${text.first} to ${last}`;
  if (text.lines.length === 0) return `${text.path} (${text.whole ? 'empty' : which}).`;
  const left = text.lines.length - shown.length;
  const more = left > 0 ? [`… ${countOf(left, 'more line').replace('more lines', 'more lines')}`] : [];
  return [`${text.path} (${which}):`, ...fenced(clip(shown.join('\n'))), ...more].join('\n');
}

function describeRank(title: string, files: readonly FileFact[]): string {
  const [only] = files;
  if (only === undefined) return `${title}: there is none.`;
  if (files.length === 1) return `${title}: ${describeFile(only)}.`;
  return [`${title}:`, ...files.slice(0, MAX_LISTED).map((file, index) => `${index + 1}. ${describeFile(file)}`)].join(
    '\n',
  );
}

function describeLines(title: string, files: readonly FileFact[], total: number): string {
  if (files.length <= 1) return `${title}: ${total}.`;
  const lines = files.slice(0, MAX_LISTED).map((file) => `- ${describeFile(file)}`);
  return [
    `${title}: ${total} in ${countOf(files.length, 'file')}.`,
    ...lines,
    ...moreThan(files.length, lines.length),
  ].join('\n');
}

function describeList(title: string, files: readonly FileFact[], count: { value: number; unit: string }): string {
  if (files.length === 0) return `${title}: none found.`;
  const lines = files.slice(0, MAX_LISTED).map((file) => `- ${describeFile(file)}`);
  return [`${title}: ${count.value}.`, ...lines, ...moreThan(files.length, lines.length)].join('\n');
}

function moreThan(total: number, shown: number): string[] {
  return total > shown ? [`… and ${total - shown} more`] : [];
}

function clip(text: string): string {
  return text.length <= MAX_TEXT_CHARACTERS
    ? text
    : `${text.slice(0, MAX_TEXT_CHARACTERS)}\n… (cut here; ${text.length - MAX_TEXT_CHARACTERS} characters more)`;
}

function describeFailures(failures: readonly Failure[]): string[] {
  const lines = failures.map((failure) => {
    switch (failure.kind) {
      case 'failed':
        return `This step failed: "${failure.step.source}". ${failure.reason}`;
      case 'skipped':
        return `This step was not done: "${failure.step.source}", because ${failure.reason}.`;
      case 'not_understood':
        return `I did not understand this part and left it out: "${failure.step.source}". I am an offline planner, not a language model.`;
      default: {
        const never: never = failure.kind;
        return never;
      }
    }
  });
  return [...new Set(lines)];
}
