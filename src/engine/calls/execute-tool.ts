// One tool call from block to result: found, validated, allowed, recorded, run. Nothing here throws: every ending is
// a result the model can read.
import type { Located } from '../../host/host.js';
import type { ToolResultBlock, ToolUseBlock } from '../../protocol/content.js';
import { ToolError } from '../../protocol/errors.js';
import type { JsonSchema } from '../../protocol/json.js';
import type { TerminalReason } from '../../protocol/messages.js';
import { currentToolName } from '../../protocol/tool-names.js';
import {
  type AnyTool,
  type CallProgress,
  calledName,
  type ToolContext,
  type ToolOutcome,
  type ToolSubject,
  toolNamed,
} from '../../tools/tool.js';
import { ABORTED, raceAbort } from '../../util/abort.js';
import { copyJson, isNestedDeeper, isRecord } from '../../util/json.js';
import { cutAtWord, errorText, shorten, tailAtWord } from '../../util/text.js';
import type {
  AgentOutcome,
  Credentials,
  Draft,
  GateAnswer,
  GateCall,
  SideEffect,
  ValidateJson,
} from '../state/index.js';
import { resolveCall } from '../subject/index.js';
import type { CallDeps, LiveDrafts } from './call-deps.js';
import { createNestedCalls } from './nested-calls.js';
import {
  callDeferred,
  callEnded,
  callFailed,
  callRefused,
  giveTyped,
  hideSecrets,
  interruptedAfterStart,
  notRun,
  notStarted,
  type ToolCallResult,
} from './tool-call-result.js';
import { afterTool, beforeTool, type ToolHookVerdict } from './tool-hooks.js';

/** A tool whose input was validated, so its methods may be called with it. */
type RunnableTool = {
  title(input: unknown): string;
  subject(input: unknown, cwd: string): ToolSubject;
  onlyReads?(input: unknown): boolean;
  confines?(input: unknown): boolean;
  standsFor?(input: unknown): { readonly name: string; readonly input: Input };
  run(input: unknown, context: ToolContext): Promise<ToolOutcome<unknown>>;
} & AnyTool;

type Input = Record<string, unknown>;

/** Of a tool that is told of with a call that went wrong, characters. */
const MAX_DESCRIPTION = 2_000;
/** Of a name that no tool has. */
const MAX_TOLD_NAME = 200;
/** Of a failure that no tool put into words, characters. */
const MAX_FAILURE = 2_000;

/**
 * Runs one call. `live` takes what subagents of the call have to show; if it is null, none can be started. `parent` is
 * the call that makes it, if the model does not.
 * Contract: never throws. The tool runs at most once, only after its input was validated and the call allowed; an
 * input changed by a hook or the gate is validated before it runs.
 */
export async function executeTool(
  call: ToolUseBlock,
  unusable: string | undefined,
  deps: CallDeps,
  live: LiveDrafts | null = null,
  parent?: string,
): Promise<ToolCallResult> {
  if (deps.activity === undefined) return executeHidden(call, unusable, deps, live);
  deps.activity.callBegan(call, parent);
  const result = await executeHidden(call, unusable, deps, live);
  deps.activity.callEnded(call.id, result);
  return result;
}

async function executeHidden(
  call: ToolUseBlock,
  unusable: string | undefined,
  deps: CallDeps,
  live: LiveDrafts | null,
): Promise<ToolCallResult> {
  const result = await execute(call, unusable, deps, live);
  if (deps.vault != null) return hideSecrets(result, deps.vault, deps.log);
  return deps.credentials === undefined ? result : withholdKeys(result, deps.credentials);
}

async function execute(
  asked: ToolUseBlock,
  unusable: string | undefined,
  deps: CallDeps,
  live: LiveDrafts | null,
): Promise<ToolCallResult> {
  const name = calledName(deps, asked.name);
  const call = name === asked.name ? asked : { ...asked, name };
  if (deps.signal.aborted) return notStarted(call);
  if (unusable !== undefined) return callFailed(call, unusable);
  const tool = toolNamed(deps.tools, call.name) as RunnableTool | undefined;
  if (tool === undefined) return callFailed(call, noSuchTool(call.name, deps));
  try {
    const problem = await inputProblem(call.input, tool, acceptedInput(tool), deps);
    if (problem !== null) return callFailed(call, problem);
    // What was meant for a folder is not done in another.
    const lost = (await deps.lostPlace?.()) ?? null;
    if (lost !== null) return callFailed(call, lost);
    if (tool.standsFor === undefined) return await gateAndRun(call, tool, deps, live);
    const meant = { ...call, ...tool.standsFor(call.input) };
    if (toolNamed(deps.tools, meant.name)?.standsFor !== undefined)
      return callFailed(call, noSuchTool(meant.name, deps));
    return await execute(meant, undefined, { ...deps, toolAliases: undefined }, live);
  } catch (error) {
    deps.log('tool_call_failed', { tool: call.name, error });
    return callFailed(call, `${call.name} could not be run: ${withoutMiddle(errorText(error))}`);
  }
}

/** A path of any length may be in it; what is wrong with it stands at the end. */
function withoutMiddle(text: string): string {
  if (text.length <= MAX_FAILURE) return text;
  return `${cutAtWord(text, MAX_FAILURE / 2)} … ${tailAtWord(text, MAX_FAILURE / 2)}`;
}

async function gateAndRun(
  call: ToolUseBlock,
  tool: RunnableTool,
  deps: CallDeps,
  live: LiveDrafts | null,
): Promise<ToolCallResult> {
  const verdict = await beforeTool(call, deps);
  if (verdict.ends !== null) return { ...notRun(call, verdict.reason), ends: verdict.ends };
  const { answer, located } = await decide(call, tool, verdict, deps);
  if (answer === ABORTED) return notStarted(call);
  if (typeof answer === 'string') return callFailed(call, answer);
  deps.activity?.callDecided(call.id, answer);
  if (answer.behavior === 'defer') {
    const { id, name } = call;
    // As a hook changed it, so that whoever decides sees what would run.
    const input = copyJson(verdict.updatedInput ?? (call.input as Input));
    await deps.deferCall?.({ id, name, input, reason: answer.reason });
    return callDeferred(call, answer.reason);
  }
  if (answer.behavior === 'deny') {
    await tellDenied(call, answer, deps);
    return callRefused(call, answer);
  }
  const { input, unsandboxed = false } = answer;
  const given = await inputToRun(call, tool, input, deps);
  const after = onlyReads(tool, input)
    ? null
    : await deps.beforeSideEffect(sideEffect(call, tool, input, located, deps));
  try {
    // From here on nothing is waited for until the tool runs.
    if (deps.signal.aborted) return notStarted(call);
    const result = await run(call, tool, { input: given, unsandboxed, located }, deps, live);
    return await afterTool(result, call, input, verdict, deps);
  } finally {
    // After the hooks: one that formats the file the call wrote works for the call.
    await after?.();
  }
}

/** Its own copy, with what the user typed in place of placeholders. */
async function inputToRun(call: ToolUseBlock, tool: RunnableTool, input: Input, deps: CallDeps): Promise<Input> {
  // What a tool does to its input must change neither the conversation nor what was decided on.
  const own = copyJson(input);
  if (deps.vault == null) return own;
  return giveTyped(own, tool, () => deps.toolContext(call.id, deps.signal).cwd, deps.vault);
}

function sideEffect(
  call: ToolUseBlock,
  tool: RunnableTool,
  input: Input,
  located: Located | null,
  deps: CallDeps,
): SideEffect {
  return {
    located,
    toolName: tool.name,
    toolUseId: call.id,
    subject: () => tool.subject(copyJson(input), deps.toolContext(call.id, deps.signal).cwd),
  };
}

interface Decided {
  readonly answer: GateAnswer | typeof ABORTED | string;
  /** What it holds for. */
  readonly located: Located | null;
}

/** Asks the gate about the input that would run. The text of a problem if a changed input is not valid. */
async function decide(
  call: ToolUseBlock,
  tool: RunnableTool,
  verdict: ToolHookVerdict,
  deps: CallDeps,
): Promise<Decided> {
  const input = verdict.updatedInput ?? (call.input as Input);
  if (verdict.updatedInput !== null) {
    const problem = await inputProblem(input, tool, approvedInput(tool), deps);
    if (problem !== null) return { answer: `The input as changed by a hook was refused. ${problem}`, located: null };
  }
  const { gated, located } = await gateCall(call, tool, input, verdict, deps);
  const answer = await raceAbort(deps.decidePermission(gated), deps.signal);
  if (answer === ABORTED || answer.behavior === 'defer') return { answer, located };
  const { behavior, classification } = answer;
  if (classification !== undefined)
    deps.log('permission_answered', { tool: tool.name, id: call.id, behavior, classification });
  if (answer.behavior !== 'allow' || answer.input === input) return { answer, located };
  const problem = await inputProblem(answer.input, tool, approvedInput(tool), deps);
  if (problem !== null) return { answer: `The changed input was refused. ${problem}`, located };
  const changed = await gateCall(call, tool, answer.input, verdict, deps);
  return {
    answer: await deps.decideChanged(changed.gated, answer.approvedBy ?? 'host'),
    located: changed.located,
  };
}

async function gateCall(
  call: ToolUseBlock,
  tool: RunnableTool,
  input: Input,
  verdict: ToolHookVerdict,
  deps: CallDeps,
): Promise<{ readonly gated: GateCall; readonly located: Located | null }> {
  const { cwd, folder = cwd, childEnv, hiddenFiles } = deps.toolContext(call.id, deps.signal);
  const own = copyJson(input);
  const askKept =
    hiddenFiles === undefined ? {} : { askKept: (access: 'read' | 'write' | 'change') => hiddenFiles(null, access) };
  const place = { host: deps.host, cwd, folder, env: childEnv, ...askKept, ...gitWatchOf(deps) };
  const { subject, located } = await resolveCall(tool.subject(own, cwd), place);
  const gated: GateCall = {
    toolName: tool.name,
    toolUseId: call.id,
    readOnly: onlyReads(tool, own),
    subject,
    input,
    title: tool.title(own),
    // What a hook changed it has answered.
    asksUser: tool.asksUser === true && verdict.updatedInput === null,
    ...(tool.confines?.(own) === true ? { confines: true } : {}),
    ...(tool.exitsPlan === true ? { exitsPlan: true } : {}),
    ...(tool.entersPlan === true ? { entersPlan: true } : {}),
    ...mustAsk(tool),
    hook: verdict.permission,
    signal: deps.signal,
  };
  return { gated, located };
}

function mustAsk(tool: RunnableTool): Pick<GateCall, 'mustAsk'> {
  const why = tool.mustAsk?.() ?? null;
  return why === null ? {} : { mustAsk: why };
}

function onlyReads(tool: RunnableTool, input: unknown): boolean {
  return tool.onlyReads?.(input) ?? tool.readOnly;
}

function gitWatchOf({ gitWatch }: CallDeps) {
  return gitWatch === undefined ? {} : { gitWatch };
}

async function run(
  call: ToolUseBlock,
  tool: RunnableTool,
  allowed: { readonly input: Input; readonly unsandboxed: boolean; readonly located: Located | null },
  deps: CallDeps,
  live: LiveDrafts | null,
): Promise<ToolCallResult> {
  deps.log('tool_call', { tool: tool.name, id: call.id });
  const startedAt = deps.host.clock.monotonic();
  let ends: TerminalReason | null = null;
  const inSession = contextOf(call, tool, deps, live, (outcome) => {
    ends ??= outcome.ends;
  });
  const { unsandboxed, located } = allowed;
  const nested =
    tool.callsTools === true
      ? createNestedCalls(
          call,
          deps,
          live,
          (one, own) => executeTool(one, undefined, own, live, call.id),
          (reason) => {
            ends ??= reason;
          },
        )
      : null;
  const context: ToolContext = {
    ...inSession,
    ...(nested === null ? {} : { callTool: nested.call }),
    ...(unsandboxed ? { runUnsandboxed: true } : {}),
    ...(located === null ? {} : { located }),
  };
  const progress = tellProgress(call, deps);
  const told = { ...context, tellProgress: progress.hear, onProgress: progress.print };
  const result = await runToEnd(call, tool, allowed.input, told, deps).finally(progress.end);
  await nested?.close();
  return { ...result, ran: true, durationMs: deps.host.clock.monotonic() - startedAt, ends };
}

function contextOf(
  call: ToolUseBlock,
  tool: AnyTool,
  deps: CallDeps,
  live: LiveDrafts | null,
  onAgentEnd: (outcome: AgentOutcome) => void,
): ToolContext {
  const { spawnAgent, approveTools, startHooks, askModel, signal } = deps;
  const plain = deps.toolContext(call.id, signal);
  const context: ToolContext = {
    ...plain,
    ...(tool.approvesTools !== true || approveTools === undefined ? {} : { approveTools }),
    ...(tool.approvesTools !== true || startHooks === undefined ? {} : { startHooks }),
    ...(tool.asksModel !== true || askModel === undefined ? {} : { askModel: (asked) => askModel(asked, signal) }),
  };
  if (spawnAgent === undefined || live === null || tool.spawnsAgents !== true) return context;
  return {
    ...context,
    async spawnAgent(request) {
      const outcome = await drain(spawnAgent(request, { toolUseId: call.id, signal: deps.signal }), live);
      onAgentEnd(outcome);
      return outcome.report;
    },
  };
}

async function drain(agent: AsyncGenerator<Draft, AgentOutcome>, live: LiveDrafts): Promise<AgentOutcome> {
  for (;;) {
    const step = await agent.next();
    if (step.done) return step.value;
    await live.show(step.value);
  }
}

async function runToEnd(
  call: ToolUseBlock,
  tool: RunnableTool,
  input: Input,
  context: ToolContext,
  deps: CallDeps,
): Promise<ToolCallResult> {
  try {
    const work = tool.run(input, context);
    const outcome = await raceAbort(work, deps.signal);
    if (outcome === ABORTED) {
      // A tool that stops at the abort still tells what it had done by then.
      const rest = await settleWithin(work, deps.interruptGraceMs, deps);
      if (rest !== null && !(rest instanceof Error)) return ranToEnd(call, rest);
      return interruptedAfterStart(call, rest?.message, rest instanceof ToolError ? rest.data : undefined);
    }
    return ranToEnd(call, outcome);
  } catch (error) {
    const data = error instanceof ToolError ? error.data : undefined;
    if (deps.signal.aborted) return interruptedAfterStart(call, errorText(error), data);
    if (error instanceof ToolError) return callFailed(call, error.message, data);
    deps.log('tool_threw', { tool: call.name, error });
    return callFailed(call, `${call.name} failed unexpectedly: ${errorText(error)}`);
  }
}

function ranToEnd(call: ToolUseBlock, returned: unknown): ToolCallResult {
  const outcome = readOutcome(returned);
  if (outcome === null) return callFailed(call, noOutcome(call.name));
  const isError = outcome.isError ?? false;
  return { ...callEnded(call, outcome.model, isError, isError ? 'failed' : 'completed'), data: outcome.data };
}

/** What `work` ends with, well or not; null if it does not end in time. */
async function settleWithin<T>(work: Promise<T>, ms: number, deps: CallDeps): Promise<T | Error | null> {
  let cancel: () => void = () => undefined;
  const timeout = new Promise<null>((resolve) => {
    cancel = deps.host.clock.after(ms, () => resolve(null));
  });
  const settled = work.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  const first = await Promise.race([settled, timeout]);
  cancel();
  return first;
}

function acceptedInput(tool: AnyTool): JsonSchema {
  return tool.acceptedInput ?? tool.inputSchema;
}

function approvedInput(tool: AnyTool): JsonSchema {
  return tool.approvedInput ?? acceptedInput(tool);
}

async function inputProblem(input: unknown, tool: AnyTool, schema: JsonSchema, deps: CallDeps): Promise<string | null> {
  const problems = await deps.validateJson(input, schema);
  if (problems.length === 0) return null;
  const text = await describeProblems(input, tool, schema, problems, deps.validateJson);
  return deps.isUndefined?.(tool.name) === true ? `${text}\n${definitionText(tool)}` : text;
}

/** For a model that called a tool by its name alone, whose definition it did not have. */
function definitionText({ description, inputSchema }: AnyTool): string {
  const about = description.length > MAX_DESCRIPTION ? `${cutAtWord(description, MAX_DESCRIPTION)}…` : description;
  return `It was not loaded when you called it; from now on it is. What it does: ${about}\nIts input: ${JSON.stringify(inputSchema)}`;
}

function noSuchTool(name: string, deps: CallDeps): string {
  const defined = deps.tools.filter((tool) => deps.isUndefined?.(tool.name) !== true);
  const left = deps.tools.length - defined.length;
  const finder = toolNamed(deps.tools, 'ToolSearch') === undefined ? 'a script can call' : 'ToolSearch finds';
  const more = left === 0 ? '' : `, and ${left} more that ${finder}`;
  const names = defined.map((tool) => tool.name).join(', ') + more;
  // A model may leave the name out, whatever the type says.
  const what =
    typeof name === 'string' && name !== ''
      ? `There is no tool ${shorten(name, MAX_TOLD_NAME)}.`
      : 'The call names no tool.';
  const current = typeof name === 'string' ? currentToolName(name) : name;
  if (current !== name && toolNamed(deps.tools, current) !== undefined) return `${what} Here it is called ${current}.`;
  return `${what} ${names === '' ? 'No tools are available.' : `Available: ${names}.`}`;
}

async function tellDenied(
  call: ToolUseBlock,
  answer: Extract<GateAnswer, { behavior: 'deny' }>,
  deps: CallDeps,
): Promise<void> {
  if (!deps.hooks.has('PermissionDenied')) return;
  const { reason } = answer;
  // Published SDKs differ in what they call the reason.
  const fields = { tool_name: call.name, tool_input: call.input, tool_use_id: call.id, reason, denial_reason: reason };
  await deps.hooks.run('PermissionDenied', fields, call.id);
}

// What a tool of the host's own returned, as an outcome: nobody has checked its type.

/**
 * Null if there is nothing that a model could be shown. A text alone is taken for what the model reads.
 * Contract: blocks are read here, once, and kept as they were then. Throws what reading them throws.
 */
function readOutcome(returned: unknown): ToolOutcome<unknown> | null {
  if (typeof returned === 'string') return { model: returned, data: returned };
  if (typeof returned !== 'object' || returned === null) return null;
  const outcome = returned as ToolOutcome<unknown>;
  const { model } = outcome;
  if (!Array.isArray(model)) return typeof model === 'string' ? outcome : null;
  if (model.length === 0) return { ...outcome, model: '' };
  // What is nested too deep is cut before each request.
  return isNestedDeeper(model) ? outcome : { ...outcome, model: copyJson(model) };
}

/** Told to the model in place of a result, so that whoever wrote the tool hears of it. */
function noOutcome(name: string): string {
  return `${name} ran, but returned no result, so what it did is unknown. Its run() must return { model, data }, where model is a text or a list of content blocks.`;
}

// Takes the credentials of the session out of what a tool gives back: the model that reads it may be served by somebody
// else than the one they belong to. Rule: only values that are known; what they look like is not guessed here.

/** What a call gives back: to the model, and to the caller. */
interface CallOutput {
  readonly block: ToolResultBlock;
  readonly data: unknown;
}

/** A shorter value could not be told from ordinary text. Characters. */
const SHORTEST = 8;

/** The very same result if there is none in it. */
function withholdKeys<Result extends CallOutput>(result: Result, credentials: Credentials): Result {
  const keys = keysOf(credentials).filter(([value]) => holds(result.block.content, value));
  if (keys.length === 0) return result;
  const clean = (text: string) =>
    keys.reduce((rest, [value, kind]) => rest.replaceAll(value, `[withheld: ${kind}]`), text);
  return {
    ...result,
    block: mapTexts(result.block, clean) as ToolResultBlock,
    data: mapTexts(result.data, clean),
  };
}

/** Each with the words that name it, the longest first: one may be a part of another. */
function keysOf({ env, secrets: { values, variables } }: Credentials): readonly (readonly [string, string])[] {
  const keys = new Map(values);
  for (const name of variables) {
    const value = env[name];
    if (value !== undefined && value.length >= SHORTEST && !keys.has(value)) keys.set(value, `value of ${name}`);
  }
  return [...keys].sort(([a], [b]) => b.length - a.length);
}

function holds(content: ToolResultBlock['content'], value: string): boolean {
  if (typeof content === 'string') return content.includes(value);
  return content?.some((block) => block.type === 'text' && block.text.includes(value)) ?? false;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}

// A call that runs for long says so every second; what it prints and how far it is are told sooner, within reason. One
// rule: a call that is done by then tells nothing.

export const TOOL_PROGRESS_MS = 1_000;
/** Characters of what it printed since. */
const MAX_OUTPUT = 4_000;
/** A tool may say how far it is as often as it likes. */
const SHORTEST_MS = 250;
/** And print as often: from the start of the call, and between two times. */
const PRINTED_MS = 500;
const MAX_MESSAGE = 200;

interface ToldProgress {
  /** Takes what the tool says of how far it is. */
  hear(progress: CallProgress): void;
  /** Takes what the tool prints; it is told soon. */
  print(text: string): void;
  end(): void;
}

/** Tells of the call from now on. */
function tellProgress(call: ToolUseBlock, { host, tell }: Pick<CallDeps, 'host' | 'tell'>): ToldProgress {
  if (tell === undefined) return { hear: () => undefined, print: () => undefined, end: () => undefined };
  const { clock } = host;
  const startedAt = clock.monotonic();
  let cancel: () => void = () => undefined;
  let cancelHeard: (() => void) | null = null;
  let toldAt = Number.NEGATIVE_INFINITY;
  let heard: CallProgress | null = null;
  let isOver = false;
  let printed = '';
  let isNews = false;
  const say = (): void => {
    toldAt = clock.monotonic();
    const elapsed = Math.round((toldAt - startedAt) / 100) / 10;
    tell({
      type: 'tool_progress',
      tool_use_id: call.id,
      tool_name: call.name,
      elapsed_time_seconds: elapsed,
      ...(heard ?? {}),
      ...(printed === '' ? {} : { output: printed }),
      ...(isNews ? {} : { heartbeat: true }),
    });
    printed = '';
    isNews = false;
  };
  const next = (): void => {
    cancel();
    cancel = clock.after(TOOL_PROGRESS_MS, () => {
      say();
      next();
    });
  };
  next();
  /** At that time, or at once if it has passed. */
  const sayFrom = (time: number): void => {
    if (cancelHeard !== null) return;
    const sayHeard = () => {
      cancelHeard = null;
      say();
      next();
    };
    const wait = time - clock.monotonic();
    if (wait <= 0) sayHeard();
    else cancelHeard = clock.after(wait, sayHeard);
  };
  return {
    hear({ progress, total, message }) {
      if (isOver) return;
      isNews = true;
      heard = {
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message: shorten(message, MAX_MESSAGE) }),
      };
      sayFrom(toldAt + SHORTEST_MS);
    },
    print(text) {
      if (isOver) return;
      isNews = true;
      printed = (printed + text).slice(-MAX_OUTPUT);
      sayFrom(Math.max(startedAt, toldAt) + PRINTED_MS);
    },
    end() {
      isOver = true;
      cancel();
      cancelHeard?.();
    },
  };
}

// What is wrong with the input of a call, for the model: one reading must be enough to send the next call right. Loaded
// if an input is refused.

/** More lines say no more. */
const MAX_PROBLEMS = 8;

/** @param problems what `validate` says of `input` by `schema`; at least one */
export async function describeProblems(
  input: unknown,
  { name, inputSchema, otherFields = {} }: Pick<AnyTool, 'name' | 'inputSchema' | 'otherFields'>,
  schema: JsonSchema,
  problems: readonly string[],
  validate: ValidateJson,
): Promise<string> {
  const given = Object.entries(isRecord(input) ? input : {});
  const known = given.filter(([field]) => Object.hasOwn(otherFields, field));
  const left = Object.fromEntries(given.filter(([field]) => !Object.hasOwn(otherFields, field)));
  const others = known.length === 0 ? problems : await validate(left, schema);
  const lines = [
    ...known.map(([field]) => `there is no field "${field}" here: ${otherFields[field]}`),
    ...others.map((problem) => problem.replace(/\.$/, '')),
  ];
  const text = `The input of ${name} is not valid, so nothing ran: ${lines.slice(0, MAX_PROBLEMS).join('; ')}.`;
  const fields = Object.keys(isRecord(inputSchema['properties']) ? inputSchema['properties'] : {});
  const isStrange = Object.keys(left).some((field) => !fields.includes(field));
  return isStrange && fields.length > 0 ? `${text} Fields of ${name}: ${fields.join(', ')}.` : text;
}
