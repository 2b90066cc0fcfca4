// The official conformance tests for clients of MCP, over a session of the built package.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/engine.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SUITE = join(
  process.env['TURNWRIGHT_TEST_CLIENTS'] ?? '',
  ...['node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js'],
);

const SCENARIOS = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
];

async function run(scenario: string): Promise<string> {
  const folder = await temporaryFolder();
  const program = join(folder, 'client.mjs');
  copyFileSync(join(ROOT, 'test', 'clients', 'conformance-client.mjs'), program);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'turnwright'), 'dir');
  const args = [SUITE, 'client', '--command', `${process.execPath} ${program}`, '--scenario', scenario];
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TURNWRIGHT_HOME: folder };
  const child = spawn(process.execPath, args, { cwd: folder, env });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
  await new Promise((resolve) => child.on('close', resolve));
  return said;
}

/** What its tests are written for. */
const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22;

describe.skipIf(!isNewEnough)('the official scenario', () => {
  it.each(SCENARIOS)('%s passes', { timeout: 90_000 }, async (scenario) => {
    const said = await run(scenario);
    expect(said.slice(said.indexOf('Test Results'))).toMatch(/ 0 failed, 0 warnings[\s\S]*OVERALL: PASSED/);
  });

  it('with an issuer that is not the one it says is refused', { timeout: 90_000 }, async () => {
    // Of a version that had no such rule; its server says so of another address.
    expect(await run('auth/2025-03-26-oauth-metadata-backcompat')).toMatch(/OVERALL: FAILED/);
  });
});
