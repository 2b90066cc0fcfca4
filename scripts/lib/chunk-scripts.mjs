// Chunks a second time, as scripts that start from V8's code cache: nothing of them is parsed and compiled again in each
// process. In package.json `#core` names the first of them for Node. Bundlers, which set the condition `module`, and
// runtimes with another engine get `core.js`, the module it is made of.
import { createHash } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { capture } from './run.mjs';

/** What every session loads, what every program that imports the SDK does, a session that goes on with an earlier one, and the terminal. */
const SCRIPTED = ['core', 'published', 'resume', 'terminal', 'terminal-session'];
const SPECIFIER = new RegExp(`(["'\`])(?:\\.{1,2}/)+(?:chunks/)?(${SCRIPTED.join('|')})\\.js\\1`, 'g');

/** Where the module of a chunk goes, in `dist/`; null: wherever the bundler puts it. */
export function scriptedModule(name) {
  return SCRIPTED.includes(name) ? `chunks/${name}.js` : null;
}

/** What a script is called with. No name in its module may be one of them. */
const BUILTIN = '$builtin$';
const CHUNKS = '$chunks$';
const IMPORT = '$import$';

/** The code of a chunk with scripted ones under the names that Node and bundlers resolve each in their own way. */
export function withScriptsByName(code) {
  return code.replace(SPECIFIER, '$1#$2$1');
}

/**
 * Writes the scripts and what loads them.
 * @param chunks with `name`, `fileName` and `code`
 * @returns the path of each script in `dist/` with its chunk
 * @throws Error if a module holds what no script can
 */
export function writeScripts(dist, chunks) {
  return SCRIPTED.map((name) => {
    const chunk = chunks.find(({ fileName }) => fileName === scriptedModule(name));
    return { chunk, script: writeScript(dist, name, chunk.code) };
  });
}

/**
 * @returns its path, which names its content, and so does its cache: V8 holds a cache against the
 *   length of the script only, and runs what it is given.
 */
function writeScript(dist, chunk, code) {
  const taken = [BUILTIN, CHUNKS, IMPORT].find((name) => code.includes(name));
  if (taken !== undefined) throw new Error(`${chunk}.js has the name ${taken}, which its script needs`);
  const { body, imports, exported } = readModule(code);
  const chunks = [...new Set(imports.map(({ from }) => from))].filter((from) => !from.startsWith('node:'));
  const place = (from) =>
    from.startsWith('node:') ? `${BUILTIN}(${quote(from)})` : `${CHUNKS}[${chunks.indexOf(from)}]`;
  const locals = imports.flatMap(({ from, names }) =>
    names.map(([name, local]) => `${local}=${place(from)}${name === null ? '' : `[${quote(name)}]`}`),
  );
  const results = exported.map(([name, local]) => `${quote(name)}:${local}`);
  const named = locals.length === 0 ? '' : `const ${locals.join(',')};`;
  const script = `(function(${[BUILTIN, CHUNKS, IMPORT].join(',')}){"use strict";${named}${body};return{${results.join(',')}}})`;
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 12);
  const name = `${chunk}.${hash}.js`;
  writeFileSync(join(dist, 'chunks', name), script);
  writeFileSync(join(dist, 'chunks', `${chunk}.node.js`), loader(chunks, exported, name));
  return `chunks/${name}`;
}

/**
 * What loads the script. A cache is for one engine on one kind of machine; if V8 runs with other options it refuses
 * it by itself. Without one, and if Node keeps what it compiles, which somebody must have asked it to, it is kept beside that at
 * the end of the process; else the script is compiled as any file.
 */
function loader(chunks, exported, name) {
  // What it exports may be called like a word of the language.
  const locals = exported.map(([each], at) => `${quote(each)}:e${at}`);
  const given = exported.map(([each], at) => `e${at} as ${each}`);
  return [
    ...chunks.map((from, at) => `import*as chunk${at} from${quote(from)};`),
    'const builtin=(name)=>process.getBuiltinModule(name);',
    'const{readFileSync,renameSync,writeFileSync}=builtin("node:fs");',
    'const{versions,platform,arch,pid}=process;',
    `const file=new URL("./${name}",import.meta.url);`,
    'const read=(place)=>{try{return readFileSync(place)}catch{}};',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code of another file
    'const shipped=read(new URL(`${file.href}.${versions.v8}-${platform}-${arch}.cache`));',
    // Node's own folder for its version, on this machine and with these options: what is of another finds no use.
    'const folder=shipped===undefined?builtin("node:module").getCompileCacheDir?.():undefined;',
    `const kept=folder===undefined?undefined:builtin("node:path").join(folder,"turnwright-${name}.cache");`,
    'const{Script}=builtin("node:vm");',
    'const cachedData=shipped??(kept===undefined?undefined:read(kept));',
    // The cache keeps the name, so it must be none of the machine that made it.
    `const script=new Script(readFileSync(file,"latin1"),{filename:"turnwright:${name}",cachedData});`,
    // At the end, because then it holds the functions that were called.
    'if(kept!==undefined&&(cachedData===undefined||script.cachedDataRejected))process.once("exit",()=>{',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code of another file
    'try{const aside=`${kept}.${pid}`;writeFileSync(aside,script.createCachedData(),{mode:0o600,flag:"wx"});renameSync(aside,kept)}catch{}});',
    // To import one of Node's modules reads all that it exports: of `node:http` on Node 22 and newer that loads the whole of fetch.
    'const get=async(name)=>{const found=name.startsWith("node:")?builtin(name):undefined;',
    'return found===undefined?import(name):Object.create(found,{default:{value:found}})};',
    `const{${locals.join(',')}}=script.runInThisContext()(builtin,[${chunks.map((_, at) => `chunk${at}`)}],get);`,
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
    else if (/^(Import|Export)/.test(node.type))
      throw new Error(`a scripted chunk has a statement of type ${node.type}`);
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
    if (node.type === 'MetaProperty' && node.meta.name === 'import')
      throw new Error('a scripted chunk has import.meta');
    if (node.type === 'AwaitExpression' && !isInFunction) throw new Error('a scripted chunk waits while it is loaded');
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
 * Makes the code caches for the Node that runs this, with all that sessions have called by their end.
 * @param scripts their paths in `dist`
 * @returns null, or why there are none; a package without them starts slower and does the same
 */
export async function writeCaches(dist, scripts) {
  const { versions, platform, arch } = process;
  const cacheOf = (script) => join(dist, `${script}.${versions.v8}-${platform}-${arch}.cache`);
  const warm = fileURLToPath(new URL('./warm-scripts.mjs', import.meta.url));
  const { code, output } = await capture(process.execPath, [warm, dist, ...scripts.map(cacheOf)]);
  if (code === 0 && scripts.every((script) => existsSync(cacheOf(script)))) return null;
  for (const script of scripts) rmSync(cacheOf(script), { force: true });
  return output.trim().slice(-2_000) || `exit code ${code}`;
}
