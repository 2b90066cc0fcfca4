// What a script finds when it begins: `tools`, `searchTools`, `console`. It runs in the machine of the script, before it,
// so it may not trust what the script does to built-in objects later: it keeps what it needs.

/**
 * The source of a function of the names of tools, the functions `send(name, json)` → id and `print(text)`, and the most
 * characters of a value. It gives `settle(id, ok, text, name)` and `show(value)`.
 */
export const PRELUDE = `((names, send, print, most) => {
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
    if (!isString(json)) throw new TypeError('The input of ' + name + ' is no object.');
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
