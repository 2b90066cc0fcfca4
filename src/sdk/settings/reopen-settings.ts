// What a session does differently after its settings changed. Loaded with the first change.
import type { SettingEntry } from '../../context/settings/index.js';
import type { Host } from '../../host/host.js';
import type { PermissionRule } from '../../permissions/rule.js';
import { ConfigError, isEngineError } from '../../protocol/errors.js';
import type { PendingNotice, QueryEngineConfig, SettingsChange } from '../../session/config/index.js';
import type { OpenedSettings } from '../../session/settings/index.js';
import type { PlainOptions } from '../options/index.js';
import { applySettings } from './apply-settings.js';
import { permissionContext } from './permission-context.js';

/** What is not forbidden any more. */
const NOT_CONFINED = {
  disableAuto: false,
  hasHardDenials: false,
  blockReadsOutside: false,
  blockWritesOutside: false,
  deniesAsks: false,
};

export interface Reopening {
  /** The options as the host gave them. */
  readonly given: PlainOptions;
  readonly host: Host;
  readonly cwd: string;
  /** Folders of the options, absolute. */
  readonly directories: readonly string[];
  /** What the sandbox of the session keeps from tools: it is the same until the session ends. */
  readonly sandboxDeny: readonly PermissionRule[];
  readonly files: SettingsChange['files'];
  readonly before: OpenedSettings | null;
  readonly after: OpenedSettings | null;
}

/** @throws ConfigError if a file cannot be read as it is now: half a file must not take rules away */
export async function settingsChange(reopening: Reopening): Promise<SettingsChange> {
  const { given, host, cwd, files, before, after } = reopening;
  refuseUnreadable(reopening);
  const env = { ...host.env, ...given.env };
  const applied =
    after === null
      ? { options: given, fields: {}, notices: [] }
      : await applySettings(given, after, env).catch((error: unknown) => {
          if (!isEngineError(error)) throw error;
          // The session goes on as it may: a mode that is off now is honoured when calls are decided.
          const notices: PendingNotice[] = [{ code: 'settings_problem', message: error.message }];
          return { options: given, fields: {}, notices };
        });
  const { options, fields } = applied;
  const directories = [...new Set([...reopening.directories, ...(after?.directories ?? [])])];
  const effort = options.effort ?? (given.agent === undefined ? undefined : given.agents?.[given.agent]?.effort);
  // Checkpoints are made from the beginning of a session or not at all, so what they allow does not change either.
  const { permissionMode: _, enableFileCheckpointing: _checkpoints, ...rest } = options;
  const { mode: _mode, ...context } = await permissionContext(rest, undefined, { host, cwd, directories }, after);
  const told = new Set(before?.notices.map(({ message }) => message));
  return {
    files,
    keys: changedKeys(before?.effective.entries ?? [], after?.effective.entries ?? []),
    base: {
      ...context,
      deny: [...context.deny, ...reopening.sandboxDeny],
      ...NOT_CONFINED,
      ...after?.confinement,
      disableBypass: after?.disableBypass === true,
      isTrusted: context.isTrusted ?? true,
    },
    live: {
      ...(effort === undefined ? {} : { effort }),
      ...(options.thinking === undefined ? {} : { thinkingConfig: options.thinking }),
      ...fields,
      ...(options.model === undefined || options.model === given.model ? {} : { model: options.model }),
    },
    commandHooks: after?.commandHooks ?? [],
    ...((fields as Pick<QueryEngineConfig, 'onlyManagedHooks'>).onlyManagedHooks === true
      ? { onlyManagedHooks: true }
      : {}),
    notices: applied.notices.filter(({ message }) => !told.has(message)),
  };
}

function refuseUnreadable({ files, after }: Reopening): void {
  for (const { file } of files) {
    const lost = after?.effective.problems.find((problem) => problem.file === file && problem.key === null);
    const isRead = after?.effective.files.some((each) => each.file === file) ?? false;
    if (lost !== undefined && !isRead) throw new ConfigError(`${file} ${lost.message}.`);
  }
}

function changedKeys(before: readonly SettingEntry[], after: readonly SettingEntry[]): string[] {
  const [old, now] = [byKey(before), byKey(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
}

function byKey(entries: readonly SettingEntry[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { key, value } of entries) found.set(key, `${found.get(key) ?? ''}${JSON.stringify(value)},`);
  return found;
}
