// One decision without a session: the question is checked, its call looked at as a tool's would be, its rules read.
import path from 'node:path';
import { createGitWatch } from '../../context/git/index.js';
import { resolveSubject } from '../../engine/subject/index.js';
import type { Host } from '../../host/host.js';
import { decidePermission } from '../../permissions/decide.js';
import { lintRules } from '../../permissions/lint-rules.js';
import type { PermissionContext, PermissionDecision } from '../../permissions/permission-call.js';
import { type PermissionRule, parseRule } from '../../permissions/rule.js';
import { keptFiles } from '../../permissions/unseen-files.js';
import { ConfigError } from '../../protocol/errors.js';
import { PERMISSION_MODES, type PermissionBehavior, type PermissionMode } from '../../protocol/permissions.js';
import { currentToolName } from '../../protocol/tool-names.js';
import {
  type CheckedExample,
  checkExamples,
  findSettings,
  type SettingsOptions,
} from '../../session/settings/index.js';
import { homeFolder } from '../../session/store/index.js';
import { getTools } from '../../tools/builtin.js';
import { planSearch } from '../../tools/search.js';
import type { AnyTool, ToolSubject } from '../../tools/tool.js';
import { isRecord, isTextList } from '../../util/json.js';
import { permissionContext, withSettings } from '../settings/index.js';

/** @throws ConfigError for a question that cannot be understood */
export async function decideQuestion(question: PermissionQuestion, host: Host): Promise<PermissionDecision> {
  checkQuestion(question);
  const cwd = path.resolve(host.platform.cwd, question.cwd ?? '.');
  const context = await contextOf(question, cwd, question.home ?? host.platform.homedir, host);
  return decideUnder(context, question, cwd, host);
}

/** A call in a folder, and what a run would be given as options. */
export interface CallHere extends Pick<PermissionQuestion, 'tool' | 'input' | 'mode'> {
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
}

export interface DecisionHere {
  readonly decision: PermissionDecision;
  /** What a session would say of the settings first, such as that nobody vouches for the folder. */
  readonly told: readonly string[];
}

/**
 * As a session that starts in `cwd` would decide it, by the settings that are there.
 * @param cwd absolute
 * @throws ConfigError for a call that cannot be understood
 */
export async function decideHere(call: CallHere, cwd: string, host: Host): Promise<DecisionHere> {
  const { allowedTools = [], disallowedTools = [], ...asked } = call;
  checkQuestion(asked);
  const { mode: permissionMode } = asked;
  const given = {
    cwd,
    ...(allowedTools.length === 0 ? {} : { allowedTools: [...allowedTools] }),
    ...(disallowedTools.length === 0 ? {} : { disallowedTools: [...disallowedTools] }),
    ...(permissionMode === undefined ? {} : { permissionMode, allowDangerouslySkipPermissions: true }),
  };
  const { options, settings } = await withSettings(given, host);
  const directories = (options.additionalDirectories ?? []).map((folder) => path.resolve(cwd, folder));
  const context = await permissionContext(options, undefined, { host, cwd, directories }, settings);
  const told = (settings?.notices ?? []).map(({ message }) => message);
  return { decision: await decideUnder(context, call, cwd, host), told };
}

async function decideUnder(
  context: PermissionContext,
  question: PermissionQuestion,
  cwd: string,
  host: Host,
): Promise<PermissionDecision> {
  const tool = (await getTools()).find(({ name }) => name === currentToolName(question.tool));
  const subject = subjectOf(currentToolName(question.tool), question.input, cwd);
  const home = question.home ?? host.platform.homedir;
  const own = { ...host, platform: { ...host.platform, homedir: home } };
  const watch = { host: own, env: host.env, cwd, home: homeFolder(own), isGranted: question.trusted };
  const askKept = async (access: 'read' | 'write' | 'change') => keptFiles(context, null, access);
  const place = {
    host: own,
    cwd,
    env: { PATH: host.env['PATH'] },
    askKept,
    gitWatch: async () => createGitWatch(watch),
  };
  return decidePermission(context, {
    toolName: currentToolName(question.tool),
    readOnly: onlyReads(tool, question),
    subject: await resolveSubject(subject, place),
    ...(currentToolName(question.tool) === PLAN_TOOL ? { exitsPlan: true } : {}),
    ...(currentToolName(question.tool) === PLAN_FIRST_TOOL ? { entersPlan: true } : {}),
  });
}

function onlyReads(tool: AnyTool | undefined, { tool: name, input }: PermissionQuestion): boolean {
  return tool?.onlyReads?.(input as never) ?? tool?.readOnly ?? READ_ONLY.has(name);
}

function checkQuestion(question: unknown): asserts question is PermissionQuestion {
  if (!isRecord(question)) throw new ConfigError('A call is an object with tool and input.');
  const { tool, input, mode, rules, cwd, roots, home, trusted, sandbox } = question;
  checkFields(question);
  if (typeof tool !== 'string' || tool === '') throw new ConfigError('tool must name a tool, for example Bash.');
  if (!isRecord(input)) throw new ConfigError(`input must be the input of ${tool}, an object.`);
  if (mode !== undefined && !PERMISSION_MODES.includes(mode as PermissionMode))
    throw new ConfigError(`mode is ${JSON.stringify(mode)}. Modes: ${PERMISSION_MODES.join(', ')}.`);
  if (rules !== undefined && !isRecord(rules)) throw new ConfigError('rules is an object of lists: allow, deny, ask.');
  if (cwd !== undefined && typeof cwd !== 'string') throw new ConfigError('cwd must be a path.');
  if (home !== undefined && typeof home !== 'string') throw new ConfigError('home must be a path.');
  for (const [name, value] of Object.entries({ trusted, sandbox }))
    if (value !== undefined && typeof value !== 'boolean') throw new ConfigError(`${name} must be true or false.`);
  if (roots !== undefined && !isTextList(roots)) throw new ConfigError('roots must be a list of paths.');
  for (const [name, list] of Object.entries(rules ?? {})) {
    if (!['allow', 'deny', 'ask'].includes(name)) throw new ConfigError(`rules.${name}: write allow, deny or ask.`);
    if (!isTextList(list)) throw new ConfigError(`rules.${name} must be a list of rules.`);
  }
}

const FIELDS = ['tool', 'input', 'mode', 'rules', 'cwd', 'roots', 'home', 'trusted', 'sandbox'];
const OF_RULES = ['allow', 'deny', 'ask'];

/**
 * A field that is almost one of these, or one of the lists in `rules`, was meant: without it the answer would be another.
 * Others, such as an id, are the caller's own.
 */
function checkFields(question: Readonly<Record<string, unknown>>): void {
  for (const field of Object.keys(question)) {
    if (FIELDS.includes(field)) continue;
    if (OF_RULES.includes(field)) throw new ConfigError(`${field} stands in rules: {"rules":{"${field}":[…]}}.`);
    const near = FIELDS.find((known) => known !== field && isNear(known, field));
    if (near !== undefined) throw new ConfigError(`There is no field ${field}. Did you mean ${near}?`);
  }
}

function isNear(known: string, field: string): boolean {
  const [short = '', long = ''] = [known, field.toLowerCase()].sort((a, b) => a.length - b.length);
  return short.length >= 3 && long.startsWith(short) && long.length - short.length <= 2;
}

async function contextOf(
  { rules = {}, mode = 'default', roots = [], trusted, sandbox }: PermissionQuestion,
  cwd: string,
  home: string,
  host: Host,
): Promise<PermissionContext> {
  const folders = [cwd, ...roots.map((root) => path.resolve(cwd, root))];
  const real = await Promise.all(folders.map((folder) => host.fs.realpath(folder).catch(() => folder)));
  const parse = (list: readonly string[] = []): PermissionRule[] =>
    list.map((rule) => parseRule(rule, { origin: 'cliArg', base: cwd }));
  return {
    mode,
    deny: parse(rules.deny),
    ask: parse(rules.ask),
    allow: parse(rules.allow),
    roots: [...new Set([...folders, ...real])],
    home,
    ...(trusted === undefined ? {} : { isTrusted: trusted }),
    ...(sandbox === true ? { sandbox: { autoAllowBash: true, allowUnsandboxed: true, excluded: [] } } : {}),
  };
}

/** Fields in which the tools of this package and of other agents name the file they touch. */
const FILE_FIELDS = ['file_path', 'notebook_path', 'path'] as const;
const PLAN_TOOL = 'ExitPlanMode';
const PLAN_FIRST_TOOL = 'EnterPlanMode';
const READ_ONLY = new Set([
  'Read',
  'Grep',
  'Glob',
  'LS',
  'NotebookRead',
  'WebFetch',
  'WebSearch',
  'AskUserQuestion',
  'Skill',
  PLAN_TOOL,
  PLAN_FIRST_TOOL,
]);
const FILE_TOOLS = new Set([
  'Read',
  'Grep',
  'Glob',
  'LS',
  'NotebookRead',
  'Edit',
  'Write',
  'MultiEdit',
  'NotebookEdit',
]);

function subjectOf(tool: string, input: PermissionQuestion['input'], cwd: string): ToolSubject {
  const { command, url, dangerouslyDisableSandbox } = input;
  if (tool === 'Bash')
    return {
      kind: 'command',
      command: textOf(command, tool, 'command'),
      ...(dangerouslyDisableSandbox === true ? { unsandboxed: true } : {}),
    };
  if (tool === 'WebFetch') return { kind: 'url', url: textOf(url, tool, 'url') };
  if (tool === 'Agent') return nameSubject(input['subagent_type'] ?? input['agent']);
  if (tool === 'Skill') return skillSubject(input);
  if (tool === 'TaskOutput' && input['output'] !== undefined) return { kind: 'external' };
  if (FILE_TOOLS.has(tool)) {
    const field = FILE_FIELDS.find((name) => input[name] !== undefined);
    const isSearch = tool === 'Grep' || tool === 'Glob' || tool === 'LS';
    const file = field === undefined && isSearch ? '.' : textOf(input[field ?? 'file_path'], tool, 'file_path');
    // The pattern itself may lead out of the folder.
    if (tool === 'Glob' && typeof input['pattern'] === 'string')
      return { kind: 'path', path: planSearch({ pattern: input['pattern'], path: file }, cwd).root, access: 'read' };
    return { kind: 'path', path: path.resolve(cwd, file), access: READ_ONLY.has(tool) ? 'read' : 'write' };
  }
  return tool.startsWith('mcp__') || tool === 'WebSearch' ? { kind: 'external' } : { kind: 'none' };
}

function nameSubject(name: unknown): ToolSubject {
  return typeof name === 'string' ? { kind: 'name', name } : { kind: 'none' };
}

/** What it allows stands in its file, which is not looked at, so it counts as one that allows something. */
function skillSubject({ skill, name, command, args }: PermissionQuestion['input']): ToolSubject {
  const { kind, ...subject } = nameSubject(skill ?? name ?? command);
  if (kind !== 'name' || typeof args !== 'string' || args.trim() === '') return { kind, ...subject } as ToolSubject;
  return { kind: 'name', name: `${(subject as { name: string }).name} ${args.trim()}` };
}

function textOf(value: unknown, tool: string, field: string): string {
  if (typeof value === 'string') return value;
  throw new ConfigError(`The input of ${tool} needs ${field}, a text.`);
}

// What can be asked about without a session.

/** A call, and what holds for it. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Default `default`. */
  readonly mode?: PermissionMode;
  readonly rules?: Readonly<Partial<Record<PermissionBehavior, readonly string[]>>>;
  /** Working directory. Default: that of the host. */
  readonly cwd?: string;
  /** Folders of the workspace beside it. */
  readonly roots?: readonly string[];
  /** Default: that of the host. */
  readonly home?: string;
  /**
   * False: nobody vouches for the folder. True: the host does, for what its repository starts too. Default: true for its
   * settings; of its repository, what the user vouched for.
   */
  readonly trusted?: boolean;
  /** True: commands run in a sandbox, with its defaults. Default false. */
  readonly sandbox?: boolean;
}

// The rules of a folder's settings, looked over: those that cannot be used, those that are wide or never count, and whether
// their examples hold.

export interface RuleReport {
  readonly rules: number;
  readonly examples: readonly CheckedExample[];
  /** Rules that are understood, and probably not meant so. */
  readonly faults: readonly {
    readonly behavior: PermissionBehavior;
    readonly rule: string;
    readonly problem: string;
  }[];
  /** Rules that cannot be used. */
  readonly problems: readonly string[];
}

/** @throws ConfigError if the options are wrong */
export async function testRules(host: Host, cwd: string, options: SettingsOptions): Promise<RuleReport> {
  const opened = await findSettings(host, host.env, cwd, options).open();
  if (opened === null) return { rules: 0, examples: [], faults: [], problems: [] };
  const { rules, effective, notices } = opened;
  const examples = checkExamples(effective.entries, rules, { cwd, home: host.platform.homedir });
  return {
    rules: rules.allow.length + rules.deny.length + rules.ask.length,
    examples,
    faults: lintRules(rules).map(({ behavior, rule, problem }) => ({ behavior, rule: rule.source, problem })),
    problems: notices.filter(({ code }) => code === 'permission_rule_unusable').map(({ message }) => message),
  };
}
