// Keeps what the user vouched for, for the sessions to come.
import { addTrust, type TrustItem, trustFile } from '../../context/trust.js';
import type { Host } from '../../host/host.js';
import { whileLocked } from './file-lock.js';

/**
 * @param home `$TURNWRIGHT_HOME`
 * @param root the folder, as `trustRoot` gives it
 * @throws ConfigError if the file is not what we write; FileError
 */
export async function keepTrust(host: Host, home: string, root: string, items: readonly TrustItem[]): Promise<void> {
  await host.fs.mkdir(home, { mode: 0o700 });
  await whileLocked(host, trustFile(home), () => addTrust(host, home, root, items));
}
