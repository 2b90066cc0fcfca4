// What /init and /review ask the model for.

/** @param args what the user said behind the name */
export function commandPrompt(name: string, args: string): string {
  const text = name === 'init' ? INIT : review(args);
  if (name !== 'init' || args === '') return text;
  return `${text}\n\nThe user adds: ${args}`;
}

const INIT = `Write an AGENTS.md for this repository, or bring the one that is there up to date. Coding agents that work here later read it before anything else.

1. Look first: the manifests, the README, the CI configuration, the source folders, the tests, and instruction files that are there already (AGENTS.md, CLAUDE.md, .cursor/rules, .github/copilot-instructions.md). Take over from them what is still true.
2. Write down what an agent cannot see at a glance and would get wrong:
   - the commands to install, build, check, format and test, and how to run a single test. Run the harmless ones to be sure that they work;
   - how the code is put together: the main parts, how they depend on each other, where something new belongs;
   - rules that hold here: style, names, error handling, what must not be touched, what to do before a change is done.
3. Leave out what is obvious, what holds for every project, lists of all files, and whatever you could not confirm. No secrets.
4. Keep it under 150 lines. If there is an AGENTS.md or a CLAUDE.md, change that one rather than add another.

At the end say in a few lines what you wrote and what you could not find out.`;

function review(args: string): string {
  const target =
    args === ''
      ? 'the changes of this branch: what is not committed yet and, if this is not the main branch, every commit since it left the main branch'
      : `this: ${args}`;
  return `Review ${target}.

Change nothing. Find the changes (git status, git diff, git log; gh pr view and gh pr diff for a pull request), and read the code around each of them and its callers before you judge it.

Look for, in this order:
1. what is wrong: bugs, missed cases, races, broken callers, lost data, security holes;
2. what will be wrong: missing tests for what changed, errors that are swallowed, interfaces that invite misuse;
3. what is harder than it needs to be: code that is there already, dead code, names that mislead.

For each finding: path:line, what happens, an example that shows it, and what to do. The most severe first. Say how sure you are, and leave out matters of taste and what a formatter does. If you find nothing, say so and name what you checked.`;
}
