// How long a session takes until it begins, and how much memory: with RESUME as one that goes on with another.
import { createNodeHost, query } from 'turnwright';

const { RESUME = '' } = process.env;

const before = performance.now();
const session = query({
  prompt: 'go on',
  options: { host: createNodeHost(), persistSession: false, ...(RESUME === '' ? {} : { resume: RESUME }) },
});
for await (const message of session) {
  if (message.type !== 'system' || message.subtype !== 'init') continue;
  const ms = performance.now() - before;
  process.stdout.write(`${JSON.stringify({ ms, maxRssMb: process.resourceUsage().maxRSS / 1_000 })}\n`);
  break;
}
