// The core of the package a second time, as a script that starts from V8's code cache: nothing of it is parsed and
// compiled again in each process. `#core` in package.json names it for Node. Bundlers, which set the condition `module`,
// and runtimes with another engine get `core.js`, the module it is made of.
import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { capture } from './run.mjs';

/** Of `dist/`. */
export const CORE_MODULE = 'chunks/core.js';
const CORE_FOR_NODE = 'chunks/core.node.js';
const SPECIFIER = /(["'`])(?:\.{1,2}\/)+(?:chunks\/)?core\.js\1/g;

/** What the script is called with. No name in the core may be one of them. */
const BUILTIN = '$builtin$';
const CHUNKS = '$chunks$';
const IMPORT = '$import$';

/** The code of a chunk with the core under the name that Node and bundlers resolve each in their own way. */
export function withCoreByName(code) {
  return code.replace(SPECIFIER, '$1#core$1');
}

/**
 * Writes the script and what loads it.
 * @returns the path of the script in `dist/`. It names its content, and so does its cache: V8 holds a cache against the
 *   length of the script only, and runs what it is given.
 * @throws Error where the module holds what no script can
 */
export function writeCoreScript(dist, code) {
  const taken = [BUILTIN, CHUNKS, IMPORT].find((name) => code.includes(name));
  if (taken !== undefined) throw new Error(`core.js has the name ${taken}, which its script needs`);
  const { body, imports, exported } = readModule(code);
  const chunks = [...new Set(imports.map(({ from }) => from))].filter((from) => !from.startsWith('node:'));
  const place = (from) =>
    from.startsWith('node:') ? `${BUILTIN}(${quote(from)})` : `${CHUNKS}[${chunks.indexOf(from)}]`;
  const locals = imports.flatMap(({ from, names }) =>
    names.map(([name, local]) => `${local}=${place(from)}${name === null ? '' : `[${quote(name)}]`}`),
  );
  const results = exported.map(([name, local]) => `${quote(name)}:${local}`);
  const script = `(function(${[BUILTIN, CHUNKS, IMPORT].join(',')}){"use strict";const ${locals.join(',')};${body};return{${results.join(',')}}})`;
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 12);
  const name = `core.${hash}.js`;
  writeFileSync(join(dist, 'chunks', name), script);
  writeFileSync(join(dist, CORE_FOR_NODE), loader(chunks, exported, name));
  return `chunks/${name}`;
}

/**
 * What loads the script. A cache is for one engine on one kind of machine; where V8 runs with other options it refuses
 * it by itself. Without a cache the script is compiled as any file.
 */
function loader(chunks, exported, name) {
  // What it exports may be called like a word of the language.
  const locals = exported.map(([each], at) => `${quote(each)}:e${at}`);
  const given = exported.map(([each], at) => `e${at} as ${each}`);
  return [
    ...chunks.map((from, at) => `import*as chunk${at} from${quote(from)};`),
    'const builtin=(name)=>process.getBuiltinModule(name);',
    'const{readFileSync}=builtin("node:fs");',
    'const{versions,platform,arch}=process;',
    `const file=new URL("./${name}",import.meta.url);`,
    'let cachedData;',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code of another file
    'try{cachedData=readFileSync(new URL(`${file.href}.${versions.v8}-${platform}-${arch}.cache`))}catch{}',
    'const{Script}=builtin("node:vm");',
    // The cache keeps the name, so it must be none of the machine that made it.
    `const script=new Script(readFileSync(file,"latin1"),{filename:"turnwright:${name}",cachedData});`,
    `const{${locals.join(',')}}=script.runInThisContext()(builtin,[${chunks.map((_, at) => `chunk${at}`)}],(name)=>import(name));`,
    `export{${given.join(',')}};\n`,
  ].join('');
}

/** What a module says of others and to others, and its code without that, `import()` by a name of our own. */
function readModule(code) {
  const { body: statements } = parseAst(code);
  const imports = [];
  const exported = [];
  /** [start, end, text instead] */
  const edits = [];
  for (const node of statements) {
    if (node.type === 'ImportDeclaration')
      imports.push({ from: node.source.value, names: node.specifiers.map(imported) });
    else if (node.type === 'ExportNamedDeclaration' && node.declaration === null && node.source === null)
      exported.push(...node.specifiers.map(({ exported: to, local }) => [to.name ?? to.value, local.name]));
    else if (/^(Import|Export)/.test(node.type)) throw new Error(`core.js has a statement of type ${node.type}`);
    else continue;
    edits.push([node.start, node.end, '']);
  }
  for (const { start } of findImportCalls(statements)) edits.push([start, start + 'import'.length, IMPORT]);
  edits.sort(([a], [b]) => a - b);
  let body = '';
  let at = 0;
  for (const [start, end, text] of edits) {
    body += code.slice(at, start) + text;
    at = end;
  }
  return { body: body + code.slice(at), imports, exported };
}

/** The name in the other module, null for all of it, and the name here. */
function imported({ type, imported: from, local }) {
  if (type === 'ImportNamespaceSpecifier') return [null, local.name];
  // Of a module of Node, its default is all of it.
  return [type === 'ImportDefaultSpecifier' ? null : (from.name ?? from.value), local.name];
}

/** @throws Error for what means something in a module only */
function findImportCalls(statements) {
  const found = [];
  const walk = (node, isInFunction) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) {
      for (const each of node) walk(each, isInFunction);
      return;
    }
    if (node.type === 'MetaProperty' && node.meta.name === 'import') throw new Error('core.js has import.meta');
    if (node.type === 'AwaitExpression' && !isInFunction) throw new Error('core.js waits while it is loaded');
    if (node.type === 'ImportExpression') found.push(node);
    const isFunction = /Function/.test(node.type ?? '');
    for (const value of Object.values(node)) walk(value, isInFunction || isFunction);
  };
  walk(statements, false);
  return found;
}

function quote(text) {
  return JSON.stringify(text);
}

/**
 * Makes the code cache for the Node that runs this, with all that a session has called by its end.
 * @param script the path of the script in `dist`
 * @returns null, or why there is none; a package without one starts slower and does the same
 */
export async function writeCoreCache(dist, script) {
  const { versions, platform, arch } = process;
  const cache = join(dist, `${script}.${versions.v8}-${platform}-${arch}.cache`);
  const warm = fileURLToPath(new URL('./warm-core.mjs', import.meta.url));
  const { code, output } = await capture(process.execPath, [warm, dist, cache]);
  if (code === 0 && existsSync(cache)) return null;
  rmSync(cache, { force: true });
  return output.trim().slice(-2_000) || `exit code ${code}`;
}
