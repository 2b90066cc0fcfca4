// Reads the command line into one record. Only reads: it touches no file and starts nothing. Whatever cannot be used
// is a ConfigError of one line that says what to write instead.
import { ConfigError } from '../../protocol/errors.js';
import type { SystemPromptOption, ThinkingConfig } from '../../protocol/options.js';
import { nearestWord } from '../../util/text.js';
import { FLAGS, type Flag, type FlagDraft, type FlagOptions, type OutputFormatName } from './flags.js';

/** What a command line asks for. */
export interface CliArgs {
  readonly action: 'run' | 'help' | 'version';
  /** One prompt, then leave: `-p`, a prompt on the command line, or an output format for programs. */
  readonly print: boolean;
  /** Somebody said so: `-p`, or an output format for programs. */
  readonly saysPrint: boolean;
  /** The first word that is no flag, if it may be meant as a command; undefined if it is a prompt, or behind `--`. */
  readonly commandWord: string | undefined;
  /** The words that are no flag, joined by spaces; undefined if there were none. */
  readonly prompt: string | undefined;
  readonly outputFormat: OutputFormatName;
  /** The protocol for programs, if stdin carries it; null for a prompt of plain text. */
  readonly wire: WireFlags | null;
  readonly verbose: boolean;
  /** Lines, and never a screen that is drawn again. */
  readonly isPlain: boolean;
  /** Lines that are made to be read aloud. */
  readonly isForScreenReader: boolean;
  /** As written; not yet resolved. */
  readonly debugFile: string | undefined;
  /** A line about each message goes to stderr. */
  readonly debug: boolean;
  /** Of `--system-prompt-file`, as written; its text goes where that of `--system-prompt` would. */
  readonly systemPromptFile: string | undefined;
  /** Of `--append-system-prompt`, beside such a file. */
  readonly appendSystemPrompt: string | undefined;
  /** An earlier session is wanted, and nobody said which. */
  readonly choosesSession: boolean;
  /** Of `--mcp-config`, as written. */
  readonly mcpConfigs: readonly string[];
  /** Paths in it are as written; `resolveFolders` makes them absolute. */
  readonly options: FlagOptions;
}

/**
 * Parses the words after the program's name.
 * Contract: flags may stand anywhere before `--`; `--flag value` and `--flag=value` mean the same, in kebab-case or
 * camelCase; of a repeated flag the last counts, lists add up.
 * @throws ConfigError for an unknown flag, a missing or wrong value, or flags that exclude each other
 */
export function parseArgs(argv: readonly string[]): CliArgs {
  const draft: FlagDraft = {
    action: 'run',
    print: false,
    outputFormat: 'text',
    inputFormat: 'text',
    awaitsInitialize: false,
    mirrors: false,
    asksClient: false,
    verbose: false,
    isPlain: false,
    isForScreenReader: false,
    skipPermissions: false,
    choosesSession: false,
    trust: false,
    mcpConfigs: [],
    options: {},
  };
  const unknown: string[] | null = speaksWire(argv) ? [] : null;
  const { words, literal } = readTokens(argv, draft, unknown);
  if (draft.action === 'run') checkTogether(draft);
  applyDerived(draft);
  const { inputFormat, awaitsInitialize, asksClient, mirrors } = draft;
  const wire = inputFormat === 'text' ? null : { awaitsInitialize, asksClient, mirrors, unknownFlags: unknown ?? [] };
  return {
    action: draft.action,
    print: draft.print || words.length > 0 || draft.outputFormat !== 'text',
    saysPrint: draft.print || draft.outputFormat !== 'text',
    commandWord:
      wire !== null || draft.print || literal === words.length ? undefined : words.slice(0, 1).find(looksLikeCommand),
    prompt: words.length === 0 ? undefined : words.join(' '),
    outputFormat: draft.outputFormat,
    wire,
    verbose: draft.verbose,
    isPlain: draft.isPlain,
    isForScreenReader: draft.isForScreenReader,
    debugFile: draft.debugFile,
    debug: draft.debug ?? false,
    systemPromptFile: draft.systemPromptFile,
    appendSystemPrompt: draft.appendSystemPrompt,
    choosesSession: draft.choosesSession,
    mcpConfigs: draft.mcpConfigs,
    options: draft.options,
  };
}

/** One word, and no sentence, question or path. */
function looksLikeCommand(word: string): boolean {
  return /^\p{L}[\p{L}\p{N}_:-]*$/u.test(word);
}

interface Words {
  readonly words: readonly string[];
  /** So many of them, at the end, stand behind `--`. */
  readonly literal: number;
}

/** Applies each flag to the draft and returns the words that are none. */
function readTokens(argv: readonly string[], draft: FlagDraft, unknown: string[] | null): Words {
  const words: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const token = argv[index] ?? '';
    if (token === '--') {
      const rest = argv.slice(index + 1);
      return { words: [...words, ...rest], literal: rest.length };
    }
    if (isShortGroup(token)) {
      for (const letter of token.slice(1)) findShort(letter, token).apply(draft, '', `-${letter}`);
      continue;
    }
    if (!looksLikeFlag(token)) {
      words.push(token);
      continue;
    }
    const next = argv[index + 1];
    if (unknown !== null && isUnknown(token)) {
      unknown.push(token.split('=', 1)[0] ?? token);
      // Whatever is no flag is its value: such a command line has no other words.
      if (!token.includes('=') && next !== undefined && !looksLikeFlag(next)) index++;
      continue;
    }
    const { flag, typed, value } = readFlag(token);
    if (value !== undefined) {
      if (flag.takes === 'nothing' && !(unknown !== null && value === ''))
        throw new ConfigError(`${typed} takes no value.`);
      if (flag.takes === 'optional' && value === '') throw missingValue(typed, undefined);
      flag.apply(draft, value, typed);
      continue;
    }
    const hasValue = flag.takes !== 'nothing' && next !== undefined && !looksLikeFlag(next) && next !== '--';
    if (flag.takes === 'value' && !hasValue) throw missingValue(typed, next);
    // An empty variable in a script must not silently become the newest session.
    if (flag.takes === 'optional' && next === '') throw missingValue(typed, undefined);
    flag.apply(draft, hasValue ? next : '', typed);
    // Programs give a switch an empty value; in their protocol an empty word is nothing else.
    if (hasValue || (unknown !== null && next === '')) index++;
  }
  return { words, literal: 0 };
}

/** A program that speaks the protocol may be newer than this command line: flags it does not know are passed over. */
function speaksWire(argv: readonly string[]): boolean {
  const at = argv.findIndex((token) => /^--input-?format(=|$)/i.test(token));
  return at !== -1 && (argv[at]?.split('=')[1] ?? argv[at + 1]) === 'stream-json';
}

function isUnknown(token: string): boolean {
  return (
    token.startsWith('--') && !FLAGS.some(({ name }) => name === toKebabCase(token.slice(2).split('=', 1)[0] ?? ''))
  );
}

/** `--word…` or `-x`. A lone dash, a negative number and a list item ("- be brief") are values. */
function looksLikeFlag(token: string): boolean {
  return /^--[A-Za-z]/.test(token) || /^-[A-Za-z](=|$)/.test(token) || isShortGroup(token);
}

/** `-pc`: several short flags that take no value. */
function isShortGroup(token: string): boolean {
  return /^-[a-z]{2,4}$/.test(token) && [...token.slice(1)].every((letter) => shortFlag(letter)?.takes === 'nothing');
}

function shortFlag(letter: string): Flag | undefined {
  return FLAGS.find((flag) => flag.short === letter);
}

function findShort(letter: string, token: string): Flag {
  const flag = shortFlag(letter);
  if (flag === undefined) throw unknownFlag(token);
  return flag;
}

function readFlag(token: string): { flag: Flag; typed: string; value: string | undefined } {
  const equals = token.indexOf('=');
  const typed = equals === -1 ? token : token.slice(0, equals);
  const value = equals === -1 ? undefined : token.slice(equals + 1);
  if (!typed.startsWith('--')) return { flag: findShort(typed.slice(1), typed), typed, value };
  const name = toKebabCase(typed.slice(2));
  const flag = FLAGS.find((candidate) => candidate.name === name);
  if (flag === undefined) throw unknownFlag(typed);
  return { flag, typed, value };
}

export function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`);
}

function unknownFlag(typed: string): ConfigError {
  const name = toKebabCase(typed.replace(/^-+/, '')).slice(0, 60);
  const near = nearestWord(
    name,
    FLAGS.map((flag) => flag.name),
  );
  const shown = typed.length > 60 ? `${typed.slice(0, 59)}…` : typed;
  const advice = near === undefined ? '"turnwright --help" lists the flags.' : `Did you mean --${near}?`;
  return new ConfigError(`unknown flag ${shown}. ${advice}`);
}

function missingValue(typed: string, next: string | undefined): ConfigError {
  if (next === undefined || next === '--') return new ConfigError(`${typed} needs a value.`);
  return new ConfigError(`${typed} needs a value; if it begins with dashes, write ${typed}=${next}`);
}

function checkTogether({ options, skipPermissions, trust, systemPrompt, systemPromptFile }: FlagDraft): void {
  if (systemPrompt !== undefined && systemPromptFile !== undefined)
    throw new ConfigError('--system-prompt and --system-prompt-file both say what the system prompt is. Give one.');
  const mode = options.permissionMode;
  if (
    (mode === 'bypassPermissions' || mode === 'yolo') &&
    !options.allowDangerouslySkipPermissions &&
    !skipPermissions
  ) {
    throw new ConfigError(
      `--permission-mode ${mode} runs every tool unasked; add --allow-dangerously-skip-permissions.`,
    );
  }
  if (options.autoMode !== undefined && mode !== undefined && mode !== 'auto')
    throw new ConfigError(`--judge is asked in mode auto only, not in ${mode}. Leave one of them out.`);
  checkSession(options);
  if (trust && options.settingSources?.every((source) => source === 'user')) {
    throw new ConfigError('--trust is about settings of the folder, and --setting-sources leaves them out.');
  }
}

function checkSession({ continue: isContinued, resume, sessionId, forkSession, ...cut }: FlagDraft['options']): void {
  const earlier = [isContinued && '--continue', resume && '--resume'].filter((name) => typeof name === 'string');
  // A fork goes on from one session and has the id of another.
  const named = sessionId === undefined || forkSession ? earlier : [...earlier, '--session-id'];
  if (named.length > 1) throw new ConfigError(`${named.join(' and ')} name different sessions; give one of them.`);
  const { resumeSessionAt, resumeDropsTurn } = cut;
  const lonely = forkSession ? '--fork-session' : resumeSessionAt === undefined ? null : '--resume-session-at';
  if (lonely !== null && earlier.length === 0) {
    throw new ConfigError(`${lonely} needs --resume or --continue: it says what to do with an earlier session.`);
  }
  if (resumeDropsTurn !== undefined && resumeSessionAt === undefined) {
    throw new ConfigError('--resume-drops-turn needs --resume-session-at: it says what that one cuts off.');
  }
}

/** What follows from several flags together. */
function applyDerived(draft: FlagDraft): void {
  const { options, systemPrompt, appendSystemPrompt } = draft;
  if (draft.skipPermissions && options.permissionMode === undefined) options.permissionMode = 'bypassPermissions';
  if (options.autoMode !== undefined) options.permissionMode ??= 'auto';
  if (draft.trust) options.settingSources ??= ['user', 'project', 'local'];
  const thinking = thinkingOf(draft);
  if (thinking !== undefined) options.thinking = thinking;
  const prompt = systemPromptOf(systemPrompt, appendSystemPrompt);
  if (prompt !== undefined) options.systemPrompt = prompt;
}

/** A budget alone stays the option that it is; with a display it is told together with that. */
function thinkingOf({ thinking, thinkingDisplay, options }: FlagDraft): ThinkingConfig | undefined {
  const { maxThinkingTokens: tokens } = options;
  if (thinking === 'disabled') return { type: thinking };
  if (thinking === undefined && thinkingDisplay === undefined) return undefined;
  const display = thinkingDisplay === undefined ? {} : { display: thinkingDisplay };
  if (thinking === 'adaptive' || (thinking === undefined && tokens === undefined))
    return { type: 'adaptive', ...display };
  if (thinking === undefined && tokens === 0) return { type: 'disabled' };
  return { type: 'enabled', ...(tokens === undefined || tokens === 0 ? {} : { budgetTokens: tokens }), ...display };
}

function systemPromptOf(whole: string | undefined, append: string | undefined): SystemPromptOption | undefined {
  if (whole !== undefined) return append === undefined ? whole : [whole, append];
  return append === undefined ? undefined : { type: 'preset', preset: 'turnwright', append };
}

/** What the command line asks for beside options of a session. */
export interface WireFlags {
  /** `--await-initialize`: nothing starts before the client has said what it wants. */
  readonly awaitsInitialize: boolean;
  /** `--permission-prompt-tool stdio`: the client is asked about calls. */
  readonly asksClient: boolean;
  /** `--session-mirror`: the client gets what is written to the transcript. */
  readonly mirrors: boolean;
  /** Flags that this command line does not know, as a newer client may send them. */
  readonly unknownFlags: readonly string[];
}
