// Commands in a sandbox: what the model runs writes to its folder and nowhere else, and a call that wants out asks on its
// own. Exits with 1 if something got out, or ran although it could not be confined.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { query } from 'turnwright';
import { scriptedModel, text, toolCall } from 'turnwright/testing';

const cwd = mkdtempSync(join(process.cwd(), 'work-'));
const outside = join(homedir(), `sandbox-example-${process.pid}`);
process.on('exit', () => rmSync(cwd, { recursive: true, force: true }));

const session = query({
  prompt: 'Write a file here and one in my home.',
  options: {
    cwd,
    sandbox: { enabled: true, network: { allowedDomains: ['example.com'] }, filesystem: { denyRead: ['~/.ssh'] } },
    // Commands inside need no approval; a call that wants to run outside is asked about, and refused here.
    canUseTool: async (_tool, _input, { decisionReasonType }) => ({
      behavior: 'deny',
      message: `not allowed: ${decisionReasonType}`,
    }),
    provider: scriptedModel([
      toolCall('Bash', { command: `echo inside > in.txt; echo outside > ${outside}` }),
      toolCall('Bash', { command: `echo outside > ${outside}`, dangerouslyDisableSandbox: true }),
      text('done'),
    ]),
    persistSession: false,
  },
});

let available = false;
let denials = [];
for await (const message of session) {
  if (message.type === 'system' && message.subtype === 'init') {
    available = message.sandbox.available;
    console.log(available ? `confined by ${message.sandbox.mechanism}` : `no sandbox: ${message.sandbox.reason}`);
  }
  if (message.type === 'system' && message.subtype === 'notice') console.log(`${message.code}: ${message.message}`);
  if (message.type === 'result') denials = message.permission_denials;
}

const wrote = existsSync(join(cwd, 'in.txt'));
const isRight = wrote === available && !existsSync(outside) && denials.length === 1;
if (!isRight) console.error('Expected a file in the folder if there is a sandbox, none in the home, and one refusal.');
rmSync(outside, { force: true });
process.exitCode = isRight ? 0 : 1;
