// `turnwright mcp serve`: the tools of this program on stdin and stdout, for any MCP client. One rule: stdout carries the
// protocol and nothing else.
import { createNodeHost } from '../../host/node-host.js';
import { ConfigError } from '../../protocol/errors.js';
import { serveTools } from '../../sdk/faces/index.js';
import type { Options } from '../../sdk/options/index.js';
import { createLineSplitter } from '../../util/line-splitter.js';
import { parseArgs, resolveFolders } from '../args/index.js';
import type { CliIo } from '../cli-io.js';
import { EXIT_SUCCESS } from '../exit-codes.js';

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** @param argv flags of a run. @returns the exit code, once stdin ended. @throws ConfigError */
export async function runMcpServe(argv: readonly string[], io: CliIo): Promise<number> {
  const { options, prompt, mcpConfigs } = parseArgs(argv);
  if (prompt !== undefined)
    throw new ConfigError(`unexpected argument "${prompt.slice(0, 60)}": serve takes flags alone.`);
  if (mcpConfigs.length > 0)
    throw new ConfigError('serve has the tools of this program only, so --mcp-config means nothing.');
  const folders = resolveFolders(options, io.startedIn());
  const server = serveTools({ ...folders, host: createNodeHost({ env: io.env }) } as Options, (line) => {
    void io.out.write(`${line}\n`);
  });
  const reader = createLineSplitter({
    maxBytes: MAX_MESSAGE_BYTES,
    onLine: (line) => (line.trim() === '' ? undefined : server.receive(line)),
    onTooLong: () => server.receive('null'),
  });
  await new Promise<void>((resolve) => {
    io.stdin.on('data', (chunk: Buffer | string) =>
      reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
    );
    io.stdin.on('end', resolve);
    io.stdin.on('error', () => resolve());
    io.lifetime.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.close();
  return EXIT_SUCCESS;
}
