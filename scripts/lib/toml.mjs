// Reads the part of TOML that model files are written in. Rule: what it does not know is an error with its line,
// never a guess. Left out: multi-line strings, date types (they come back as text), infinity, other number bases.
const NUMBER = /^[+-]?\d[\d_]*(\.\d[\d_]*)?([eE][+-]?\d+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}([T ].*)?$/;
const ESCAPES = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' };

/**
 * Parses a document into objects without a prototype.
 * @param name  shown in errors
 * @throws Error `<name>:<line>: …` for anything outside the subset, and for a key that is given twice
 */
export function parseToml(text, name) {
  const reader = new Reader(text.replace(/\r\n/g, '\n'), name);
  const root = Object.create(null);
  let table = root;
  for (reader.skipToContent(); !reader.atEnd(); reader.skipToContent()) {
    if (reader.take('[[')) table = openArrayEntry(reader, root, reader.path(']]'));
    else if (reader.take('[')) table = openTable(reader, root, reader.path(']'));
    else readPair(reader, table);
    reader.endOfLine();
  }
  return root;
}

function readPair(reader, table) {
  const path = reader.path('=');
  const last = path.pop();
  const target = openTable(reader, table, path);
  if (last in target) reader.fail(`the key "${last}" is given twice`);
  target[last] = reader.value();
}

/** The table at the end of a path; of an array of tables, its newest entry. */
function openTable(reader, root, path) {
  let table = root;
  for (const key of path) {
    table[key] ??= Object.create(null);
    table = Array.isArray(table[key]) ? table[key].at(-1) : table[key];
    if (typeof table !== 'object' || table === null) reader.fail(`"${key}" is no table`);
  }
  return table;
}

function openArrayEntry(reader, root, path) {
  const last = path.pop();
  const parent = openTable(reader, root, path);
  parent[last] ??= [];
  if (!Array.isArray(parent[last])) reader.fail(`"${last}" is no array of tables`);
  const entry = Object.create(null);
  parent[last].push(entry);
  return entry;
}

class Reader {
  constructor(text, name) {
    this.text = text;
    this.name = name;
    this.at = 0;
  }

  fail(what) {
    const line = this.text.slice(0, this.at).split('\n').length;
    throw new Error(`${this.name}:${line}: ${what}`);
  }

  atEnd() {
    return this.at >= this.text.length;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  take(mark) {
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  skipSpaces() {
    this.match(/[ \t]*/y);
  }

  skipToContent() {
    this.match(/(?:\s+|#[^\n]*)*/y);
  }

  endOfLine() {
    this.match(/[ \t]*(?:#[^\n]*)?/y);
    if (!this.atEnd() && !this.take('\n')) this.fail('expected the end of the line');
  }

  /** Keys joined by dots, up to and with the mark that ends them. */
  path(end) {
    const keys = [];
    do {
      this.skipSpaces();
      const quoted = this.text[this.at];
      keys.push(quoted === '"' || quoted === "'" ? this.string() : this.match(/[\w-]+/y));
      if (keys.at(-1) === '') this.fail('expected a key');
      this.skipSpaces();
    } while (this.take('.'));
    if (!this.take(end)) this.fail(`expected "${end}"`);
    return keys;
  }

  value() {
    this.skipSpaces();
    const first = this.text[this.at];
    if (first === '"' || first === "'") return this.string();
    if (this.take('[')) return this.array();
    if (this.take('{')) return this.inlineTable();
    const word = this.match(/[^\s,\]}#]+/y);
    if (word === 'true' || word === 'false') return word === 'true';
    if (NUMBER.test(word)) return Number(word.replaceAll('_', ''));
    if (DATE.test(word)) return word;
    return this.fail(`cannot read the value "${word}"`);
  }

  string() {
    const quote = this.text[this.at];
    if (this.text.startsWith(quote.repeat(3), this.at)) this.fail('multi-line strings are not supported');
    this.at += 1;
    const body = this.match(quote === '"' ? /(?:[^"\\\n]|\\.)*/y : /[^'\n]*/y);
    if (!this.take(quote)) this.fail('a string has no end');
    if (quote === "'") return body;
    return body.replace(/\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g, (_, short, long, mark) => {
      if (mark === undefined) return String.fromCodePoint(Number.parseInt(short ?? long, 16));
      return ESCAPES[mark] ?? this.fail(`unknown escape "\\${mark}"`);
    });
  }

  array() {
    const items = [];
    for (this.skipToContent(); !this.take(']'); this.skipToContent()) {
      items.push(this.value());
      this.skipToContent();
      if (!this.take(',') && this.text[this.at] !== ']') this.fail('expected "," or "]"');
    }
    return items;
  }

  inlineTable() {
    const table = Object.create(null);
    for (this.skipToContent(); !this.take('}'); this.skipToContent()) {
      readPair(this, table);
      this.skipToContent();
      if (!this.take(',') && this.text[this.at] !== '}') this.fail('expected "," or "}"');
    }
    return table;
  }
}
