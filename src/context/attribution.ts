// What the model adds to commits and pull requests that it makes, where the settings ask for it. It is told, not
// enforced: no commit is changed after it was made.

/** Texts of one or more lines; '' for none. */
export interface Attribution {
  readonly commit: string;
  readonly pr: string;
}

/** The section of the system prompt; null if nothing is to be added. */
export function attributionPrompt({ commit, pr }: Attribution): string | null {
  if (commit === '' && pr === '') return null;
  const parts = ['# Commits and pull requests'];
  if (commit !== '')
    parts.push(`When you make a commit, end its message with an empty line and this text, as it is:\n${fence(commit)}`);
  if (pr !== '')
    parts.push(`When you open a pull request, end its description with this text, as it is:\n${fence(pr)}`);
  return parts.join('\n\n');
}

function fence(text: string): string {
  return `<text>\n${text}\n</text>`;
}
