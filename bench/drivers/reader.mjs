// Reads long replies of one protocol with one reader, and tells the CPU time of the last. Readers: `bare`, the least that
// can be done with such a stream; `ours`, the provider; `wrapped`, the provider with what reads calls out of texts.
import { Agent, request } from 'node:http';

const plan = JSON.parse(process.argv[2]);
const read = plan.reader === 'bare' ? readBare : await openOurs();

for (let at = 0; at < plan.replies; at++) {
  const before = cpuMs();
  const deltas = await read();
  process.stdout.write(`${JSON.stringify({ deltas, cpu: cpuMs() - before })}\n`);
}
process.exit(0);

function cpuMs() {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1_000;
}

/** Each event is parsed, and its text looked at. */
function readBare() {
  readBare.agent ??= new Agent({ keepAlive: true });
  const body = Buffer.from(JSON.stringify({ model: 'm', stream: true, messages: [] }));
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sent = request(plan.address, { method: 'POST', agent: readBare.agent, headers }, (response) => {
      let rest = '';
      let deltas = 0;
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => {
        rest += piece;
        let start = 0;
        for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n', start)) {
          const data = rest.slice(rest.indexOf('data: ', start) + 6, end);
          start = end + 2;
          const said = data === '[DONE]' ? undefined : textOf(JSON.parse(data));
          if (said === undefined) continue;
          text += said;
          deltas++;
        }
        rest = rest.slice(start);
      });
      response.on('end', () => resolve(text.length === 0 ? 0 : deltas));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function textOf(event) {
  if (event.choices !== undefined) return event.choices[0]?.delta.content || undefined;
  if (event.type === 'content_block_delta') return event.delta.text;
  return event.type === 'response.output_text.delta' ? event.delta : undefined;
}

async function openOurs() {
  const providers = await import(plan.module);
  const provider = providers.open(plan.api, plan.baseUrl, clock(), plan.reader === 'wrapped');
  const asked = {
    model: 'm',
    system: [],
    tools: providers.TOOLS,
    messages: [{ role: 'user', content: 'go' }],
    maxTokens: 100_000,
  };
  const limits = { requestTimeoutMs: 60_000, streamIdleMs: 60_000 };
  return async () => {
    let deltas = 0;
    for await (const event of provider.stream(asked, limits, new AbortController().signal)) {
      if (event.type === 'content_block_delta') deltas++;
    }
    return deltas;
  };
}

function clock() {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms).unref();
      return () => clearTimeout(timer);
    },
  };
}
