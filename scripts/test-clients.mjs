// `npm run test:clients [-- filters]`: programs of others read, change and delete the sessions that Turnwright wrote,
// and Turnwright reads what they leave; an ACP client drives `turnwright acp`. Installs them on demand into a cache
// folder; they are no dependencies, and nothing of them is part of this repository. Needs the network once.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from './lib/run.mjs';
import { ensureInstalled, ROOT } from './lib/setup.mjs';
import { runVitest } from './lib/vitest.mjs';

const CLIENTS = [
  '@anthropic-ai/claude-agent-sdk@0.3.330',
  '@qoder-ai/qoder-agent-sdk@1.0.39',
  'ccusage@18.0.11',
  // Its package asks for Node 22; what is used of it runs on 20.
  'acpx@0.19.1',
];
const FOLDER = join(ROOT, 'node_modules', '.cache', 'turnwright-clients');
const STAMP = join(FOLDER, 'installed.json');
const wanted = JSON.stringify(CLIENTS);

ensureInstalled();
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== wanted) await install();
process.exitCode = await runVitest(['clients'], process.argv.slice(2), { TURNWRIGHT_TEST_CLIENTS: FOLDER });

async function install() {
  console.log(`Installing ${CLIENTS.join(', ')} …`);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{"name":"clients","private":true,"type":"module"}\n');
  // Their install scripts download programs that are not needed here.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  const { code, output } = await capture('npm', ['install', ...flags, ...CLIENTS], { cwd: FOLDER });
  if (code !== 0) {
    console.error(output);
    console.error('The clients could not be installed. This test needs the network.');
    process.exit(1);
  }
  writeFileSync(STAMP, wanted);
}
