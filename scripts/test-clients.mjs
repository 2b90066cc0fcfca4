// `npm run test:clients [-- filters]`: programs of others read, change and delete the sessions that Turnwright wrote,
// and Turnwright reads what they leave; an ACP client drives `turnwright acp`. Installs them on demand into a cache
// folder; they are no dependencies, and nothing of them is part of this repository. Needs the network once.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from './lib/run.mjs';
import { ensureBuilt, ensureInstalled, ROOT } from './lib/setup.mjs';
import { runVitest } from './lib/vitest.mjs';

const CLIENTS = [
  '@anthropic-ai/claude-agent-sdk@0.3.330',
  '@qoder-ai/qoder-agent-sdk@1.0.39',
  'ccusage@18.0.11',
  // Asks for Node 22; what is used of it runs on 20.
  'acpx@0.19.1',
  '@agentclientprotocol/claude-agent-acp@0.100.0',
  ...['everything', 'filesystem', 'memory', 'sequential-thinking'].map(
    (name) => `@modelcontextprotocol/server-${name}@2026.8.31`,
  ),
  // Asks for Node 22, as do its tests.
  '@modelcontextprotocol/conformance@0.1.16',
  '@modelcontextprotocol/inspector@2.12.0',
  '@playwright/mcp@0.0.83',
];
const FOLDER = join(ROOT, 'node_modules', '.cache', 'turnwright-clients');
/** Packages that import a published SDK themselves, with this repository in its place. */
const DEPENDENTS = {
  ai: '7.0.173',
  'ai-sdk-provider-claude-code': '4.1.0',
  langsmith: '0.12.0',
  '@arizeai/openinference-instrumentation-claude-agent-sdk': '0.3.1',
  zod: '4.6.7',
};
const DEPENDENTS_FOLDER = join(ROOT, 'node_modules', '.cache', 'turnwright-dependents');

ensureInstalled();
ensureBuilt({ types: true });
await install(FOLDER, { name: 'clients', private: true, type: 'module' }, CLIENTS);
const shim = '@anthropic-ai/claude-agent-sdk';
await install(
  DEPENDENTS_FOLDER,
  {
    name: 'dependents',
    private: true,
    type: 'module',
    dependencies: { ...DEPENDENTS, turnwright: `file:${ROOT}`, [shim]: 'file:./shim' },
    overrides: { [shim]: `$${shim}` },
  },
  [],
  (folder) => cpSync(join(ROOT, 'packages', 'claude-agent-sdk'), join(folder, 'shim'), { recursive: true }),
);
const python = await installPython(
  join(ROOT, 'node_modules', '.cache', 'turnwright-python'),
  'claude-agent-sdk==0.2.143',
);
process.exitCode = await runVitest(['clients'], process.argv.slice(2), {
  TURNWRIGHT_TEST_CLIENTS: FOLDER,
  TURNWRIGHT_TEST_DEPENDENTS: DEPENDENTS_FOLDER,
  TURNWRIGHT_TEST_PYTHON: python,
});

/**
 * The interpreter that has a package of Python; '' if there is none to be had, which is said. TURNWRIGHT_TEST_PYTHON names
 * one that has it already.
 */
async function installPython(folder, wanted) {
  const given = process.env.TURNWRIGHT_TEST_PYTHON;
  if (given !== undefined) return given;
  const python = join(folder, 'bin', 'python');
  const stamp = join(folder, 'installed.txt');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return python;
  console.log(`Installing ${wanted} of Python …`);
  rmSync(folder, { recursive: true, force: true });
  const made = await capture('python3', ['-m', 'venv', folder]);
  const { code, output } =
    made.code === 0 ? await capture(python, ['-m', 'pip', 'install', '--quiet', '--retries', '0', wanted]) : made;
  if (code !== 0) {
    console.log(`${output.trim().split('\n').at(-1)}\nWithout it, its tests are left out.`);
    return '';
  }
  writeFileSync(stamp, wanted);
  return python;
}

/** Once, and again if what is wanted has changed. */
async function install(folder, manifest, packages, prepare = () => undefined) {
  const stamp = join(folder, 'installed.json');
  const wanted = JSON.stringify([manifest, packages]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log(`Installing ${[...packages, ...Object.keys(manifest.dependencies ?? {})].join(', ')} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  prepare(folder);
  // Their install scripts download programs that are not needed here.
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  const flags = ['--ignore-scripts', '--no-engine-strict', ...quiet];
  const { code, output } = await capture('npm', ['install', ...flags, ...packages], { cwd: folder });
  if (code !== 0) {
    console.error(output);
    console.error('The clients could not be installed. This test needs the network.');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
