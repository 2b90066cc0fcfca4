// The commands of files, ready to be called, and what is to be told of them. Loaded if there are some. One rule: what there is
// stays as it was when the session began; what one says is read when it is called, and checked again then.

import { type CommandFile, expandCommand, findCommands, readAgain } from '../../context/command-files.js';
import type { FileTrust, MarkdownHost, RefusedFile } from '../../context/markdown/index.js';
import { withPluginRoot } from '../../context/plugins/index.js';
import type { ExtensionPlace } from '../../context/settings/index.js';
import type { Command } from '../../context/slash-commands.js';
import { ruleProblem } from '../../permissions/rule.js';
import { ConfigError } from '../../protocol/errors.js';
import { isMagic } from '../../util/posix-path.js';
import { count, listSome, shorten } from '../../util/text.js';
import { HOW_TO_TRUST, type PendingNotice } from '../config/index.js';

interface CommandFilesRequest {
  /** From the nearest to the farthest. */
  readonly places: readonly ExtensionPlace[];
  readonly trust: FileTrust;
  /** False: what a command allows does not count. */
  readonly mayAllow: boolean;
  /** False: their shell lines are not run. Absent: they are. */
  readonly mayRunShell?: boolean;
  /** Names of commands that stay what they are. */
  readonly taken: readonly string[];
  /** Absolute folder of the plugin with that namespace. */
  pluginRoot?(namespace: string): string | null;
}

export interface OpenedCommands {
  readonly commands: readonly Command[];
  readonly files: readonly CommandFile[];
  readonly refused: readonly RefusedFile[];
  /** Files whose names other commands have. */
  readonly taken: readonly { readonly name: string; readonly file: string; readonly why: string }[];
  readonly notices: readonly PendingNotice[];
}

export async function openCommandFiles(host: MarkdownHost, request: CommandFilesRequest): Promise<OpenedCommands> {
  const { places, trust, taken } = request;
  const { commands: files, refused } = await findCommands(host, places, trust);
  const problems: string[] = [];
  const hidden: { name: string; file: string; why: string }[] = [];
  const usable = files.filter(({ name, file }) => {
    if (!taken.includes(name)) return true;
    problems.push(`${file}: there is a command /${name} already`);
    hidden.push({ name, file, why: `there is a command /${name} already` });
    return false;
  });
  const commands = usable.map((command) => toCommand(host, command, request, problems));
  return { commands, files: usable, refused, taken: hidden, notices: noticesOf(usable, refused, problems, trust.root) };
}

function toCommand(
  host: MarkdownHost,
  command: CommandFile,
  request: CommandFilesRequest,
  problems: string[],
): Command {
  const { name, definition } = command;
  const { description, argumentHint, model } = definition;
  const namespace = command.scope === 'plugin' ? (name.split(':')[0] ?? '') : '';
  const root = request.pluginRoot?.(namespace) ?? null;
  const said = root === null ? definition.allowedTools : ofPlugin(definition.allowedTools, root);
  const allowedTools = said.filter((rule) => {
    const why = request.mayAllow ? ruleProblem(rule, { origin: 'command' }) : 'only managed settings allow anything';
    if (why !== null) problems.push(`${command.file}: ${shorten(rule, 100)} allows nothing: ${why}`);
    return why === null;
  });
  const scopeOf = { project: ' (project)', user: ' (user)', plugin: '' };
  return {
    type: 'prompt',
    name,
    description: `${shorten(description, 250)}${scopeOf[command.scope]}`,
    allowedTools,
    ...(argumentHint === undefined ? {} : { argumentHint }),
    ...(model === undefined ? {} : { model }),
    async expand(args, context) {
      const now = await readAgain(host, command, request.trust);
      if (typeof now === 'string') throw new ConfigError(`The command /${name} was not run: ${now}.`);
      if (now.definition.allowedTools.join('\n') !== definition.allowedTools.join('\n'))
        throw new ConfigError(
          `The command /${name} was not run: its allowed-tools changed since the session began. They count in a new session.`,
        );
      return expandCommand(now.body, {
        args,
        pluginRoot: root,
        async run(line) {
          if (request.mayRunShell === false)
            return '[Shell lines of commands are switched off by settings (disableSkillShellExecution), so this one was not run.]';
          if (context?.runShell === undefined)
            throw new ConfigError(`The command /${name} was not run: it uses the shell, and there is none here.`);
          return context.runShell(line, { command: name, allowedTools });
        },
      });
    },
  };
}

/** What lies in the plugin may be read by what comes from it. */
function ofPlugin(rules: readonly string[], root: string): readonly string[] {
  return [...withPluginRoot(rules, root), ...(isMagic(root) ? [] : [`Read(/${root}/**)`])];
}

function noticesOf(
  files: readonly CommandFile[],
  refused: readonly RefusedFile[],
  problems: readonly string[],
  root: string,
): PendingNotice[] {
  const untrusted = refused.filter(({ item }) => item !== null).map(({ name }) => `/${name}`);
  const lost = refused.filter(({ item }) => item === null).map(({ file, why }) => `${file}: ${why}`);
  const fields = files.flatMap(({ file, definition }) => definition.unknown.map((key) => `${key} (${file})`));
  const notices: PendingNotice[] = [];
  if (untrusted.length > 0)
    notices.push({
      code: 'folder_not_trusted',
      message: `Nobody vouches for ${root}, so these commands of it are not there: ${listSome(untrusted)}.`,
      remedy: HOW_TO_TRUST,
    });
  if (lost.length + problems.length > 0)
    notices.push({
      code: 'command_problem',
      message: `${count(lost.length + problems.length, 'file')} of commands cannot be used as they stand. ${listSome([...lost, ...problems])}.`,
      remedy: 'Correct what is said, or move the file away.',
    });
  if (fields.length > 0)
    notices.push({
      code: 'command_problem',
      level: 'info',
      message: `Fields of commands without effect in this version: ${listSome(fields)}.`,
    });
  return notices;
}
