// Commands in the background: how a script starts them, and what the model is told of them.
import { expect } from 'vitest';
import type { MessageParam } from '../../src/protocol/content.js';
import { toolCall } from '../../src/testing/model/script.js';
import type { ScriptedModel } from '../../src/testing/model/scripted-model.js';

export const inBackground = (command: string, more: Record<string, unknown> = {}) =>
  toolCall('Bash', { command, description: 'the job', run_in_background: true, ...more });

/** A command that ends once `file` exists. */
export const until = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`;

type Asked = Pick<ScriptedModel, 'requests'>;

/** The texts of a request's last message. */
export function lastTexts({ requests }: Asked, index: number): readonly string[] {
  return textsOf(requests[index]?.messages.at(-1)?.content ?? '');
}

/** The texts of all messages of a request. */
export function allTexts({ requests }: Asked, index: number): readonly string[] {
  return (requests[index]?.messages ?? []).flatMap(({ content }) => textsOf(content));
}

function textsOf(content: MessageParam['content']): readonly string[] {
  if (typeof content === 'string') return [content];
  return content.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    return block.type === 'tool_result' && typeof block.content === 'string' ? [block.content] : [];
  });
}

export function taskId(model: Pick<ScriptedModel, 'requests'>, index: number): string {
  const [, id = ''] = /as task (b[0-9a-f]{8})\./.exec(lastTexts(model, index).join('\n')) ?? [];
  expect(id).not.toBe('');
  return id;
}
