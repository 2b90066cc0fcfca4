// Pages of the web at full counts: whether anything is connected to that must not be, and what the largest page costs.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { addressBytes, isPublicAddress, readAddress } from '../../src/util/web-address.js';
import { recordFigure, SEED } from '../support/figures.js';
import {
  fetchReally,
  HOSTILE_ADDRESSES,
  HOSTILE_SERVERS,
  runHostile,
  spelled,
  startCanary,
} from '../support/hostile-web.js';
import { createRandom } from '../support/soak/random.js';
import { page, startWeb } from '../support/web-server.js';

const RANDOM_ADDRESSES = 20_000;
const PAGE_BYTES = 5_000_000;

it('connects to nothing that it must not, whatever 250 addresses and servers do', async () => {
  const canary = await startCanary();
  const ends = [];
  for (const one of [...HOSTILE_ADDRESSES, ...HOSTILE_SERVERS]) ends.push(await runHostile(one, 1_000));
  for (const { url } of HOSTILE_ADDRESSES) await fetchReally(url, canary.port);
  const forbidden = ends.reduce((sum, end) => sum + end.forbidden, 0) + canary.connections();
  recordFigure('web', 'hostile addresses and servers', ends.length, 'cases');
  recordFigure('web', 'forbidden connections of them', forbidden, 'connections');
  recordFigure('web', 'longest of them, with a limit of 1 s', Math.round(Math.max(...ends.map(({ ms }) => ms))), 'ms');
  expect(forbidden).toBe(0);
});

it('dials an address if it is public, in whichever spelling, and else none', async () => {
  const random = createRandom(SEED);
  const web = await startWeb(page('x', 'text/plain'));
  let dialled = 0;
  for (let at = 0; at < RANDOM_ADDRESSES; at++) {
    // Half of them of the networks that matter.
    const first = random.chance(0.5)
      ? random.pick([0, 10, 100, 127, 169, 172, 192, 198, 203, 224])
      : random.int(0, 255);
    const address = [first, random.int(0, 255), random.int(0, 255), random.int(0, 255)].join('.');
    const url = `http://${spelled(address, random.int(0, 100))}:8080/`;
    const before = web.dialled.length;
    await web.get(url).catch(() => undefined);
    const read = readAddress(url);
    const target = read.kind === 'address' ? addressBytes(read.host.replace(/[[\]]/g, '')) : null;
    expect(web.dialled.length - before, url).toBe(target !== null && isPublicAddress(target) ? 1 : 0);
    dialled += web.dialled.length - before;
  }
  expect(web.forbidden()).toEqual([]);
  recordFigure(
    'web',
    `random addresses in random spellings, of which ${dialled} are public`,
    RANDOM_ADDRESSES,
    'addresses',
  );
});

it('a page of 5 MB', async () => {
  const html = largePage();
  const web = await startWeb((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
  await web.get('http://public.test:8080/'); // what is loaded with the first page is loaded
  const runs = [];
  for (let at = 0; at < 5; at++) {
    const [all, main] = [process.cpuUsage(), mainThreadMs()];
    const stop = watchTurns();
    const got = await web.get('http://public.test:8080/');
    const blocked = stop();
    expect(got).toHaveProperty('text.length', 1_000_000);
    const { user, system } = process.cpuUsage(all);
    runs.push({ cpu: (user + system) / 1_000 - (mainThreadMs() - main), blocked });
  }
  const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[2] ?? 0;
  const cpu = median(runs.map((run) => run.cpu));
  const blocked = median(runs.map((run) => run.blocked));
  recordFigure('web', 'a page of 5 MB: CPU outside the main thread', Math.round(cpu), 'ms');
  recordFigure('web', 'a page of 5 MB: longest turn of the event loop', blocked.toFixed(1), 'ms');
  expect(cpu).toBeLessThan(400);
  expect(blocked).toBeLessThan(10);
});

/** As pages are: text, links, lists, tables, code; a tenth of it runs. */
function largePage(): Buffer {
  const part =
    '<div class="c"><h2>Title</h2><p>Some text with <em>em</em> and <a href="/a?b=1&amp;c=2">a link</a>, then more prose that goes on.</p>' +
    '<ul><li>one<li>two<ul><li>in</ul></ul><pre><code class="language-js">let a = 1;\n</code></pre>' +
    '<table><tr><td>a <b>bold</b> cell<td>b</table><script>var a = "<b>";</script></div>\n';
  return Buffer.from(part.repeat(Math.ceil(PAGE_BYTES / part.length)).slice(0, PAGE_BYTES));
}

/** CPU of this thread so far. A machine that is busy with others does not make it longer. Linux alone. */
function mainThreadMs(): number {
  const [nanoseconds = ''] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Looks at each turn of the event loop. The function that comes back gives the longest of them, milliseconds of CPU. */
function watchTurns(): () => number {
  let longest = 0;
  let last = mainThreadMs();
  let isOn = true;
  const look = (): void => {
    const now = mainThreadMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (isOn) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    isOn = false;
    return longest;
  };
}
