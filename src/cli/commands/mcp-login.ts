// `turnwright mcp login`: the browser of the user, or the address that somebody pastes if there is none. One rule: an
// address of a server is opened without a shell, and only after it was checked.
import { createInterface } from 'node:readline';
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { probeServers, serverAuth } from '../../sdk/mcp/index.js';
import { errorText } from '../../util/text.js';
import { escapeHidden } from '../../view/escape-text.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_FAILURE, EXIT_SUCCESS } from '../exit-codes.js';
import { openPage } from '../questions/open-page.js';

/** @returns the exit code. @throws ConfigError */
export async function signIn(
  name: string,
  { opensBrowser }: { readonly opensBrowser: boolean },
  io: CliIo,
): Promise<number> {
  const host = createNodeHost({ env: io.env });
  const auth = await serverAuth(host, io.startedIn(), name);
  const shown = escapeHidden(name);
  const reader = createInterface({ input: io.stdin, terminal: false });
  try {
    const { authUrl, done } = await auth.begin();
    await io.err.write(`Sign in to ${shown} at this address:\n\n  ${authUrl}\n\n`);
    if (opensBrowser && (await openPage(authUrl)) !== null) await io.err.write('No browser could be opened here.\n');
    await io.err.write('No browser on this machine? Paste the address that it comes back to, and press Enter.\n');
    await Promise.race([done, pasted(reader, auth.submit, io), gone(io.lifetime.signal)]);
  } catch (error) {
    await io.err.write(`${shown}: ${escapeHidden(errorText(error))}.\n`);
    return EXIT_FAILURE;
  } finally {
    reader.close();
    auth.close();
    io.stdin.destroy?.();
  }
  const [probed] = await probeServers(host, {
    cwd: io.startedIn(),
    timeoutMs: 30_000,
    isTrusted: false,
    names: [name],
  });
  const isGood = probed?.status === 'connected';
  const why = escapeHidden(probed?.error ?? 'it is not used here');
  await io.err.write(
    isGood ? `You are signed in to ${shown}.\n` : `You are signed in, but ${shown} cannot be used: ${why}\n`,
  );
  return isGood ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** Settles with an address that is the answer; never if none comes. */
function pasted(
  reader: ReturnType<typeof createInterface>,
  submit: (callback: string) => Promise<void>,
  io: CliIo,
): Promise<void> {
  return new Promise((resolve) => {
    reader.on('line', (line) => {
      if (line.trim() === '') return;
      submit(line).then(resolve, (error: unknown) =>
        io.err.write(`That did not work: ${escapeHidden(errorText(error))}.\n`),
      );
    });
  });
}

function gone(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new ConfigError('nobody signed in'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}
