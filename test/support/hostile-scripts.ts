// Scripts that a model should not write, and how each may end. `ends`: kinds of errors, or `value` if it does no harm and
// comes to its end; `value` is then what it gives.
import type { ScriptError } from '../../src/host/scripts/run-script.js';

export interface HostileScript {
  readonly name: string;
  readonly code: string;
  readonly ends: readonly (ScriptError['kind'] | 'value')[];
  readonly value?: unknown;
}

const TIME = ['time'] as const;
/** Whichever limit it meets first, on a machine of any speed. */
const MEMORY = ['memory', 'thrown', 'crashed', 'time'] as const;
const THROWN = ['thrown'] as const;

const script = (name: string, ends: HostileScript['ends'], code: string, value?: unknown): HostileScript => ({
  name,
  code,
  ends,
  ...(value === undefined ? {} : { value }),
});

export const HOSTILE_SCRIPTS: readonly HostileScript[] = [
  // It never ends.
  script('an endless loop', TIME, 'while (true) {}'),
  script('an endless loop that catches all', TIME, 'for (;;) { try { while (true) {} } catch {} }'),
  script('an endless loop in finally', TIME, 'try { throw 1 } finally { for (;;) {} }'),
  script('a loop over a generator without end', TIME, 'function* g() { while (true) yield 1 } for (const x of g()) {}'),
  script('a getter that never returns', TIME, 'return { get a() { for (;;) {} } }'),
  script('a toJSON that never returns', TIME, 'return { toJSON() { for (;;) {} } }'),
  script('a proxy whose keys never come', TIME, 'return new Proxy({}, { ownKeys() { for (;;) {} } })'),
  script('a sort that never ends', TIME, '[2, 1, 3].sort(() => { for (;;) {} })'),
  script('promises that make promises', TIME, 'const f = () => Promise.resolve().then(f); await f()'),
  script('awaits without end', TIME, 'for (;;) await null'),
  script('a thenable that calls itself', TIME, 'const t = { then(r) { r(t) } }; await t'),
  script(
    'a microtask flood that is not awaited',
    TIME,
    'const f = () => { Promise.resolve().then(f) }; f(); await new Promise(() => {})',
  ),
  script('a promise that nothing settles', ['stuck'], 'await new Promise(() => {})'),
  script('a race of promises that nothing settles', ['stuck'], 'await Promise.race([])'),
  script(
    'an async iterator without end',
    TIME,
    'for await (const x of (async function* () { for (;;) yield 1 })()) {}',
  ),
  // Regular expressions.
  script('a regex that backtracks', ['time', 'value', 'thrown'], 'return /^(a+)+$/.test("a".repeat(40) + "!")'),
  script(
    'a regex that backtracks through alternatives',
    ['time', 'value', 'thrown'],
    'return /^(a|a|aa)+$/.test("a".repeat(60) + "b")',
  ),
  script(
    'a regex with lookbehind that backtracks',
    ['time', 'value', 'thrown'],
    'return /(?<=(x+x+)+y)z/.test("x".repeat(60) + "z")',
  ),
  script(
    'a regex of a hundred thousand groups',
    ['thrown', 'time', 'memory', 'value', 'crashed'],
    'return new RegExp("(".repeat(100000) + ")".repeat(100000)).test("")',
  ),
  // Memory.
  script('an array that grows', MEMORY, 'const a = []; for (;;) a.push(new Array(1000).fill(a.length))'),
  script('a text that doubles', MEMORY, 'let s = "x"; for (;;) s += s'),
  script('a text as long as can be', MEMORY, 'return "x".repeat(2 ** 29)'),
  script('a buffer of two gigabytes', MEMORY, 'return new ArrayBuffer(2 ** 31).byteLength'),
  script('many buffers', MEMORY, 'const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))'),
  script('a map that grows', MEMORY, 'const m = new Map(); for (let i = 0; ; i++) m.set("key" + i, { i })'),
  script(
    'closures that hold all',
    MEMORY,
    'let f = null; for (;;) { const g = f; const s = "x".repeat(1000) + Math.random(); f = () => [g, s] }',
  ),
  script(
    'memory that it wants again after an error',
    ['memory', 'time', 'thrown', 'crashed'],
    'for (;;) { try { let s = "x"; for (;;) s += s } catch {} }',
  ),
  script(
    'an array with a length of 4 billion',
    ['thrown', 'memory', 'time', 'value', 'output', 'crashed'],
    'const a = []; a.length = 4294967295; return a.fill(0).length',
  ),
  script(
    'a sparse array made to JSON',
    ['thrown', 'memory', 'time', 'output', 'crashed'],
    'const a = []; a[50000000] = 1; return a',
  ),
  // Depth.
  script('recursion without end', ['thrown', 'memory', 'crashed'], 'const f = () => f() + 1; return f()'),
  script(
    'recursion that catches its end',
    ['time', 'thrown', 'memory', 'value', 'crashed'],
    'const f = () => { try { return f() } catch { return f() } }; return f()',
  ),
  script(
    'an object as deep as can be, made to JSON',
    ['thrown', 'memory', 'output', 'crashed', 'time'],
    'let o = {}; for (let i = 0; i < 1e6; i++) o = { o }; return o',
  ),
  script(
    'source as deep as can be',
    ['thrown', 'syntax', 'memory', 'value', 'crashed', 'time'],
    'return eval("[".repeat(1e5) + "]".repeat(1e5)).length',
  ),
  script('an object that holds itself', THROWN, 'const o = {}; o.o = o; return o'),
  // Output.
  script('prints without end', ['output', 'time'], 'for (;;) console.log("x".repeat(10000))'),
  script(
    'prints one line as long as can be',
    ['value', 'memory', 'thrown', 'output', 'time'],
    'console.log("x".repeat(3e7)); return 1',
  ),
  script('returns more than may be returned', ['output', 'time'], 'return "x".repeat(1e7)'),
  script('throws more than is shown', THROWN, 'throw new Error("x".repeat(1e6))'),
  script('throws something odd', THROWN, 'throw { toString() { throw 1 }, message: 7 }'),
  script('throws nothing', THROWN, 'throw undefined'),
  // Ways out.
  script('asks for modules', THROWN, 'return require("fs").readFileSync("/etc/passwd", "utf8")'),
  script('imports modules', THROWN, 'return (await import("node:fs")).readFileSync("/etc/passwd", "utf8")'),
  script('asks for the process', THROWN, 'return process.env'),
  script(
    'asks for the process behind a constructor',
    THROWN,
    'return (async () => {}).constructor("return process")()',
  ),
  script(
    'asks for the process behind a tool',
    THROWN,
    'return tools.Echo.constructor("return process.mainModule.require(\\"child_process\\")")()',
  ),
  script(
    'asks for the process behind an error',
    THROWN,
    'try { await tools.Fail({}) } catch (e) { return e.constructor.constructor("return process")().pid }',
  ),
  script('asks for the network', THROWN, 'return await fetch("http://127.0.0.1:1/")'),
  script(
    'asks for WebAssembly',
    THROWN,
    'return new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))',
  ),
  script('asks for threads and shared memory', THROWN, 'return new Worker("x")'),
  script(
    'looks for what else there is',
    ['value'],
    'return ["require", "process", "fetch", "Buffer", "XMLHttpRequest", "setTimeout", "WebAssembly", "Worker", "std", "os", "bjson", "postMessage", "navigator", "global"].filter((name) => name in globalThis)',
    [],
  ),
  script(
    'spoils the prototypes of all',
    ['value'],
    'Object.prototype.polluted = 1; Array.prototype.map = () => "x"; Promise.prototype.then = null; JSON.stringify = () => "{}"; JSON.parse = () => ({ ok: 1 }); Map.prototype.get = null; String.prototype.slice = null; const r = tools.Echo({ text: "still" }); return 1',
    1,
  ),
  script(
    'takes what a tool gives for a prototype',
    ['value'],
    'const r = await tools.Echo({ text: "{\\"__proto__\\": {\\"x\\": 1}}" }); return [typeof r, {}.x === undefined]',
    ['string', true],
  ),
  script(
    'puts another tool in place of one',
    ['value', 'thrown'],
    'try { tools.Echo = () => "own" } catch {} return await tools.Echo({ text: "a" })',
    'echo a',
  ),
  script('calls what is not a tool', THROWN, 'return await tools.Nothing({})'),
  script(
    'leaves the function that it stands in',
    ['syntax', 'value', 'thrown', 'stuck'],
    '})(); (async () => { for (const key in globalThis) delete globalThis[key]; return 2',
  ),
  script(
    'floods with calls',
    ['value', 'time'],
    'return (await Promise.all(Array.from({ length: 500 }, (_, i) => tools.Echo({ text: String(i) })))).length',
    500,
  ),
  script(
    'gives a tool an input that is none',
    ['value'],
    'const out = []; for (const bad of [Symbol(), () => 1, 10n]) { try { await tools.Echo(bad); out.push(1) } catch { out.push(0) } } return out',
    [0, 0, 0],
  ),
];
