// Permission decisions without a session: what would be said of a call under given rules, and what a command would do.
import type { Host } from '../host/host.js';
import type { PermissionDecision } from '../permissions/permission-call.js';
import type { CommandReading } from '../permissions/shell/command-reading.js';
import type { PermissionQuestion } from './permissions/permission-question.js';

export type { PermissionQuestion };

/**
 * What would be decided about a call. Reads the file system, to follow links; runs nothing, asks nobody.
 * @throws ConfigError for a question that cannot be understood
 */
export async function checkPermission(question: PermissionQuestion, host?: Host): Promise<PermissionDecision> {
  const [{ decideQuestion }, { createNodeHost }] = await Promise.all([
    import('./permissions/check-permission.js'),
    import('../host/node-host.js'),
  ]);
  return decideQuestion(question, host ?? createNodeHost());
}

/**
 * What a command line would start, and which files it names, as far as it can be told without running it.
 * @param place absolute folders: where it would run, and what `~` is
 */
export async function explainCommand(
  command: string,
  place: { readonly cwd: string; readonly home: string | null },
): Promise<CommandReading> {
  return (await import('../permissions/shell/read-command.js')).readCommand(command, place);
}
