// Runs one script in QuickJS: a machine of its own, compiled to WebAssembly, that has no timers, no files, no network and no
// modules. One rule: it ends, whatever the script does, by itself or at a limit.
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { ScriptAnswer, ScriptEnd, ScriptError, ScriptWork } from './run-script.js';

export interface ScriptMachine {
  /** Runs until nothing is left to do without an answer. Null: it waits for one. */
  begin(): ScriptEnd | null;
  /** As `begin`, with an answer to a call. */
  answer(answer: ScriptAnswer): ScriptEnd | null;
  readonly runMs: number;
}

/** Deeper recursion ends with an error of the script. */
const STACK_BYTES = 512 * 1024;
/** Jobs after which the time is looked at. */
const JOBS = 256;
/** Of one input of a call, characters. */
const MAX_INPUT = 4_000_000;
const MAX_ERROR = 4_000;
const NAME = 'script.js';

/** @param call takes a call of the script, whose answer is given later */
export async function openMachine(
  { code, tools, limits }: ScriptWork,
  wasm: ArrayBuffer,
  call: (id: number, name: string, input: string) => void,
): Promise<ScriptMachine> {
  const module = await newQuickJSWASMModuleFromVariant(
    newVariant(variant as unknown as QuickJSSyncVariant, { wasmBinary: wasm }),
  );
  const runtime = module.newRuntime();
  runtime.setMemoryLimit(limits.memoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  const clock = watchTime(runtime, limits.runMs);
  const context = runtime.newContext();
  const output = createOutput(limits.outputBytes);
  let calls = 0;
  let openCalls = 0;
  const send = context.newFunction('send', (name, input) => {
    calls += 1;
    openCalls += 1;
    call(calls, context.getString(name), context.getString(input));
    return context.newNumber(calls);
  });
  const print = context.newFunction('print', (text) => {
    output.add(context.getString(text));
  });
  const own = prepare(context, tools, send, print);
  let main: QuickJSHandle | null = null;
  let ended: ScriptEnd | null = null;

  const end = (value: string | null, error: ScriptError | null): ScriptEnd => {
    ended = { ...output.all(), value, error, runMs: clock.runMs };
    return ended;
  };
  const limit = (): ScriptError | null => {
    if (clock.isOver()) return { kind: 'time', message: `It ran for more than ${limits.runMs / 1_000} s.` };
    if (output.isFlooded())
      return { kind: 'output', message: 'It printed far more than is kept, and was stopped. Print a summary.' };
    return null;
  };
  const asError = (handle: QuickJSHandle): ScriptError => limit() ?? describe(context, handle, limits.memoryBytes);

  /** Runs what became possible. */
  const settle = (): ScriptEnd | null => {
    for (;;) {
      const done = runtime.executePendingJobs(JOBS);
      const stopped = limit();
      if (stopped !== null) return end(null, stopped);
      if (done.error !== undefined) return end(null, done.error.consume(asError));
      if (done.value === 0) break;
    }
    if (main === null) return end(null, null);
    const state = context.getPromiseState(main);
    if (state.type === 'rejected') return openCalls > 0 ? null : end(null, state.error.consume(asError));
    if (state.type === 'fulfilled') return openCalls > 0 ? null : state.value.consume(finish);
    if (openCalls > 0) return null;
    return end(null, { kind: 'stuck', message: 'It waits for a promise that nothing will settle.' });
  };
  const finish = (value: QuickJSHandle): ScriptEnd => {
    const shown = context.callFunction(own.show, context.undefined, value);
    const stopped = limit();
    if (stopped !== null) return end(null, stopped);
    if (shown.error !== undefined) return end(null, shown.error.consume(asError));
    return shown.value.consume((handle) => {
      if (context.typeof(handle) !== 'string') return end(null, null);
      const length = context.getProp(handle, 'length').consume((size) => context.getNumber(size));
      if (length > limits.outputBytes)
        return end(null, {
          kind: 'output',
          message: `Its value has ${length} characters, and ${limits.outputBytes} may be returned. Return a summary.`,
        });
      return end(context.getString(handle), null);
    });
  };
  const guarded = (run: () => ScriptEnd | null): ScriptEnd | null => {
    if (ended !== null) return ended;
    clock.start();
    try {
      return run();
    } catch (error) {
      // The machine itself: it ran out of its memory at a place where it cannot say so.
      const message = error instanceof Error ? error.message : String(error);
      return end(null, limit() ?? { kind: 'crashed', message: message.slice(0, MAX_ERROR) });
    } finally {
      clock.stop();
    }
  };

  return {
    get runMs() {
      return clock.runMs;
    },
    begin: () =>
      guarded(() => {
        const begun = context.evalCode(`(async () => { ${code}\n})()`, NAME, { strict: false });
        if (begun.error !== undefined) return end(null, begun.error.consume(asSyntax(asError)));
        main = begun.value;
        return settle();
      }),
    answer: ({ id, ok, text, name = 'Error' }) =>
      guarded(() => {
        openCalls -= 1;
        const values = [
          context.newNumber(id),
          ok ? context.true : context.false,
          context.newString(text),
          context.newString(name),
        ];
        const settled = context.callFunction(own.settle, context.undefined, ...values);
        for (const value of values) value.dispose();
        if (settled.error !== undefined) return end(null, settled.error.consume(asError));
        settled.value.dispose();
        return settle();
      }),
  };
}

const asSyntax =
  (asError: (handle: QuickJSHandle) => ScriptError) =>
  (handle: QuickJSHandle): ScriptError => {
    const error = asError(handle);
    return error.kind === 'thrown' && error.message.startsWith('SyntaxError') ? { ...error, kind: 'syntax' } : error;
  };

/** Counts only the time in which the script runs. */
function watchTime(runtime: QuickJSRuntime, mostMs: number) {
  let used = 0;
  let since: number | null = null;
  let isOver = false;
  const runMs = (): number => used + (since === null ? 0 : performance.now() - since);
  runtime.setInterruptHandler(() => {
    if (runMs() > mostMs) isOver = true;
    return isOver;
  });
  return {
    get runMs() {
      return Math.round(runMs());
    },
    isOver: () => isOver || runMs() > mostMs,
    start() {
      since = performance.now();
    },
    stop() {
      used = runMs();
      since = null;
    },
  };
}

/** Keeps the beginning of what is printed. */
function createOutput(most: number) {
  let text = '';
  let dropped = 0;
  return {
    add(line: string): void {
      const room = most - text.length;
      const whole = `${line}\n`;
      text += whole.slice(0, Math.max(0, room));
      dropped += Math.max(0, whole.length - Math.max(0, room));
    },
    /** A script that prints a hundred times what is kept is not read by anybody. */
    isFlooded: () => dropped > most * 100,
    all: () => ({ printed: text, dropped }),
  };
}

function prepare(context: QuickJSContext, tools: readonly string[], send: QuickJSHandle, print: QuickJSHandle) {
  const names = context.unwrapResult(context.evalCode(JSON.stringify(tools), NAME));
  const build = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'));
  const most = context.newNumber(MAX_INPUT);
  const own = context.unwrapResult(context.callFunction(build, context.undefined, names, send, print, most));
  return { settle: context.getProp(own, 'settle'), show: context.getProp(own, 'show') };
}

/** What a thrown value says. Read with care: it may be anything. */
function describe(context: QuickJSContext, handle: QuickJSHandle, memoryBytes: number): ScriptError {
  const dumped: unknown = context.dump(handle);
  const { name, message, stack } = (typeof dumped === 'object' && dumped !== null ? dumped : {}) as Record<
    string,
    unknown
  >;
  if (typeof message !== 'string')
    return { kind: 'thrown', message: `It threw ${JSON.stringify(dumped)?.slice(0, MAX_ERROR)}` };
  if (name === 'InternalError' && message === 'out of memory')
    return { kind: 'memory', message: `Its values took more than ${Math.round(memoryBytes / 1_000_000)} MB.` };
  const place =
    typeof stack === 'string'
      ? stack
          .split('\n')
          .find((line) => line.includes(NAME))
          ?.trim()
      : undefined;
  return {
    kind: 'thrown',
    message: `${String(name ?? 'Error')}: ${message}${place === undefined ? '' : ` (${place})`}`.slice(0, MAX_ERROR),
  };
}

// What a script finds when it begins: `tools`, `searchTools`, `console`. It runs in the machine of the script, before it,
// so it may not trust what the script does to built-in objects later: it keeps what it needs.

/**
 * The source of a function of the names of tools, the functions `send(name, json)` → id and `print(text)`, and the most
 * characters of a value. It gives `settle(id, ok, text, name)` and `show(value)`.
 */

const PRELUDE = `((names, send, print, most) => {
  'use strict';
  const { parse, stringify } = JSON;
  const { slice } = String.prototype;
  const apply = Reflect.apply;
  const isString = (value) => typeof value === 'string';
  const open = new Map();
  const { get, set, delete: remove } = Map.prototype;
  const OwnPromise = Promise;
  const OwnError = Error;
  const call = (name, input) => new OwnPromise((resolve, reject) => {
    const json = stringify(input === undefined ? {} : input);
    if (!isString(json)) throw new TypeError('The input of ' + name + ' is not an object.');
    if (json.length > most) throw new RangeError('The input of ' + name + ' is too large.');
    const id = send(name, json);
    apply(set, open, [id, { resolve, reject }]);
  });
  const known = { __proto__: null };
  for (const name of names) known[name] = Object.freeze((input) => call(name, input));
  const tools = new Proxy(Object.freeze(known), {
    get: (target, name) => {
      if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
      if (target[name]) return target[name];
      throw new ReferenceError('There is no tool ' + apply(slice, String(name), [0, 80]) + ' here. searchTools("what it should do") finds tools.');
    },
  });
  const shown = (value) => {
    if (isString(value)) return value;
    if (value instanceof OwnError) return value.name + ': ' + value.message;
    try {
      const json = stringify(value);
      return isString(json) ? json : String(value);
    } catch (error) {
      return '[a value that cannot be shown]';
    }
  };
  const log = (...values) => {
    let line = '';
    for (let at = 0; at < values.length; at++) line += (at === 0 ? '' : ' ') + shown(values[at]);
    print(line.length > most ? apply(slice, line, [0, most]) : line);
  };
  const add = (name, value) => Object.defineProperty(globalThis, name, { value, writable: false, configurable: false });
  add('tools', tools);
  add('searchTools', (query, most) => call('', { query, most }));
  add('console', Object.freeze({ log, info: log, warn: log, error: log, debug: log }));
  return {
    settle(id, ok, text, name) {
      const waiting = apply(get, open, [id]);
      if (waiting === undefined) return;
      apply(remove, open, [id]);
      if (ok) return waiting.resolve(parse(text));
      const error = new OwnError(text);
      error.name = name;
      waiting.reject(error);
    },
    show: (value) => (value === undefined ? undefined : stringify(value)),
  };
})`;
