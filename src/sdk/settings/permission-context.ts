// What the options and the settings say of permissions, as one context.
import type { Host } from '../../host/host.js';
import type { PermissionContext } from '../../permissions/permission-call.js';
import type { PermissionRule } from '../../permissions/rule.js';
import { isOpenName, type RuleSetting, toolRule } from '../../permissions/tool-rule.js';
import { ConfigError } from '../../protocol/errors.js';
import { PERMISSION_MODES, type PermissionMode } from '../../protocol/permissions.js';
import type { OpenedSettings } from '../../session/settings/index.js';
import { DOORS } from '../features.js';
import type { PlainOptions } from '../options/index.js';

export interface PermissionPlace {
  readonly host: Host;
  readonly cwd: string;
  /** Folders beside it, absolute. */
  readonly directories: readonly string[];
}

/** @throws ConfigError for a rule or a mode that cannot be used */
export async function permissionContext(
  options: PlainOptions,
  agentMode: PermissionMode | undefined,
  { host, cwd, directories }: PermissionPlace,
  settings: OpenedSettings | null,
): Promise<PermissionContext> {
  const folders = [cwd, ...directories];
  const real = await Promise.all(folders.map((folder) => host.fs.realpath(folder)));
  const mode = checkMode(
    options.permissionMode ?? agentMode ?? 'default',
    options.allowDangerouslySkipPermissions ?? false,
  );
  return {
    ...(options.planMode === true ? { mode: 'plan', beforePlan: mode } : { mode }),
    deny: [...(await rulesOf(options.disallowedTools, cwd)), ...(settings?.rules.deny ?? [])],
    ask: settings?.rules.ask ?? [],
    allow: [...(await allowingRules(options.allowedTools, cwd)), ...(settings?.rules.allow ?? [])],
    roots: [...new Set([...folders, ...real])],
    home: host.platform.homedir,
    privateHosts: options.web?.privateHosts ?? [],
    ...(options.enableFileCheckpointing === true ? { keepsRemoved: true } : {}),
    ...(settings?.disableBypass ? { disableBypass: true } : {}),
    ...settings?.confinement,
    ...(settings === null || isTrusted(settings) ? {} : { isTrusted: false }),
  };
}

/** A folder that nothing of its own acts in needs nobody who vouches for it. */
function isTrusted({ effective: { trust, gitPrograms } }: OpenedSettings): boolean {
  return trust !== 'missing' && gitPrograms.length === 0;
}

/** What reads the content of rules is loaded if one has any. @throws ConfigError for a rule that is not understood */
async function rulesOf(rules: readonly string[] = [], cwd: string): Promise<PermissionRule[]> {
  const setting: RuleSetting = { origin: 'cliArg', base: cwd };
  const plain = rules.map((rule) => toolRule(rule, setting)).filter((rule) => rule !== null);
  if (plain.length === rules.length) return plain;
  const { parseRule } = await DOORS.rules();
  return rules.map((rule) => parseRule(rule, setting));
}

/** @throws ConfigError for a rule that would allow more than it names */
async function allowingRules(rules: readonly string[] | undefined, cwd: string): Promise<PermissionRule[]> {
  const read = await rulesOf(rules, cwd);
  const open = read.find(({ toolName }) => isOpenName(toolName));
  if (open !== undefined)
    throw new ConfigError(
      `allowedTools has ${open.source}. Stars stand for parts of a name only behind a server that is spelled: mcp__server__get_*.`,
      { code: 'rule_invalid' },
    );
  return read;
}

// The permission modes that can be asked for, and what they need.

/** @throws ConfigError for an unknown mode, and for a bypass that was not allowed on purpose. */
export function checkMode(mode: PermissionMode, bypassAllowed: boolean): PermissionMode {
  if (!PERMISSION_MODES.includes(mode)) {
    throw new ConfigError(`There is no permission mode "${String(mode)}". Modes: ${PERMISSION_MODES.join(', ')}.`);
  }
  if ((mode === 'bypassPermissions' || mode === 'yolo') && !bypassAllowed) {
    throw new ConfigError(
      `Permission mode ${mode} skips all questions. It needs allowDangerouslySkipPermissions (--allow-dangerously-skip-permissions).`,
    );
  }
  return mode;
}
