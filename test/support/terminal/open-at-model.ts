// The terminal in a folder and a home of its own, with a model that says what the test gives it.
import { onTestFinished } from 'vitest';
import { startMockProvider } from '../../../src/testing/mock/mock-provider.js';
import type { MockStep } from '../../../src/testing/mock/mock-wire.js';
import { ENTRY, mockEnv, temporaryFolder } from '../../e2e/run-cli.js';
import { openPty, openTurnwright, type PtyOptions } from './open-pty.js';

export interface AtModelOptions extends Partial<PtyOptions> {
  /** Started by a shell that says `stopped-by-shell` once it is stopped, and knows `fg`. */
  readonly isJob?: boolean;
}

export async function openAtModel(steps: readonly MockStep[], argv: readonly string[] = [], more: AtModelOptions = {}) {
  const model = await startMockProvider({ steps });
  onTestFinished(() => model.close());
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const options: PtyOptions = {
    cwd,
    ...more,
    env: { ...mockEnv(model.url), HOME: home, TURNWRIGHT_HOME: home, NO_COLOR: '1', ...more.env },
  };
  const start = (words: readonly string[]) => {
    if (more.isJob !== true) return openTurnwright(words, options);
    const command = [process.execPath, ENTRY, ...words].map((word) => `'${word}'`).join(' ');
    const script = `set -m; PS1= PS2=; ${command}; while :; do echo stopped-by-shell; read -r line; fg >/dev/null; done`;
    return openPty(['bash', '--norc', '-c', script], options);
  };
  const pty = start(argv);
  await pty.until(/^>/m);
  const resume = async () => {
    const again = openTurnwright(['--continue', ...argv], options);
    await again.until(/^>/m);
    return { pty: again };
  };
  return { pty, model, home, cwd, resume };
}
