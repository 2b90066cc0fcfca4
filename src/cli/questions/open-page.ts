// Opens a page in the browser of the person. One rule: an address is one argument, whatever is in it, and only of the web.
import { spawn } from 'node:child_process';
import { searchOutside } from '../../util/posix-path.js';

/** What opens an address on a machine. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['/usr/bin/open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * @returns why it could not be opened; null if the program for it was started, which stays when this one ends
 */
export function openPage(address: string): Promise<string | null> {
  const url = new URL(address);
  const opener = OPENERS[process.platform];
  if (opener === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return Promise.resolve('Nothing on this machine opens it. Open the address yourself.');
  const [program, ...args] = opener;
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: searchOutside(process.env['PATH'] ?? '', process.cwd()) };
    const child = spawn(program, [...args, url.href], { env, detached: true, stdio: 'ignore', shell: false });
    child.once('error', () => resolve(`${program} could not be started. Open the address yourself.`));
    child.once('spawn', () => {
      child.unref();
      resolve(null);
    });
  });
}
