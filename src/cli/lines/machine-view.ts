// The views for programs: one JSON object, or every message as NDJSON. stdout holds nothing else.
import type { SDKMessage } from '../../protocol/messages.js';
import type { Output } from '../output.js';
import { renderMessage } from './render.js';
import { paint, type Style } from './style.js';
import type { View } from './view.js';

export interface MachineViewOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly style: Style;
}

/** `--output-format stream-json`: each message as one line, nothing on stderr but what is not in the stream. */
export function createStreamJsonView({ stdout, stderr, style }: MachineViewOptions): View {
  return {
    show: (message) => stdout.write(`${JSON.stringify(message)}\n`),
    say: (line) => stderr.write(`${paint(line, 'yellow', style)}\n`),
  };
}

/** `--output-format json`: the last result message alone, once there is no other. Warnings, waits and refusals go to stderr as they happen. */
export function createJsonView({ stdout, stderr, style }: MachineViewOptions): View {
  let result: SDKMessage | null = null;
  return {
    async show(message) {
      if (message.type === 'result') result = message;
      if (!isWorthTelling(message)) return;
      for (const line of renderMessage(message, style)) await stderr.write(`${line}\n`);
    },
    async end() {
      if (result !== null) await stdout.write(`${JSON.stringify(result)}\n`);
    },
    say: (line) => stderr.write(`${paint(line, 'yellow', style)}\n`),
  };
}

function isWorthTelling(message: SDKMessage): boolean {
  if (message.type !== 'system') return false;
  if (message.subtype === 'notice') return message.level === 'warning';
  return message.subtype === 'api_retry' || message.subtype === 'permission_denied';
}
